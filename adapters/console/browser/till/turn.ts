import type { FoundCard } from "./found-card.js";

/** A card that came to the till: it was scanned, or chosen among the cards of a customer. */
export interface Turn {
  readonly id: number;
  /** The code as it was read; `null` for a card that was chosen. */
  readonly code: string | null;
  /** What it is called until it is found. */
  readonly name: string;
  /** Makes every try of its own stamp one and the same. */
  readonly idempotencyKey: string;
  /** @throws {CallError} when it is not found. */
  readonly find: () => Promise<FoundCard>;
}

/** The most turns that wait for the one before them. */
export const MOST_WAITING = 20;

/** A code without the link around it. */
export function bareCode(code: string): string {
  return code
    .trim()
    .replace(/[?#].*$/, "")
    .replace(/\/$/, "")
    .replace(/^.*\//, "");
}

/** The end of a code, which is enough to tell cards apart that wait at the same time. */
export const cardName = (code: string) => `Card …${bareCode(code).slice(-4)}`;
