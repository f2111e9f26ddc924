import { CallError } from "../api/call-error.js";
import { getErrorMessage } from "../components/error-message.js";
import { turns as words } from "../words/en/till.js";
import { hasNoResponse, orQueue, shouldQueue } from "./call-failure.js";
import { IDEMPOTENCY_WINDOW_MS } from "./idempotency-window.js";
import { MAX_QUEUED, type QueuedCard, shortCardName } from "./queued-card.js";
import { RecentStamps } from "./recent-stamps.js";
import type { TillSnapshot } from "./till-snapshot.js";
import {
  type DoneAction,
  emptyTillState,
  type SavedCard,
  type TillPorts,
  type TillState,
} from "./till-state.js";
import { TillView } from "./till-view.js";

/**
 * Handles the cards at a till one at a time. If a card arrives while another card is being looked up or stamped, the new card waits
 * until that operation has finished. This ensures that a button press applies to the card on the screen and that a scan applies to
 * the scanned card.
 */
export class TillFlow {
  /** True if the next card was requested while a call was in progress. */
  private isNextWanted = false;
  /** True if the next card was requested by a press. */
  private isNextPressed = false;
  /** Idempotency key of a redemption whose outcome is not known yet. */
  private redeemKey: string | null = null;
  /** Whether the current card's idempotency key has been sent. */
  private isKeyUsed = false;
  private readonly lately: RecentStamps;
  private readonly shown: TillView;

  constructor(private readonly ports: TillPorts) {
    this.lately = new RecentStamps(ports.now);
    this.shown = new TillView(ports, this.lately);
  }

  /**
   * Calls `onChange` immediately with the current state, and then with each new state until the returned function is called.
   * Supports only one listener at a time.
   */
  follow(onChange: (state: TillState) => void): () => void {
    return this.shown.follow(onChange);
  }

  /** Accepts a scanned card, and either handles it immediately or queues it behind the current card. */
  scan(code: string): void {
    this.take({ code, isChosen: false, name: shortCardName(code) });
  }

  /** Accepts a card that the user chose on the screen. Such a card is never stamped automatically. */
  choose(name: string, code: string): void {
    this.take({ code, isChosen: true, name });
  }

  /** Requeues the cards that were unfinished when the page was closed, ahead of cards that have arrived since. */
  restore({ turns, stamped }: TillSnapshot): void {
    this.lately.restore(stamped);
    const isKnown = ({ takenAt }: QueuedCard) => this.ports.now() - takenAt <= IDEMPOTENCY_WINDOW_MS;
    const known = turns.filter(isKnown).map((turn) => ({ ...turn, id: this.shown.newId() }));
    const lapsed = turns.length - known.length;
    const { turn, waiting, complaint } = this.shown.state;
    const lost = words.lapsed(lapsed);
    if (turn === null && known.length > 0) this.isNextWanted = true;
    this.shown.set({ waiting: [...known, ...waiting], complaint: lapsed > 0 ? lost : complaint });
    // Store the current cards too, because nothing could be stored before the snapshot was opened.
    this.shown.keep();
    this.startNext();
  }

  /**
   * Adds stamps to the current card. Has no effect while another call is in progress, or if the card with this ID isn't the current
   * card.
   */
  async add(turnId: number, count: number): Promise<void> {
    if (!this.shown.isCurrentTurn(turnId)) return;
    await this.runExclusive(() =>
      this.give(count, this.isKeyUsed ? null : (this.shown.state.turn?.idempotencyKey ?? null)),
    );
  }

  /**
   * Redeems a reward on the current card. Has no effect while another call is in progress, or if the card with this ID isn't the
   * current card.
   */
  async redeem(turnId: number): Promise<void> {
    const { found } = this.shown.state;
    if (found === null || !this.shown.isCurrentTurn(turnId)) return;
    const { id: passId } = found.pass;
    await this.runExclusive(async () => {
      this.redeemKey ??= this.ports.newKey();
      try {
        const after = await this.ports.redeem(passId, this.redeemKey);
        this.redeemKey = null;
        this.shown.set({ found: { ...found, state: after }, isAsking: false });
        const { entryId } = after;
        this.showDone(words.redeemed, { passId, entryId, said: words.givenBack });
      } catch (error) {
        if (!hasNoResponse(error)) this.redeemKey = null;
        this.showError(error);
      }
    });
  }

