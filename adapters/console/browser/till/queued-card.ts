import { bareCode } from "../../../../src/values/short-link.js";
import { till as words } from "../words/en/till.js";

/** A card that was scanned or chosen from a customer's cards at the till. */
export interface QueuedCard {
  readonly id: number;
  /** The scanned code, or the chosen card's code. */
  readonly code: string;
  /** True if the card was chosen on the screen. A chosen card is never stamped automatically. */
  readonly isChosen: boolean;
  /** The name to show until the card has been found. */
  readonly name: string;
  /** Idempotency key for the card's first stamps, shared by all attempts. */
  readonly idempotencyKey: string;
  /** When the card was scanned or chosen, in milliseconds since the Unix epoch. */
  readonly takenAt: number;
}

/** Maximum number of cards waiting behind the current one. */
export const MAX_QUEUED = 20;

/** Returns the end of a code, which is enough to tell waiting cards apart. */
export const shortCardName = (code: string) => words.cardEnding(bareCode(code).slice(-4));
