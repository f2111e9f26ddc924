import type { StampReceipt } from "../../../../../src/cards/stamps-schema.js";
import type { PurchaseEffect } from "../../../../../src/purchases/schema.js";
import type { EarningCard, PurchaseOffer } from "./earning-card.js";
import type { QueuedCard } from "./queued-card.js";
import type { TillCard } from "./till-card.js";
import type { CardReference, TillPurchase } from "./till-purchase.js";
import type { TillSnapshot } from "./till-snapshot.js";

/** The sound and vibration for success (`good`), a question for the user (`asks`), or failure (`bad`). */
export type TillSignal = "good" | "asks" | "bad";

/** How to undo an action: by reversing a ledger entry, by removing stamps that are queued on this device, or by returning a purchase. */
export type Undo =
  | { readonly passId: string; readonly entryId: string; readonly message: string }
  | { readonly queuedKey: string; readonly message: string }
  | { readonly purchase: TillPurchase; readonly message: string };

/** The totals of a day's actions at this till. */
export interface TillCounts {
  readonly stamps: number;
  readonly rewards: number;
  readonly purchases: number;
}

/** An action taken at this till and its result, which might be a failure. */
export interface DoneAction {
  readonly id: number;
  /** The name of the card's owner, or the card's name if the owner isn't known. */
  readonly name: string;
  /** The card's known identifiers: its pass ID, its code, or both. */
  readonly cards: readonly string[];
  readonly isGood: boolean;
  readonly text: string;
  /** When the action was taken, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** What the action adds to the day's numbers. */
  readonly counts: Partial<TillCounts>;
  /** How to undo the action. `null` if it can't be undone or has already been undone. */
  readonly undo: Undo | null;
  /** What waits on this device to be sent: its key or receipt, and the result once it is sent. `null` if nothing waits. */
  readonly queued: { readonly key: string; readonly sentText: string } | null;
  readonly isUndoing: boolean;
  /** Idempotency key for undoing the action. Retries use the same key. */
  readonly undoKey: string;
}

/** Maximum number of recent actions kept for display. */
export const MAX_RECENT = 20;

/** The state that the till displays: the current card with its result, the waiting cards, and recent actions. */
export interface TillState {
  /** The current card, or `null` if there is none. */
  readonly currentCard: QueuedCard | null;
  /** The current card's details. `null` while the card is being looked up, or if the lookup failed. */
  readonly tillCard: TillCard | null;
  /** Whether looking up the card failed because the server is unreachable. */
  readonly isUnreachable: boolean;
  /** The cards that a purchase of the current customer gives something on, or `null` if no card earns from purchases. */
  readonly offer: PurchaseOffer | null;
  /** Whether the till asks for a purchase's amount. */
  readonly isPadOpen: boolean;
  /** The digits of the amount typed so far, with at most one decimal point. */
  readonly amountText: string;
  /**
   * Number of seconds between this till's last stamp on the card and the current scan, or `null` if this till didn't stamp the card
   * in the 30 seconds before the scan.
   */
  readonly secondsSinceStamp: number | null;
  /** Whether the user must decide something about the current card before the next card can be handled. */
  readonly isAsking: boolean;
  /**
   * Whether the screen has just shown a question, a result, or a new card. If so, presses are ignored because they were probably
   * meant for the previous content.
   */
  readonly isPressIgnored: boolean;
  /** Whether the till is waiting for the response to a call. */
  readonly isBusy: boolean;
  /** The current card's result, or `null` if there is none yet. */
  readonly outcome: DoneAction | null;
  readonly waiting: readonly QueuedCard[];
  /** The most recent actions, newest first. */
  readonly recentActions: readonly DoneAction[];
  /** An error message about a card other than the current one, or an empty string. */
  readonly errorText: string;
}

export const emptyTillState: TillState = {
  currentCard: null,
  tillCard: null,
  isUnreachable: false,
  offer: null,
  isPadOpen: false,
  amountText: "",
  secondsSinceStamp: null,
  isAsking: false,
  isPressIgnored: false,
  isBusy: false,
  outcome: null,
  waiting: [],
  recentActions: [],
  errorText: "",
};

/** The API calls, storage, and timers that the till's flow uses. */
export interface TillPorts {
  /**
   * Looks up a card by its code.
   * @throws {CallError} if there is no card with this code, or if the call fails.
   */
  readonly findCard: (code: string) => Promise<TillCard>;
  readonly stamp: (passId: string, count: number, idempotencyKey: string) => Promise<StampReceipt>;
  readonly redeem: (passId: string, idempotencyKey: string) => Promise<StampReceipt>;
  readonly reverse: (passId: string, entryId: string, idempotencyKey: string) => Promise<StampReceipt>;
  /**
   * Queues stamps to be sent later.
   * @throws if the stamps can't be stored on this device.
   */
  readonly queueStamps: (card: CardReference, count: number, idempotencyKey: string) => Promise<void>;
  /** Removes queued stamps unless they have already been sent. Resolves to whether the stamps were removed. */
  readonly withdrawStamps: (idempotencyKey: string) => Promise<boolean>;
  /**
   * Records a purchase. Resolves to its effects on the customer's cards, or to `null` if the purchase waits on this device
   * because the server didn't respond.
   * @param isReachable whether to call the server. Otherwise, the purchase is only stored.
   * @throws {CallError} if the server refuses the purchase.
   * @throws if the purchase can't be stored on this device.
   */
  readonly book: (purchase: TillPurchase, isReachable: boolean) => Promise<readonly PurchaseEffect[] | null>;
  /**
   * Undoes a purchase, or stores its return on this device if the server can't be reached.
   * @throws {CallError} if the server refuses the return.
   */
  readonly returnPurchase: (purchase: TillPurchase) => Promise<void>;
  /** Returns the cards that earn from purchases, for when the server can't be reached. */
  readonly readStoredPrograms: () => readonly EarningCard[];
  /** Stores the unfinished cards so that they survive even if the browser is killed. */
  readonly saveSnapshot: (snapshot: TillSnapshot) => void;
  readonly signal: (signal: TillSignal) => void;
  /** Adds to the numbers of the day on which an action was taken. Undoing an action adds negative numbers. */
  readonly addToDay: (counts: Partial<TillCounts>, at: number) => void;
  /** Returns whether each scan should add a stamp automatically. */
  readonly isEveryScanAStamp: () => boolean;
  /** Whether the user is allowed to add stamps. */
  readonly mayStamp: boolean;
  /** Whether the user is allowed to record purchases. */
  readonly mayBook: boolean;
  /** The source of this device's purchases. */
  readonly source: string;
  readonly createReceipt: () => string;
  readonly createKey: () => string;
  /** Returns the current time in milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly setTimer: (ms: number, callback: () => void) => void;
}