  /** Finishes the current card and continues with the card that has waited longest. */
  next(turnId: number): void {
    if (!this.shown.isCurrentTurn(turnId)) return;
    this.isNextPressed = true;
    this.endTurn();
  }

  /** Undoes an action. Does nothing if the action has already been undone. */
  async undo(id: number): Promise<void> {
    if (await undo(id, this.ports, this.shown, this.lately)) this.startNext();
  }

  private take(turn: Pick<QueuedCard, "code" | "isChosen" | "name">): void {
    const { waiting, isBusy, isAsking } = this.shown.state;
    // There may be one card more than the limit after restoring the queue of a closed page.
    if (waiting.length >= MAX_QUEUED) {
      this.ports.signal("bad");
      this.shown.set({
        complaint: words.tooManyWait(MAX_QUEUED, turn.name),
      });
      return;
    }
    const isFirst = waiting.length === 0;
    const { newKey, now } = this.ports;
    const taken = { ...turn, id: this.shown.newId(), idempotencyKey: newKey(), takenAt: now() };
    this.shown.set({ waiting: [...waiting, taken] });
    if (!isBusy && !isAsking && isFirst) this.endTurn();
    else this.startNext();
  }

  private endTurn(): void {
    this.isNextWanted = true;
    this.shown.set({ complaint: "" });
    this.startNext();
  }

  /** Starts the next card, if it is due. */
  private startNext(): void {
    const { isBusy, isAsking, waiting } = this.shown.state;
    if (isBusy) return;
    const [first, ...others] = waiting;
    const isTime = this.isNextWanted || (this.ports.isEveryScanAStamp() && !isAsking && first !== undefined);
    if (!isTime) return;
    const isPressed = this.isNextPressed;
    this.cancelNext();
    this.redeemKey = null;
    this.isKeyUsed = false;
    const { done, complaint, isFresh } = this.shown.state;
    this.shown.set({ ...emptyTillState, complaint, done, isFresh, turn: first ?? null, waiting: others });
    if (isPressed) this.shown.ignoreNextPress();
    if (first !== undefined) void this.runExclusive(() => this.open(first));
  }

  private cancelNext(): void {
    this.isNextWanted = false;
    this.isNextPressed = false;
  }

  private async open(turn: QueuedCard): Promise<void> {
    const { find, mayStamp } = this.ports;
    const isStamp = () => this.shown.isOwed(turn);
    const secondsBefore = () => this.lately.secondsBefore(turn.takenAt, this.shown.cards());
    try {
      const found = await find(turn.code);
      this.shown.set({ found });
      const stampedAgo = found.state === null ? null : secondsBefore();
      const hasReward = (found.state?.rewardsAvailable ?? 0) > 0;
      this.shown.set({ stampedAgo });
      if (hasReward || stampedAgo !== null) this.ask(isStamp());
      else if (isStamp() && found.state !== null) await this.give(1, turn.idempotencyKey);
    } catch (error) {
      if (mayStamp && shouldQueue(error, isStamp())) {
        const stampedAgo = secondsBefore();
        this.shown.set({ isUnreached: true, stampedAgo });
        if (stampedAgo !== null) this.ask(isStamp());
        else if (isStamp()) await this.give(1, turn.idempotencyKey);
      } else {
        this.showError(error);
      }
    }
  }

  /**
   * Draws attention to a question about the current card.
   * @param doOthersWait whether the waiting cards must wait for the user's decision.
   */
  private ask(doOthersWait: boolean): void {
    if (doOthersWait) this.hold();
    this.shown.ignoreNextPress();
    this.ports.signal("asks");
  }

  /** Waits for the user's decision. Cancels an earlier request for the next card, because the user hadn't seen the question yet. */
  private hold(): void {
    this.cancelNext();
    this.shown.set({ isAsking: true });
  }

