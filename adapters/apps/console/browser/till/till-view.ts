import { bareCode } from "../../../../../src/base/values/short-link.js";
import type { QueuedCard } from "./queued-card.js";
import type { RecentStamps } from "./recent-stamps.js";
import { formatOwner, type TillCard } from "./till-card.js";
import { type DoneAction, emptyTillState, MAX_RECENT, type TillPorts, type TillState } from "./till-state.js";

/**
 * How long presses are ignored after the screen changes, in milliseconds. A press within this time may be the second half of a
 * double tap.
 */
const IGNORE_PRESS_MS = 300;

/** Holds the till's state, and stores the part of the state that must survive a reload. */
export class TillView {
  private current = emptyTillState;
  private lastId = 0;
  /** Number of calls to {@link ignoreNextPress}, so that only the newest one ends the pause. */
  private lastPauseId = 0;
  private savedText = "";
  private onChange: (state: TillState) => void = () => {};

  constructor(
    private readonly ports: TillPorts,
    private readonly recentStamps: RecentStamps,
  ) {}

  get state(): TillState {
    return this.current;
  }

  /**
   * Calls `onChange` immediately with the current state, and then with each new state until the returned function is called.
   * Supports only one listener at a time.
   */
  subscribe(onChange: (state: TillState) => void): () => void {
    this.onChange = onChange;
    onChange(this.current);
    return () => {
      this.onChange = () => {};
    };
  }

  set(change: Partial<TillState>): void {
    this.current = { ...this.current, ...change };
    const snapshot = this.getUnfinished();
    const text = JSON.stringify(snapshot);
    if (text !== this.savedText) this.ports.saveSnapshot(snapshot);
    this.savedText = text;
    this.onChange(this.current);
  }

  /** Stores the unfinished cards, even if they haven't changed since they were last stored. */
  save(): void {
    this.ports.saveSnapshot(this.getUnfinished());
  }

  /**
   * Returns whether to accept a press for the card with this ID. Presses are ignored if the card isn't the current one or if the
   * screen has just changed.
   */
  canPress(cardId: number): boolean {
    return this.current.currentCard?.id === cardId && !this.current.isPressIgnored;
  }

  /**
   * Ignores presses for the next {@link IGNORE_PRESS_MS} milliseconds, because they were probably meant for the screen's previous
   * content.
   */
  ignoreNextPress(): void {
    this.lastPauseId += 1;
    const pauseId = this.lastPauseId;
    this.set({ isPressIgnored: true });
    this.ports.setTimer(IGNORE_PRESS_MS, () => {
      if (pauseId === this.lastPauseId) this.set({ isPressIgnored: false });
    });
  }

  /**
   * Sets the current card's result and adds it to the recent actions and to the day's numbers.
   * @param isCustomer false for a code that no card has, which isn't among the recent actions.
   */
  showOutcome(
    result: Pick<DoneAction, "isGood" | "text" | "undo" | "queued" | "counts">,
    isCustomer = true,
  ): void {
    const { currentCard, tillCard, recentActions } = this.current;
    const name = tillCard === null ? (currentCard?.name ?? "") : formatOwner(tillCard);
    const base = {
      id: this.createId(),
      cards: this.listCardIds(),
      undoKey: this.ports.createKey(),
      isUndoing: false,
      at: this.ports.now(),
    };
    const outcome = { ...base, ...result, name };
    this.ports.addToDay(outcome.counts, outcome.at);
    this.set({
      outcome,
      ...(isCustomer && { recentActions: [outcome, ...recentActions].slice(0, MAX_RECENT) }),
    });
  }

  /** Changes a recent action. If the action is also the current card's result, changes the result too. */
  updateAction(id: number, change: Partial<DoneAction>): void {
    const applyChange = (each: DoneAction) => (each.id === id ? { ...each, ...change } : each);
    const { outcome, recentActions } = this.current;
    this.set({
      outcome: outcome === null ? null : applyChange(outcome),
      recentActions: recentActions.map(applyChange),
    });
  }

  /**
   * Looks up the current card again, to show its new state.
   * @returns the card, or `null` if it can't be looked up. The previous state then stays on the screen.
   */
  async refreshCard(): Promise<TillCard | null> {
    const { currentCard, tillCard } = this.current;
    const code = tillCard?.pass.qrCodeValue ?? currentCard?.code;
    if (code === undefined) return null;
    try {
      const refreshed = await this.ports.findCard(code);
      if (this.current.currentCard?.id === currentCard?.id)
        this.set({ tillCard: refreshed, isUnreachable: false });
      return refreshed;
    } catch {
      // The purchase is booked or undone anyway.
      return null;
    }
  }

  /** Returns the known identifiers of the current card: its pass ID, its code, or both. */
  listCardIds(): readonly string[] {
    const { currentCard, tillCard } = this.current;
    const code = tillCard?.pass.qrCodeValue ?? currentCard?.code;
    return [
      ...(tillCard === null ? [] : [tillCard.pass.id]),
      ...(code === undefined ? [] : [bareCode(code)]),
    ];
  }

  /** Returns whether a scanned card should be stamped automatically. */
  needsAutomaticStamp(card: QueuedCard): boolean {
    return this.ports.mayStamp && this.isAutomatic(card);
  }

  /** Returns whether the till handles a scanned card without a press. */
  isAutomatic({ isChosen }: QueuedCard): boolean {
    return !isChosen && this.ports.isEveryScanAStamp();
  }

  createId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  /** Returns the waiting cards, preceded by the current card if it has yet to get its automatic stamp. */
  private getUnfinished() {
    const { currentCard, outcome, waiting } = this.current;
    const isCurrentUnfinished =
      currentCard !== null && outcome === null && this.needsAutomaticStamp(currentCard);
    return {
      turns: isCurrentUnfinished ? [currentCard, ...waiting] : waiting,
      stamped: this.recentStamps.entries,
    };
  }
}
