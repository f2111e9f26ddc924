import type { StampReceipt } from "../../../../src/resources/stamps.js";
import type { TillCard } from "./found-card.js";
import type { QueuedCard } from "./queued-card.js";
import type { TillSnapshot } from "./till-snapshot.js";

/** A sound and vibration of the till: something was done, a question is open, or something failed. */
export type TillSignal = "good" | "asks" | "bad";

/** An action that can be undone: an entry of a pass, or stamps waiting on this device. */
export type Undo =
  | { readonly passId: string; readonly entryId: string; readonly said: string }
  | { readonly keptKey: string; readonly said: string };

/** Something that was done here, or was refused. */
export interface DoneAction {
  readonly id: number;
  /** Whom it was done to. */
  readonly name: string;
  /** The known identifiers of the card: the id of its pass and its code. */
  readonly cards: readonly string[];
  readonly isGood: boolean;
  readonly text: string;
  /** `null` for what can't be taken back, or was. */
  readonly undo: Undo | null;
  readonly isUndoing: boolean;
  /** Makes every try of taking it back one and the same. */
  readonly undoKey: string;
}

/** The most of what was done that stays on the screen. */
export const MAX_RECENT = 20;

/** The state that the till shows. */
export interface TillState {
  /** The current card; `null` for none. */
  readonly turn: QueuedCard | null;
  /** The card of the turn; `null` while it is looked for, and when it is not found. */
  readonly found: TillCard | null;
  /** True when the server can't be reached to look the card up. */
  readonly isUnreached: boolean;
  /** Seconds since this card was stamped here; `null` if that was not just now. */
  readonly stampedAgo: number | null;
  /** True if the next cards wait for a decision of the user. */
  readonly isAsking: boolean;
  /**
   * True for a moment after a question, a result or the turn that a press began came up. A press then was meant for what stood
   * there before, and does nothing.
   */
  readonly isFresh: boolean;
  /** True while an answer of the server is awaited. */
  readonly isBusy: boolean;
  /** The result of this turn; `null` before there is one. */
  readonly outcome: DoneAction | null;
  readonly waiting: readonly QueuedCard[];
  /** The last things that were done, the newest first. */
  readonly done: readonly DoneAction[];
  /** An error of another card than the current one; empty if there is none. */
  readonly complaint: string;
}

export const emptyTillState: TillState = {
  turn: null,
  found: null,
  isUnreached: false,
  stampedAgo: null,
  isAsking: false,
  isFresh: false,
  isBusy: false,
  outcome: null,
  waiting: [],
  done: [],
  complaint: "",
};

/** The dependencies of the till's flow. */
export interface TillPorts {
  /** @throws {CallError} if no card is found by the code. */
  readonly find: (code: string) => Promise<TillCard>;
  readonly stamp: (passId: string, count: number, idempotencyKey: string) => Promise<StampReceipt>;
  readonly redeem: (passId: string, idempotencyKey: string) => Promise<StampReceipt>;
  readonly reverse: (passId: string, entryId: string, idempotencyKey: string) => Promise<StampReceipt>;
  /** Keeps stamps for later. @throws if they can't be kept. */
  readonly keep: (card: SavedCard, count: number, idempotencyKey: string) => Promise<void>;
  /** Resolves to whether kept stamps were taken back, which they can't be once they were sent. */
  readonly takeBackKept: (idempotencyKey: string) => Promise<boolean>;
  /** Keeps the turns that are not done, so that they are still there when the browser was killed. */
  readonly keepTurns: (turns: TillSnapshot) => void;
  readonly signal: (signal: TillSignal) => void;
  /** Returns whether every scan is one stamp. */
  readonly isEveryScanAStamp: () => boolean;
  /** Returns whether stamps may be given here at all. */
  readonly mayStamp: boolean;
  readonly newKey: () => string;
  /** In milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Does something `ms` milliseconds later. */
  readonly after: (ms: number, work: () => void) => void;
}

export type SavedCard = { readonly code: string } | { readonly passId: string };
