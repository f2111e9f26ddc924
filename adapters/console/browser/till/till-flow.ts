import { CallError } from "../api/call-error.js";
import { messageOf } from "../parts/message-of.js";
import { turns as words } from "../words/en/till.js";
import { isForLater, isUnanswered, nullForLater } from "./answer-kind.js";
import type { KeptTurns } from "./kept-turns.js";
import { KEY_MS } from "./key-time.js";
import { LatelyStamped } from "./lately-stamped.js";
import { ShownTill } from "./shown-till.js";
import { takeBack } from "./take-back.js";
import { type Done, type KeptCard, nothingShown, type TillPorts, type TillState } from "./till-state.js";
import { cardName, MOST_WAITING, type Turn } from "./turn.js";

/**
 * The turns at a till, one after the other. A card that comes while another one is looked up or stamped waits until that is
 * answered: what is pressed counts for the card that is shown, and each scan for its own.
 */
export class TillFlow {
  /** True when the next turn was asked for while an answer was awaited. */
  private isNextWanted = false;
  /** True when that was asked for by a press. */
  private isNextPressed = false;
  /** The key of a reward whose answer is still not known. */
  private redeemKey: string | null = null;
  /** Whether the key of the turn that is shown was sent. */
  private isKeyUsed = false;
  private readonly lately: LatelyStamped;
  private readonly shown: ShownTill;

  constructor(private readonly ports: TillPorts) {
    this.lately = new LatelyStamped(ports.now);
    this.shown = new ShownTill(ports, this.lately);
  }

  /** Tells of each state until what it returns is called. There is one who is told at a time. */
  follow(onChange: (state: TillState) => void): () => void {
    return this.shown.follow(onChange);
  }

  /** Takes a card that was scanned. */
  scan(code: string): void {
    this.take({ code, isChosen: false, name: cardName(code) });
  }

  /** Takes a card that was chosen on the screen. It is never stamped unasked. */
  choose(name: string, code: string): void {
    this.take({ code, isChosen: true, name });
  }

  /** Takes the turns that were not done when the page was closed, before those that came since. */
  restore({ turns, stamped }: KeptTurns): void {
    this.lately.know(stamped);
    const isKnown = ({ takenAt }: Turn) => this.ports.now() - takenAt <= KEY_MS;
    const known = turns.filter(isKnown).map((turn) => ({ ...turn, id: this.shown.newId() }));
    const lapsed = turns.length - known.length;
    const { turn, waiting, complaint } = this.shown.state;
    const lost = words.lapsed(lapsed);
    if (turn === null && known.length > 0) this.isNextWanted = true;
    this.shown.set({ waiting: [...known, ...waiting], complaint: lapsed > 0 ? lost : complaint });
    // Also what came before is kept from now on.
    this.shown.keep();
    this.goOn();
  }

  /** Gives stamps to the card of the turn that is shown; nothing while an answer is awaited. */
  async add(turnId: number, count: number): Promise<void> {
    if (!this.shown.isMeant(turnId)) return;
    await this.alone(() =>
      this.give(count, this.isKeyUsed ? null : (this.shown.state.turn?.idempotencyKey ?? null)),
    );
  }

  /** Hands out a reward of the card of the turn that is shown; nothing while an answer is awaited. */
  async redeem(turnId: number): Promise<void> {
    const { found } = this.shown.state;
    if (found === null || !this.shown.isMeant(turnId)) return;
    const { id: passId } = found.pass;
    await this.alone(async () => {
      this.redeemKey ??= this.ports.newKey();
      try {
        const after = await this.ports.redeem(passId, this.redeemKey);
        this.redeemKey = null;
        this.shown.set({ found: { ...found, state: after }, isAsking: false });
        const { entryId } = after;
        this.did(words.redeemed, { passId, entryId, said: words.givenBack });
      } catch (error) {
        if (!isUnanswered(error)) this.redeemKey = null;
        this.refused(error);
      }
    });
  }

  /** Ends the turn that is shown. The one that waits longest is next. */
  next(turnId: number): void {
    if (!this.shown.isMeant(turnId)) return;
    this.isNextPressed = true;
    this.endTurn();
  }

  /** Takes back something that was done. What is sent twice counts once. */
  async undo(id: number): Promise<void> {
    if (await takeBack(id, this.ports, this.shown, this.lately)) this.goOn();
  }

