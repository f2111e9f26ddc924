import { bareCode } from "../../../../../src/base/values/short-link.js";
import { formatOwner } from "./found-card.js";
import type { QueuedCard } from "./queued-card.js";
import type { RecentStamps } from "./recent-stamps.js";
import { type DoneAction, emptyTillState, MAX_RECENT, type TillPorts, type TillState } from "./till-state.js";

/**
 * How long presses are ignored after the screen changes, in milliseconds. A press within this time may be the second half of a
 * double tap.
 */
const MOMENT_MS = 300;

/** Holds the till's state, and stores the part of the state that must survive a reload. */
export class TillView {
  private now = emptyTillState;
  private lastId = 0;
  /** Number of calls to {@link ignoreNextPress}, so that only the newest one ends the pause. */
  private lastFresh = 0;
  private keptText = "";
  private onChange: (state: TillState) => void = () => {};

  constructor(
    private readonly ports: TillPorts,
    private readonly lately: RecentStamps,
  ) {}

  get state(): TillState {
    return this.now;
  }

  /**
   * Calls `onChange` immediately with the current state, and then with each new state until the returned function is called.
   * Supports only one listener at a time.
   */
  follow(onChange: (state: TillState) => void): () => void {
    this.onChange = onChange;
    onChange(this.now);
    return () => {
      this.onChange = () => {};
    };
  }

  set(change: Partial<TillState>): void {
    this.now = { ...this.now, ...change };
    const kept = this.unfinished();
    const text = JSON.stringify(kept);
    if (text !== this.keptText) this.ports.keepTurns(kept);
    this.keptText = text;
    this.onChange(this.now);
  }

  /** Stores the unfinished cards, even if they haven't changed since they were last stored. */
  keep(): void {
    this.ports.keepTurns(this.unfinished());
  }

  /**
   * Returns whether to accept a press for the card with this ID. Presses are ignored if the card isn't the current one or if the
   * screen has just changed.
   */
  isCurrentTurn(turnId: number): boolean {
    return this.now.turn?.id === turnId && !this.now.isFresh;
  }

  /**
   * Ignores presses for the next {@link MOMENT_MS} milliseconds, because they were probably meant for what the screen showed
   * before.
   */
  ignoreNextPress(): void {
    this.lastFresh += 1;
    const fresh = this.lastFresh;
    this.set({ isFresh: true });
    this.ports.after(MOMENT_MS, () => {
      if (fresh === this.lastFresh) this.set({ isFresh: false });
    });
  }

  /** Sets the current card's result and adds it to the recent actions. */
  end(result: Pick<DoneAction, "isGood" | "text" | "undo">): void {
    const { turn, found, done } = this.now;
    const name = found === null ? (turn?.name ?? "") : formatOwner(found);
    const own = { id: this.newId(), cards: this.cards(), undoKey: this.ports.newKey(), isUndoing: false };
    const outcome = { ...own, ...result, name };
    this.set({ outcome, done: [outcome, ...done].slice(0, MAX_RECENT) });
  }

  /** Changes a recent action. If the action is also the current card's result, changes the result too. */
  redo(id: number, change: Partial<DoneAction>): void {
    const changed = (each: DoneAction) => (each.id === id ? { ...each, ...change } : each);
    const { outcome, done } = this.now;
    this.set({ outcome: outcome === null ? null : changed(outcome), done: done.map(changed) });
  }

  /** Returns the known identifiers of the current card: its pass ID, its code, or both. */
  cards(): readonly string[] {
    const { turn, found } = this.now;
    const code = found?.pass.qrCodeValue ?? turn?.code;
    return [...(found === null ? [] : [found.pass.id]), ...(code === undefined ? [] : [bareCode(code)])];
  }

  /** Returns whether a scanned card should be stamped automatically. */
  isOwed({ isChosen }: QueuedCard): boolean {
    return !isChosen && this.ports.mayStamp && this.ports.isEveryScanAStamp();
  }

  newId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  /** Returns the waiting cards, preceded by the current card if it has yet to get its automatic stamp. */
  private unfinished() {
    const { turn, outcome, waiting } = this.now;
    const isOwing = turn !== null && outcome === null && this.isOwed(turn);
    return { turns: isOwing ? [turn, ...waiting] : waiting, stamped: this.lately.all };
  }
}
