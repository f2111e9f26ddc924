import { CallError } from "../api/call-error.js";
import { messageOf } from "../parts/message-of.js";
import { counted } from "../parts/words.js";
import { type FoundCard, ownerOf } from "./found-card.js";
import { LatelyStamped } from "./lately-stamped.js";
import {
  type Done,
  type KeptCard,
  MOST_DONE,
  nothingShown,
  type TillPorts,
  type TillState,
} from "./till-state.js";
import { bareCode, cardName, MOST_WAITING, type Turn } from "./turn.js";

/**
 * The turns at a till, one after the other. A card that comes while another one is looked up or stamped waits until that is
 * answered: what is pressed counts for the card that is shown, and each scan for its own.
 */
export class TillFlow {
  private state = nothingShown;
  private lastId = 0;
  /** True when the next turn was asked for while an answer was awaited. */
  private isNextWanted = false;
  /** The key of a reward whose answer is still not known. */
  private redeemKey: string | null = null;
  private readonly lately: LatelyStamped;
  private onChange: (state: TillState) => void = () => {};

  constructor(private readonly ports: TillPorts) {
    this.lately = new LatelyStamped(ports.now);
  }

  /** Tells of each state until what it returns is called. There is one who is told at a time. */
  follow(onChange: (state: TillState) => void): () => void {
    this.onChange = onChange;
    onChange(this.state);
    return () => {
      this.onChange = () => {};
    };
  }

  /** Takes a card that was scanned, with what finds it. */
  scan(code: string, find: (code: string) => Promise<FoundCard>): void {
    this.take({ code, name: cardName(code), find: () => find(code) });
  }

  /** Takes a card that was chosen on the screen. It is never stamped unasked. */
  choose(name: string, find: () => Promise<FoundCard>): void {
    this.take({ code: null, name, find });
  }

  /** Gives stamps to the card that is shown; nothing while an answer is awaited. */
  async add(count: number): Promise<void> {
    await this.alone(() => this.give(count, this.ports.newKey()));
  }

  /** Hands out a reward of the card that is shown; nothing while an answer is awaited. */
  async redeem(): Promise<void> {
    const { found } = this.state;
    if (found === null) return;
    const { id: passId } = found.pass;
    await this.alone(async () => {
      this.redeemKey ??= this.ports.newKey();
      try {
        const after = await this.ports.redeem(passId, this.redeemKey);
        this.redeemKey = null;
        this.set({ found: { ...found, state: after }, isAsking: false });
        const { entryId } = after;
        this.did("Reward redeemed", { passId, entryId, said: "Reward given back" });
      } catch (error) {
        if (!isUnanswered(error)) this.redeemKey = null;
        this.refused(error);
      }
    });
  }

  /** Ends the turn. The one that waits longest is next. */
  next(): void {
    this.isNextWanted = true;
    this.set({ complaint: "" });
    this.goOn();
  }

  /** Takes back something that was done. What is sent twice counts once. */
  async undo(id: number): Promise<void> {
    const done = this.state.done.find((each) => each.id === id);
    const undo = done?.undo ?? null;
    if (done === undefined || undo === null || done.isUndoing) return;
    this.redo(id, { isUndoing: true });
    try {
      if ("keptKey" in undo) {
        const isTaken = await this.ports.takeBackKept(undo.keptKey);
        if (!isTaken) throw new Error("It was sent already. Take it back on the card.");
      } else {
        const after = await this.ports.reverse(undo.passId, undo.entryId, done.undoKey);
        const { found, isBusy, isAsking } = this.state;
        if (found?.pass.id === undo.passId && !isBusy) {
          const stillAsks = isAsking && after.rewardsAvailable > 0;
          this.set({ found: { ...found, state: after }, isAsking: stillAsks });
        }
      }
      this.lately.forget(done.cards);
      this.redo(id, { isUndoing: false, undo: null, isGood: true, text: undo.said });
      this.ports.signal("good");
    } catch (error) {
      this.redo(id, { isUndoing: false, ...(!isUnanswered(error) && { undo: null }) });
      this.set({ complaint: `${done.name}: ${messageOf(error)}` });
      this.ports.signal("bad");
    }
    this.goOn();
  }

  private take(turn: Pick<Turn, "code" | "name" | "find">): void {
    const { waiting, isBusy, isAsking } = this.state;
    if (waiting.length >= MOST_WAITING) {
      this.ports.signal("bad");
      this.set({ complaint: `${MOST_WAITING} cards wait already. Scan ${turn.name} again in a moment.` });
      return;
    }
    const isFirst = waiting.length === 0;
    const taken = { ...turn, id: this.newId(), idempotencyKey: this.ports.newKey() };
    this.set({ waiting: [...waiting, taken] });
    if (!isBusy && !isAsking && isFirst) this.next();
    else this.goOn();
  }

  /** Begins the next turn where it is time for it. */
  private goOn(): void {
    const { isBusy, isAsking, waiting } = this.state;
    if (isBusy) return;
    const [first, ...others] = waiting;
    const isTime = this.isNextWanted || (this.ports.isEveryScanAStamp() && !isAsking && first !== undefined);
    if (!isTime) return;
    this.isNextWanted = false;
    this.redeemKey = null;
    const { done, complaint } = this.state;
    this.set({ ...nothingShown, complaint, done, turn: first ?? null, waiting: others });
    if (first !== undefined) void this.alone(() => this.open(first));
  }

