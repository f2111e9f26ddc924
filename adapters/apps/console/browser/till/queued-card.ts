import { bareCode } from "../../../../../src/base/values/short-link.js";
import { till as words } from "../words/en/till.js";

/** A card at the till that was scanned, or chosen from a customer's cards. */
export interface QueuedCard {
  readonly id: number;
  /** The code that was scanned, or the code of the chosen card. */
  readonly code: string;
  /** True if the card was chosen on the screen. Such a card is never stamped automatically. */
  readonly isChosen: boolean;
  /** The name shown until the card has been looked up. */
  readonly name: string;
  /** Idempotency key for the first stamps added to the card, reused if the call is retried. */
  readonly idempotencyKey: string;
  /** When the card was scanned or chosen, in milliseconds since the Unix epoch. */
  readonly takenAt: number;
}

/** Maximum number of cards waiting behind the current one. */
export const MAX_QUEUED = 20;

/**
 * Returns a short name for a waiting card, with the last four characters of its code. They are enough to tell waiting cards apart.
 */
export const shortCardName = (code: string) => words.cardEnding(bareCode(code).slice(-4));