  private take(turn: Pick<Turn, "code" | "isChosen" | "name">): void {
    const { waiting, isBusy, isAsking } = this.shown.state;
    // Those of a page that was closed may be more by one.
    if (waiting.length >= MOST_WAITING) {
      this.ports.signal("bad");
      this.shown.set({
        complaint: words.tooManyWait(MOST_WAITING, turn.name),
      });
      return;
    }
    const isFirst = waiting.length === 0;
    const { newKey, now } = this.ports;
    const taken = { ...turn, id: this.shown.newId(), idempotencyKey: newKey(), takenAt: now() };
    this.shown.set({ waiting: [...waiting, taken] });
    if (!isBusy && !isAsking && isFirst) this.endTurn();
    else this.goOn();
  }

  private endTurn(): void {
    this.isNextWanted = true;
    this.shown.set({ complaint: "" });
    this.goOn();
  }

  /** Begins the next turn where it is time for it. */
  private goOn(): void {
    const { isBusy, isAsking, waiting } = this.shown.state;
    if (isBusy) return;
    const [first, ...others] = waiting;
    const isTime = this.isNextWanted || (this.ports.isEveryScanAStamp() && !isAsking && first !== undefined);
    if (!isTime) return;
    const isPressed = this.isNextPressed;
    this.notNext();
    this.redeemKey = null;
    this.isKeyUsed = false;
    const { done, complaint, isFresh } = this.shown.state;
    this.shown.set({ ...nothingShown, complaint, done, isFresh, turn: first ?? null, waiting: others });
    if (isPressed) this.shown.freshen();
    if (first !== undefined) void this.alone(() => this.open(first));
  }

  private notNext(): void {
    this.isNextWanted = false;
    this.isNextPressed = false;
  }

  private async open(turn: Turn): Promise<void> {
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
      if (mayStamp && isForLater(error, isStamp())) {
        const stampedAgo = secondsBefore();
        this.shown.set({ isUnreached: true, stampedAgo });
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
    this.shown.freshen();
    this.ports.signal("asks");
  }

  /** Waits for an answer. Who asked for the next turn before has not seen the question. */
  private hold(): void {
    this.notNext();
    this.shown.set({ isAsking: true });
  }

  /** @param ownKey that of the turn, while it was not sent. */
  private async give(count: number, ownKey: string | null): Promise<void> {
    const { turn, found } = this.shown.state;
    if (turn === null) return;
    const kept: KeptCard = found === null ? { code: turn.code } : { passId: found.pass.id };
    const idempotencyKey = ownKey ?? this.ports.newKey();
    this.isKeyUsed = true;
    const said = words.takenBack(count);
    try {
      const { stamp, isEveryScanAStamp } = this.ports;
      const after =
        "code" in kept
          ? null
          : await nullForLater(stamp(kept.passId, count, idempotencyKey), isEveryScanAStamp);
      if (after === null || found === null) {
        await this.ports.keep(kept, count, idempotencyKey);
        this.stamped();
        this.shown.set({ isAsking: false });
        this.did(words.kept(count), { keptKey: idempotencyKey, said });
        return;
      }
      const isFull = after.completions > 0;
      this.stamped();
      this.shown.set({ found: { ...found, state: after }, isAsking: false });
      this.did(
        isFull ? words.cardFull : words.stamped(count),
        { passId: after.walletPassId, entryId: after.entryId, said },
        isFull ? "asks" : "good",
      );
      if (isFull && this.ports.isEveryScanAStamp()) this.hold();
    } catch (error) {
      this.refused(error);
    }
  }

  private stamped(): void {
    this.lately.note(this.shown.cards());
  }

  private did(text: string, undo: Done["undo"], signal: "good" | "asks" = "good"): void {
    this.shown.end({ isGood: true, text, undo });
    this.shown.freshen();
    this.ports.signal(signal);
  }

  private refused(error: unknown): void {
    const isUnknown = error instanceof CallError && error.status === 404 && this.shown.state.found === null;
    const text = isUnknown ? words.noSuchCard : messageOf(error);
    this.shown.end({ isGood: false, text, undo: null });
    this.ports.signal("bad");
    const isLeft = this.isNextWanted || this.shown.state.waiting.length > 0;
    if (isLeft) this.shown.set({ complaint: `${this.shown.state.outcome?.name ?? ""}: ${text}` });
  }

  /** Does something for the turn that is shown, unless something is under way for it. */
  private async alone(work: () => Promise<void>): Promise<void> {
    if (this.shown.state.isBusy || this.shown.state.turn === null) return;
    this.shown.set({ isBusy: true });
    await work();
    this.shown.set({ isBusy: false });
    this.goOn();
  }
}