  private async open(turn: Turn): Promise<void> {
    const { isEveryScanAStamp, mayStamp } = this.ports;
    const isStamp = () => turn.code !== null && mayStamp && isEveryScanAStamp();
    try {
      const found = await turn.find();
      this.set({ found });
      const stampedAgo = found.state === null ? null : this.lately.secondsSince(this.cards());
      const hasReward = (found.state?.rewardsAvailable ?? 0) > 0;
      this.set({ stampedAgo });
      if (hasReward || stampedAgo !== null) this.ask(isStamp());
      else if (isStamp() && found.state !== null) await this.give(1, turn.idempotencyKey);
    } catch (error) {
      if (turn.code !== null && mayStamp && isForLater(error, isStamp())) {
        const stampedAgo = this.lately.secondsSince(this.cards());
        this.set({ isUnreached: true, stampedAgo });
        if (stampedAgo !== null) this.ask(isStamp());
        else if (isStamp()) await this.give(1, turn.idempotencyKey);
      } else {
        this.refused(error);
      }
    }
  }

  /** Draws attention to what the card that is shown needs, for which the turns behind it wait where they go on by themselves. */
  private ask(doOthersWait: boolean): void {
    if (doOthersWait) this.hold();
    this.ports.signal("asks");
  }

  /** Waits for an answer. Who asked for the next turn before has not seen the question. */
  private hold(): void {
    this.isNextWanted = false;
    this.set({ isAsking: true });
  }

  private async give(count: number, idempotencyKey: string): Promise<void> {
    const { turn, found } = this.state;
    const kept = keptCard(turn, found);
    if (kept === null) return;
    const stamps = counted(count, "stamp");
    const said = `${stamps} taken back`;
    try {
      const after = "code" in kept ? null : await this.orUnanswered(kept.passId, count, idempotencyKey);
      if (after === null || found === null) {
        await this.ports.keep(kept, count, idempotencyKey);
        this.stamped();
        this.set({ isAsking: false });
        this.did(`Kept: +${stamps}`, { keptKey: idempotencyKey, said });
        return;
      }
      const isFull = after.completions > 0;
      this.stamped();
      this.set({ found: { ...found, state: after }, isAsking: false });
      this.did(
        isFull ? "Card full: a reward!" : `+${stamps}`,
        { passId: after.walletPassId, entryId: after.entryId, said },
        isFull ? "asks" : "good",
      );
      if (isFull && this.ports.isEveryScanAStamp()) this.hold();
    } catch (error) {
      this.refused(error);
    }
  }

  /** Resolves to `null` when no answer came, so that the stamps are to be kept. */
  private async orUnanswered(passId: string, count: number, idempotencyKey: string) {
    try {
      return await this.ports.stamp(passId, count, idempotencyKey);
    } catch (error) {
      if (isForLater(error, this.ports.isEveryScanAStamp())) return null;
      throw error;
    }
  }

  private stamped(): void {
    this.lately.note(this.cards());
  }

  /** Each name of the card whose turn it is. */
  private cards(): readonly string[] {
    const { turn, found } = this.state;
    const code = found?.pass.qrCodeValue ?? turn?.code ?? null;
    return [...(found === null ? [] : [found.pass.id]), ...(code === null ? [] : [bareCode(code)])];
  }

  private did(text: string, undo: Done["undo"], signal: "good" | "asks" = "good"): void {
    this.end({ isGood: true, text, undo });
    this.ports.signal(signal);
  }

  private refused(error: unknown): void {
    const isUnknown = error instanceof CallError && error.status === 404 && this.state.found === null;
    const text = isUnknown ? "No card has this code." : messageOf(error);
    this.end({ isGood: false, text, undo: null });
    this.ports.signal("bad");
    const isLeft = this.isNextWanted || this.state.waiting.length > 0;
    if (isLeft) this.set({ complaint: `${this.state.outcome?.name ?? ""}: ${text}` });
  }

  private end(result: Pick<Done, "isGood" | "text" | "undo">): void {
    const { turn, found, done } = this.state;
    const name = found === null ? (turn?.name ?? "") : ownerOf(found);
    const own = { id: this.newId(), cards: this.cards(), undoKey: this.ports.newKey(), isUndoing: false };
    const outcome = { ...own, ...result, name };
    this.set({ outcome, done: [outcome, ...done].slice(0, MOST_DONE) });
  }

  private redo(id: number, change: Partial<Done>): void {
    const changed = (each: Done) => (each.id === id ? { ...each, ...change } : each);
    const { outcome, done } = this.state;
    this.set({ outcome: outcome === null ? null : changed(outcome), done: done.map(changed) });
  }

  /** Does something for the turn that is shown, unless something is under way for it. */
  private async alone(work: () => Promise<void>): Promise<void> {
    if (this.state.isBusy || this.state.turn === null) return;
    this.set({ isBusy: true });
    await work();
    this.set({ isBusy: false });
    this.goOn();
  }

  private newId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  private set(change: Partial<TillState>): void {
    this.state = { ...this.state, ...change };
    this.onChange(this.state);
  }
}

function keptCard(turn: Turn | null, found: FoundCard | null): KeptCard | null {
  if (found !== null) return { passId: found.pass.id };
  return turn === null || turn.code === null ? null : { code: turn.code };
}

const isUnanswered = (error: unknown) => error instanceof CallError && error.status === 0;

/** Returns whether stamps are to be kept after an error, and so not to be refused: unasked ones also for a busy server. */
function isForLater(error: unknown, isUnasked: boolean): boolean {
  if (!isUnasked || !(error instanceof CallError)) return isUnanswered(error);
  return [0, 429].includes(error.status) || error.status >= 500;
}