  /**
   * Adds stamps to the current card, or queues them if the server can't be reached.
   * @param ownKey the card's idempotency key, or `null` if it has already been sent.
   */
  private async give(count: number, ownKey: string | null): Promise<void> {
    const { turn, found } = this.shown.state;
    if (turn === null) return;
    const kept: SavedCard = found === null ? { code: turn.code } : { passId: found.pass.id };
    const idempotencyKey = ownKey ?? this.ports.newKey();
    this.isKeyUsed = true;
    const said = words.takenBack(count);
    try {
      const { stamp, isEveryScanAStamp } = this.ports;
      const after =
        "code" in kept ? null : await orQueue(stamp(kept.passId, count, idempotencyKey), isEveryScanAStamp);
      if (after === null || found === null) {
        await this.ports.keep(kept, count, idempotencyKey);
        this.stamped();
        this.shown.set({ isAsking: false });
        this.showDone(words.kept(count), { keptKey: idempotencyKey, said });
        return;
      }
      const isFull = after.completions > 0;
      this.stamped();
      this.shown.set({ found: { ...found, state: after }, isAsking: false });
      this.showDone(
        isFull ? words.cardFull : words.stamped(count),
        { passId: after.walletPassId, entryId: after.entryId, said },
        isFull ? "asks" : "good",
      );
      if (isFull && this.ports.isEveryScanAStamp()) this.hold();
    } catch (error) {
      this.showError(error);
    }
  }

  private stamped(): void {
    this.lately.note(this.shown.cards());
  }

  private showDone(text: string, undo: DoneAction["undo"], signal: "good" | "asks" = "good"): void {
    this.shown.end({ isGood: true, text, undo });
    this.shown.ignoreNextPress();
    this.ports.signal(signal);
  }

  private showError(error: unknown): void {
    const isUnknown = error instanceof CallError && error.status === 404 && this.shown.state.found === null;
    const text = isUnknown ? words.noSuchCard : getErrorMessage(error);
    this.shown.end({ isGood: false, text, undo: null });
    this.ports.signal("bad");
    const isLeft = this.isNextWanted || this.shown.state.waiting.length > 0;
    if (isLeft) this.shown.set({ complaint: `${this.shown.state.outcome?.name ?? ""}: ${text}` });
  }

  /** Runs a task for the current card, unless another task is already running. */
  private async runExclusive(work: () => Promise<void>): Promise<void> {
    if (this.shown.state.isBusy || this.shown.state.turn === null) return;
    this.shown.set({ isBusy: true });
    await work();
    this.shown.set({ isBusy: false });
    this.startNext();
  }
}

/**
 * Undoes an action and updates the till's state. If the undo fails, shows why.
 * @returns `false` if there is nothing to undo or the action is already being undone.
 */
async function undo(id: number, ports: TillPorts, shown: TillView, lately: RecentStamps): Promise<boolean> {
  const done = shown.state.done.find((each) => each.id === id);
  const undo = done?.undo ?? null;
  if (done === undefined || undo === null || done.isUndoing) return false;
  shown.redo(id, { isUndoing: true });
  try {
    if ("keptKey" in undo) {
      const isTaken = await ports.takeBackKept(undo.keptKey);
      if (!isTaken) throw new Error(words.sentAlready);
    } else {
      const after = await ports.reverse(undo.passId, undo.entryId, done.undoKey);
      const { found, isBusy, isAsking } = shown.state;
      if (found?.pass.id === undo.passId && !isBusy) {
        const stillAsks = isAsking && after.rewardsAvailable > 0;
        shown.set({ found: { ...found, state: after }, isAsking: stillAsks });
      }
    }
    lately.forget(done.cards);
    shown.redo(id, { isUndoing: false, undo: null, isGood: true, text: undo.said });
    ports.signal("good");
  } catch (error) {
    shown.redo(id, { isUndoing: false, ...(!hasNoResponse(error) && { undo: null }) });
    shown.set({ complaint: `${done.name}: ${getErrorMessage(error)}` });
    ports.signal("bad");
  }
  return true;
}
