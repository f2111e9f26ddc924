import type { StampReceipt } from "../../../../../src/cards/stamps-schema.js";
import type { TillCard } from "./found-card.js";
import type { QueuedCard } from "./queued-card.js";
import type { TillSnapshot } from "./till-snapshot.js";

/** A sound and vibration that indicates success (`good`), a question for the user (`asks`), or failure (`bad`). */
export type TillSignal = "good" | "asks" | "bad";

/** How to undo an action: by reversing a ledger entry, or by removing stamps that are queued on this device. */
export type Undo =
  | { readonly passId: string; readonly entryId: string; readonly said: string }
  | { readonly keptKey: string; readonly said: string };

/** The result of an action at this till, whether or not it succeeded. */
export interface DoneAction {
  readonly id: number;
  /** The name of the card's owner, or the card's name if the owner isn't known. */
  readonly name: string;
  /** The card's known names: its pass ID, its code, or both. */
  readonly cards: readonly string[];
  readonly isGood: boolean;
  readonly text: string;
  /** How to undo the action, or `null` if it can't be undone or already has been. */
  readonly undo: Undo | null;
  readonly isUndoing: boolean;
  /** Idempotency key for undoing the action, reused if the call is retried. */
  readonly undoKey: string;
}

/** Maximum number of recent actions kept for display. */
export const MAX_RECENT = 20;

/** The state that the till displays. */
export interface TillState {
  /** The current card, or `null` if there is none. */
  readonly turn: QueuedCard | null;
  /** The current card's details, or `null` while it is being looked up or if it wasn't found. */
  readonly found: TillCard | null;
  /** True if the card couldn't be looked up because the server is unreachable. */
  readonly isUnreached: boolean;
  /** How many seconds before the current scan this till last stamped the card, or `null` if it hasn't done so recently. */
  readonly stampedAgo: number | null;
  /** True while the user must decide about the current card before the queue can move on. */
  readonly isAsking: boolean;
  /**
   * True for a moment after the screen shows a question, a result, or a new card. Presses during that time are ignored, because
   * they were probably meant for what was on the screen before.
   */
  readonly isFresh: boolean;
  /** True while the till is waiting for the response to a call. */
  readonly isBusy: boolean;
  /** The current card's result, or `null` if there is none yet. */
  readonly outcome: DoneAction | null;
  readonly waiting: readonly QueuedCard[];
  /** The most recent actions, newest first. */
  readonly done: readonly DoneAction[];
  /** An error message about a card other than the current one, or an empty string if there is none. */
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

/** The API calls, storage, and timers that the till's flow uses. */
export interface TillPorts {
  /**
   * Looks up a card by its code.
   * @throws {CallError} if there is no card with this code, or if the call fails.
   */
  readonly find: (code: string) => Promise<TillCard>;
  readonly stamp: (passId: string, count: number, idempotencyKey: string) => Promise<StampReceipt>;
  readonly redeem: (passId: string, idempotencyKey: string) => Promise<StampReceipt>;
  readonly reverse: (passId: string, entryId: string, idempotencyKey: string) => Promise<StampReceipt>;
  /**
   * Queues stamps to be sent later.
   * @throws if the stamps can't be stored on this device.
   */
  readonly keep: (card: SavedCard, count: number, idempotencyKey: string) => Promise<void>;
  /** Removes queued stamps, unless they have already been sent. Resolves to `true` if the stamps were removed. */
  readonly takeBackKept: (idempotencyKey: string) => Promise<boolean>;
  /** Stores the unfinished cards. They survive even if the browser is killed. */
  readonly keepTurns: (turns: TillSnapshot) => void;
  readonly signal: (signal: TillSignal) => void;
  /** Returns whether each scan automatically adds a stamp. */
  readonly isEveryScanAStamp: () => boolean;
  /** Whether the user may add stamps. */
  readonly mayStamp: boolean;
  readonly newKey: () => string;
  /** Returns the current time in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Calls `work` after `ms` milliseconds. */
  readonly after: (ms: number, work: () => void) => void;
}

export type SavedCard = { readonly code: string } | { readonly passId: string };
