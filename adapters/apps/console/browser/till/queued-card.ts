import { bareCode } from "../../../../../src/base/values/short-link.js";
import { till as words } from "../words/en/till.js";

/** A card that was scanned at the till or picked from a customer's cards. */
export interface QueuedCard {
  readonly id: number;
  /** The scanned code, or the code of the card that the user chose. */
  readonly code: string;
  /** Whether the user chose the card on the screen instead of scanning it. Such a card is never stamped automatically. */
  readonly isChosen: boolean;
  /** The name shown until the card has been looked up. */
  readonly name: string;
  /** Idempotency key for the first stamps added to the card. Retries use the same key. */
  readonly idempotencyKey: string;
  /** The number of the receipt for the first purchase booked for the card. */
  readonly receipt: string;
  /** When the card was scanned or chosen, in milliseconds since the Unix epoch. */
  readonly takenAt: number;
}

/** Maximum number of cards waiting behind the current one. */
export const MAX_QUEUED = 20;

/**
 * Returns a short name for a waiting card. The name contains the last four characters of the card's code, which are enough to tell
 * waiting cards apart.
 */
export const shortCardName = (code: string) => words.cardEnding(bareCode(code).slice(-4));
