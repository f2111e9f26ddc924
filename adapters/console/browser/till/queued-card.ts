import { bareCode } from "../../../../src/values/short-link.js";
import { till as words } from "../words/en/till.js";

/** A card that came to the till: it was scanned, or chosen among the cards of a customer. */
export interface QueuedCard {
  readonly id: number;
  /** The scanned code, or the code of the chosen card. */
  readonly code: string;
  /** True if the card was chosen on the screen. It is then never stamped without a question. */
  readonly isChosen: boolean;
  /** The name to show until the card is found. */
  readonly name: string;
  /** Makes every try of its first stamps one and the same. */
  readonly idempotencyKey: string;
  /** In milliseconds since the Unix epoch. */
  readonly takenAt: number;
}

/** The most cards that wait for the current one. */
export const MAX_QUEUED = 20;

/** The end of a code, which is enough to tell cards apart that wait at the same time. */
export const shortCardName = (code: string) => words.cardEnding(bareCode(code).slice(-4));
