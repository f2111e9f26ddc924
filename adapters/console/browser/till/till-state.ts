import type { StampReceipt } from "../../../../src/resources/stamps.js";
import type { TillCard } from "./found-card.js";
import type { QueuedCard } from "./queued-card.js";
import type { TillSnapshot } from "./till-snapshot.js";

/** A sound and vibration: an action succeeded, a question is open, or an action failed. */
export type TillSignal = "good" | "asks" | "bad";

/** How to undo an action: reverse an entry of a pass, or remove stamps that are queued on this device. */
export type Undo =
  | { readonly passId: string; readonly entryId: string; readonly said: string }
  | { readonly keptKey: string; readonly said: string };

/** The result of an action at this till, successful or not. */
export interface DoneAction {
  readonly id: number;
  /** Name of the card's owner, or of the card. */
  readonly name: string;
  /** Known names of the card: its pass ID and its code. */
  readonly cards: readonly string[];
  readonly isGood: boolean;
  readonly text: string;
  /** `null` if the action can't be undone, or already has been. */
  readonly undo: Undo | null;
  readonly isUndoing: boolean;
  /** Idempotency key for undoing the action, shared by all attempts. */
  readonly undoKey: string;
}

/** Maximum number of recent actions on the screen. */
export const MAX_RECENT = 20;

/** The state that the till displays. */
export interface TillState {
  /** The current card; `null` if there is none. */
  readonly turn: QueuedCard | null;
  /** Details of the current card; `null` while it is being looked up, or if it wasn't found. */
  readonly found: TillCard | null;
  /** True if the card couldn't be looked up because the server is unreachable. */
  readonly isUnreached: boolean;
  /** Seconds since the card was last stamped here; `null` if it wasn't stamped recently. */
  readonly stampedAgo: number | null;
  /** True if the waiting cards must wait for the user's decision. */
  readonly isAsking: boolean;
  /**
   * True for a moment after the screen shows a question, a result or a new card. Presses are ignored during that time, because they
   * were meant for the previous content.
   */
  readonly isFresh: boolean;
  /** True while a call is in progress. */
  readonly isBusy: boolean;
  /** The current card's result; `null` if there is none yet. */
  readonly outcome: DoneAction | null;
  readonly waiting: readonly QueuedCard[];
  /** The most recent actions, newest first. */
  readonly done: readonly DoneAction[];
  /** An error about a card other than the current one; empty if there is none. */
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

/** Everything that the till's flow depends on. */
export interface TillPorts {
  /** @throws {CallError} if there is no card with this code. */
  readonly find: (code: string) => Promise<TillCard>;
  readonly stamp: (passId: string, count: number, idempotencyKey: string) => Promise<StampReceipt>;
  readonly redeem: (passId: string, idempotencyKey: string) => Promise<StampReceipt>;
  readonly reverse: (passId: string, entryId: string, idempotencyKey: string) => Promise<StampReceipt>;
  /**
   * Queues stamps to be sent later.
   * @throws if they can't be stored.
   */
  readonly keep: (card: SavedCard, count: number, idempotencyKey: string) => Promise<void>;
  /** Removes queued stamps. Resolves to false if they have already been sent. */
  readonly takeBackKept: (idempotencyKey: string) => Promise<boolean>;
  /** Stores the unfinished cards, so that they survive if the browser is killed. */
  readonly keepTurns: (turns: TillSnapshot) => void;
  readonly signal: (signal: TillSignal) => void;
  /** Returns whether each scan automatically adds one stamp. */
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
