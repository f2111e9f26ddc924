import { CallError } from "../api/call-error.js";
import { getErrorMessage } from "../components/error-message.js";
import { moneyText } from "../words/en/forms.js";
import { turns as words } from "../words/en/till.js";
import { countMinorDigits, parseAmount, typeAmountKey } from "./amount.js";
import { awaitUnlessQueued, hasNoResponse, shouldQueue } from "./call-failure.js";
import { createOffer, describeBooking, type PurchaseOffer } from "./earning-card.js";
import { MAX_QUEUED, type QueuedCard, shortCardName } from "./queued-card.js";
import { RecentStamps } from "./recent-stamps.js";
import { IDEMPOTENCY_WINDOW_MS, isPurchase, type PendingScan } from "./scan-store.js";
import { formatOwner, type TillCard } from "./till-card.js";
import type { CardReference, TillPurchase } from "./till-purchase.js";
import type { TillSnapshot } from "./till-snapshot.js";
import { type DoneAction, emptyTillState, type TillPorts, type TillState } from "./till-state.js";
import { TillView } from "./till-view.js";
import { undoAction } from "./undo-action.js";

/**
 * Handles the cards at a till one at a time. If a card arrives while another card is being looked up or stamped, the new card waits
 * until that operation has finished. This ensures that a button press applies to the card on the screen and that a scan applies to
 * the scanned card.
 */
export class TillFlow {
  /** True if the next card was requested while a call was in progress. */
  private isNextRequested = false;
  /** True if the next card was requested by a press. */
  private isNextPressed = false;
  /** Idempotency key of a redemption whose outcome is not known yet. */
  private redeemKey: string | null = null;
  /** Whether the current card's idempotency key has been sent. */
  private isKeyUsed = false;
  /** Whether a purchase has been booked with the current card's receipt number. */
  private isReceiptUsed = false;
  private readonly recentStamps: RecentStamps;
  private readonly view: TillView;

  constructor(private readonly ports: TillPorts) {
    this.recentStamps = new RecentStamps(ports.now);
    this.view = new TillView(ports, this.recentStamps);
  }

  /**
   * Calls `onChange` immediately with the current state, and then with each new state until the returned function is called.
   * Supports only one listener at a time.
   */
  subscribe(onChange: (state: TillState) => void): () => void {
    return this.view.subscribe(onChange);
  }

  /** The digits of the current card's amount typed so far. */
  get amountText(): string {
    return this.view.state.amountText;
  }

  /** Accepts a scanned card, and either handles it immediately or queues it behind the current card. */
  scan(code: string): void {
    this.enqueue({ code, isChosen: false, name: shortCardName(code) });
  }

  /** Accepts a card that the user chose on the screen. Such a card is never stamped automatically. */
  choose(name: string, code: string): void {
    this.enqueue({ code, isChosen: true, name });
  }

  /** Requeues the cards that were unfinished when the page was closed, ahead of cards that have arrived since. */
  restore({ turns, stamped }: TillSnapshot): void {
    this.recentStamps.restore(stamped);
    const isRestorable = ({ takenAt }: QueuedCard) => this.ports.now() - takenAt <= IDEMPOTENCY_WINDOW_MS;
    const restorable = turns.filter(isRestorable).map((card) => ({ ...card, id: this.view.createId() }));
    const lapsedCount = turns.length - restorable.length;
    const { currentCard, waiting, errorText } = this.view.state;
    const lapsedText = words.lapsed(lapsedCount);
    if (currentCard === null && restorable.length > 0) this.isNextRequested = true;
    this.view.set({
      waiting: [...restorable, ...waiting],
      errorText: lapsedCount > 0 ? lapsedText : errorText,
    });
    // Store the current cards too, because nothing could be stored before the snapshot was opened.
    this.view.save();
    this.startNext();
  }

  /**
   * Adds stamps to the current card. Has no effect while another call is in progress, or if `cardId` isn't the current card's ID.
   */
  async add(cardId: number, count: number): Promise<void> {
    if (!this.view.canPress(cardId)) return;
    await this.runExclusive(() =>
      this.addStamps(count, this.isKeyUsed ? null : (this.view.state.currentCard?.idempotencyKey ?? null)),
    );
  }

  /**
   * Redeems a reward on the current card. Has no effect while another call is in progress, or if `cardId` isn't the current card's
   * ID.
   */
  async redeem(cardId: number): Promise<void> {
    const { tillCard } = this.view.state;
    if (tillCard === null || !this.view.canPress(cardId)) return;
    const { id: passId } = tillCard.pass;
    await this.runExclusive(async () => {
      this.redeemKey ??= this.ports.createKey();
      try {
        const receipt = await this.ports.redeem(passId, this.redeemKey);
        this.redeemKey = null;
        this.view.set({ tillCard: { ...tillCard, state: receipt }, isAsking: false });
        const { entryId } = receipt;
        this.showDone({
          text: words.redeemed,
          counts: { rewards: 1 },
          undo: { passId, entryId, message: words.givenBack },
        });
      } catch (error) {
        if (!hasNoResponse(error)) this.redeemKey = null;
        this.showError(error);
      }
    });
  }

  /** Changes the amount of the current card's purchase by one key, such as a digit or `Backspace`. */
  typeAmount(key: string): void {
    const { offer, isPadOpen, amountText } = this.view.state;
    if (offer === null || !isPadOpen) return;
    this.setAmount(typeAmountKey(amountText, key, countMinorDigits(offer.currency)));
  }

  /** Replaces the digits of the current card's amount. */
  setAmount(amountText: string): void {
    this.view.set({ amountText });
  }

  /** Asks for the amount of another purchase of the current card's customer. */
  openPad(cardId: number): void {
    const { offer, isBusy } = this.view.state;
    if (offer === null || isBusy || !this.view.canPress(cardId)) return;
    this.view.set({ isPadOpen: true, amountText: "", outcome: null });
    if (this.ports.isEveryScanAStamp()) this.waitForDecision();
  }

  /** Leaves the amount out, and goes on as with a card that doesn't earn from purchases. */
  async skipAmount(cardId: number): Promise<void> {
    const { currentCard, isPadOpen, isBusy, outcome } = this.view.state;
    if (currentCard === null || !isPadOpen || isBusy || !this.view.canPress(cardId)) return;
    this.view.set({ isPadOpen: false, amountText: "" });
    if (outcome !== null || this.hasQuestion()) return;
    this.view.set({ isAsking: false });
    await this.runExclusive(async () => {
      if (this.view.needsAutomaticStamp(currentCard) && this.isStampable())
        await this.addStamps(1, this.isKeyUsed ? null : currentCard.idempotencyKey);
    });
  }

  /**
   * Books the typed amount for the current card's customer. Has no effect without an amount, or while another call is in progress.
   */
  async book(cardId: number): Promise<void> {
    const { currentCard, tillCard, offer, isPadOpen, amountText } = this.view.state;
    if (currentCard === null || offer === null || !isPadOpen || !this.view.canPress(cardId)) return;
    const { currency } = offer;
    const amount = parseAmount(amountText, countMinorDigits(currency));
    if (amount === 0) return;
    const { source, createReceipt, now } = this.ports;
    const receipt = this.isReceiptUsed ? createReceipt() : currentCard.receipt;
    const card = getReference(currentCard, tillCard);
    await this.runExclusive(() =>
      this.bookPurchase(offer, { source, receipt, card, currency, amount, at: now() }),
    );
  }

  /** Finishes the current card and continues with the card that has waited longest. */
  next(cardId: number): void {
    if (!this.view.canPress(cardId)) return;
    this.isNextPressed = true;
    this.finishCard();
  }

  /** Undoes the action with the given ID. Does nothing if the action has already been undone. */
  async undo(id: number): Promise<void> {
    if (await undoAction(id, this.ports, this.view, this.recentStamps)) this.startNext();
  }

  /**
   * Shows which saved actions have been sent. Then there is a connection, so the current card is looked up again.
   * @param scans the scans that are still on this device.
   */
  async noteScans(scans: readonly PendingScan[]): Promise<void> {
    const refusals = new Map(
      scans.map((scan) => [isPurchase(scan) ? scan.purchase.receipt : scan.idempotencyKey, scan.refusal]),
    );
    const listQueued = () =>
      this.view.state.recentActions.flatMap(({ id, queued, undo, isUndoing }) =>
        queued === null || isUndoing ? [] : [{ id, queued, undo }],
      );
    // A refused scan leaves this device when it is dismissed, not when it is sent.
    for (const { id, queued } of listQueued())
      if ((refusals.get(queued.key) ?? null) !== null) this.view.updateAction(id, { queued: null });
    const sentIds = new Set(listQueued().flatMap(({ id, queued }) => (refusals.has(queued.key) ? [] : id)));
    if (sentIds.size === 0) return;
    // Until the card is up to date, its stamps on the screen include the saved ones.
    if (!this.view.state.isPadOpen) await this.runExclusive(() => this.refreshCard());
    for (const { id, queued, undo } of listQueued()) {
      if (!sentIds.has(id)) continue;
      const isUndoable = undo !== null && "purchase" in undo;
      this.view.updateAction(id, { text: queued.sentText, queued: null, undo: isUndoable ? undo : null });
    }
  }

  /** Looks up the current card again, which may not have been found before. */
  private async refreshCard(): Promise<void> {
    const refreshedCard = await this.view.refreshCard();
    if (refreshedCard === null) return;
    if (this.ports.mayBook)
      this.view.set({ offer: createOffer(refreshedCard.earningCards, refreshedCard.pass.templateId) });
    const cardIds = this.view.listCardIds();
    for (const { id, cards } of this.view.state.recentActions)
      if (cards.some((card) => cardIds.includes(card)))
        this.view.updateAction(id, { name: formatOwner(refreshedCard) });
    this.view.ignoreNextPress();
  }

  private enqueue(card: Pick<QueuedCard, "code" | "isChosen" | "name">): void {
    const { waiting, isBusy, isAsking } = this.view.state;
    // There may be one card more than the limit after restoring the queue of a closed page.
    if (waiting.length >= MAX_QUEUED) {
      this.ports.signal("bad");
      this.view.set({
        errorText: words.tooManyWait(MAX_QUEUED, card.name),
      });
      return;
    }
    const isFirst = waiting.length === 0;
    const { createKey, createReceipt, now } = this.ports;
    const queuedCard = {
      ...card,
      id: this.view.createId(),
      idempotencyKey: createKey(),
      receipt: createReceipt(),
      takenAt: now(),
    };
    this.view.set({ waiting: [...waiting, queuedCard] });
    if (!isBusy && !isAsking && isFirst) this.finishCard();
    else this.startNext();
  }

  private finishCard(): void {
    this.isNextRequested = true;
    this.view.set({ errorText: "" });
    this.startNext();
  }

  /** Starts the next card, if it is due. */
  private startNext(): void {
    const { isBusy, isAsking, waiting } = this.view.state;
    if (isBusy) return;
    const [first, ...others] = waiting;
    const shouldStart =
      this.isNextRequested || (this.ports.isEveryScanAStamp() && !isAsking && first !== undefined);
    if (!shouldStart) return;
    const isPressed = this.isNextPressed;
    this.cancelNext();
    this.redeemKey = null;
    this.isKeyUsed = false;
    this.isReceiptUsed = false;
    const { recentActions, errorText, isPressIgnored } = this.view.state;
    this.view.set({
      ...emptyTillState,
      errorText,
      recentActions,
      isPressIgnored,
      currentCard: first ?? null,
      waiting: others,
    });
    if (isPressed) this.view.ignoreNextPress();
    if (first !== undefined) void this.runExclusive(() => this.openCard(first));
  }

  private cancelNext(): void {
    this.isNextRequested = false;
    this.isNextPressed = false;
  }

  private async openCard(card: QueuedCard): Promise<void> {
    const { findCard, mayStamp, mayBook, readStoredPrograms } = this.ports;
    const isAutomaticStamp = () => this.view.needsAutomaticStamp(card);
    const getSecondsSinceStamp = () =>
      this.recentStamps.getSecondsSinceStamp(card.takenAt, this.view.listCardIds());
    try {
      const cardWithOwner = await findCard(card.code);
      this.view.set({ tillCard: cardWithOwner });
      const secondsSinceStamp = cardWithOwner.state === null ? null : getSecondsSinceStamp();
      const hasReward = (cardWithOwner.state?.rewardsAvailable ?? 0) > 0;
      this.view.set({ secondsSinceStamp });
      this.makeOffer(createOffer(cardWithOwner.earningCards, cardWithOwner.pass.templateId));
      if (hasReward || secondsSinceStamp !== null) this.raiseQuestion(isAutomaticStamp());
      else if (this.mustAskAmount(card)) this.raiseQuestion(true);
      else if (isAutomaticStamp() && cardWithOwner.state !== null)
        await this.addStamps(1, card.idempotencyKey);
    } catch (error) {
      if ((mayStamp || mayBook) && shouldQueue(error, isAutomaticStamp())) {
        const secondsSinceStamp = getSecondsSinceStamp();
        this.view.set({ isUnreachable: true, secondsSinceStamp });
        this.makeOffer(createOffer(readStoredPrograms(), null));
        if (secondsSinceStamp !== null) this.raiseQuestion(isAutomaticStamp());
        else if (this.mustAskAmount(card)) this.raiseQuestion(true);
        else if (isAutomaticStamp()) await this.addStamps(1, card.idempotencyKey);
      } else {
        this.showError(error);
      }
    }
  }

  /** Asks for a purchase's amount if the customer's cards earn from purchases. */
  private makeOffer(offer: PurchaseOffer | null): void {
    if (offer !== null && this.ports.mayBook) this.view.set({ offer, isPadOpen: true });
  }

  /** Returns whether the automatic stamp must wait for an amount, because the card's stamps come from purchases. */
  private mustAskAmount(card: QueuedCard): boolean {
    const { offer } = this.view.state;
    return offer?.isOwnCard === true && this.view.isAutomatic(card);
  }

  private hasQuestion(): boolean {
    const { tillCard, secondsSinceStamp } = this.view.state;
    return secondsSinceStamp !== null || (tillCard?.state?.rewardsAvailable ?? 0) > 0;
  }

  private isStampable(): boolean {
    const { tillCard, isUnreachable } = this.view.state;
    return isUnreachable || (tillCard?.state ?? null) !== null;
  }

  /** Books a purchase and shows what it gives. */
  private async bookPurchase(offer: PurchaseOffer, purchase: TillPurchase): Promise<void> {
    const { tillCard } = this.view.state;
    const money = moneyText(purchase.amount, purchase.currency);
    const undo = { purchase, message: words.purchaseUndone(money) };
    this.isReceiptUsed = true;
    try {
      const effects = await this.ports.book(purchase, tillCard !== null);
      const after = effects === null ? null : await this.view.refreshCard();
      const isFull = (after?.state?.rewardsAvailable ?? 0) > (tillCard?.state?.rewardsAvailable ?? 0);
      const text =
        effects === null ? words.purchaseSaved(money) : describeBooking(offer, effects, after?.pass ?? null);
      this.view.set({ isPadOpen: false, amountText: "", isAsking: false });
      this.showDone(
        {
          text: isFull ? `${text}. ${words.cardFull}` : text,
          counts: { purchases: 1 },
          undo,
          queued: effects === null ? { key: purchase.receipt, sentText: words.sent(money) } : null,
        },
        isFull ? "asks" : "good",
      );
      if (isFull && this.ports.isEveryScanAStamp()) this.waitForDecision();
    } catch (error) {
      // The purchase wasn't recorded, so its number is still free.
      this.isReceiptUsed = false;
      this.showError(error);
    }
  }

  /**
   * Draws attention to a question about the current card.
   * @param mustOthersWait whether the waiting cards must wait for the user's decision.
   */
  private raiseQuestion(mustOthersWait: boolean): void {
    if (mustOthersWait) this.waitForDecision();
    this.view.ignoreNextPress();
    this.ports.signal("asks");
  }

  /** Waits for the user's decision. Cancels an earlier request for the next card, because the user hadn't seen the question yet. */
  private waitForDecision(): void {
    this.cancelNext();
    this.view.set({ isAsking: true });
  }

  /**
   * Adds stamps to the current card, or queues them if the server can't be reached.
   * @param ownKey the card's idempotency key, or `null` if it has already been sent.
   */
  private async addStamps(count: number, ownKey: string | null): Promise<void> {
    const { currentCard, tillCard } = this.view.state;
    if (currentCard === null) return;
    const card = getReference(currentCard, tillCard);
    const idempotencyKey = ownKey ?? this.ports.createKey();
    this.isKeyUsed = true;
    this.view.set({ isPadOpen: false });
    const undoneText = words.takenBack(count);
    try {
      const { stamp, isEveryScanAStamp } = this.ports;
      const receipt =
        "code" in card
          ? null
          : await awaitUnlessQueued(stamp(card.passId, count, idempotencyKey), isEveryScanAStamp);
      if (receipt === null || tillCard === null) {
        await this.ports.queueStamps(card, count, idempotencyKey);
        this.recordStamp();
        this.view.set({ isAsking: false });
        this.showDone({
          text: words.kept(count),
          counts: { stamps: count },
          undo: { queuedKey: idempotencyKey, message: undoneText },
          queued: { key: idempotencyKey, sentText: words.sent(words.stamped(count)) },
        });
        return;
      }
      const isFull = receipt.completions > 0;
      this.recordStamp();
      this.view.set({ tillCard: { ...tillCard, state: receipt }, isAsking: false });
      this.showDone(
        {
          text: isFull ? words.cardFull : words.stamped(count),
          counts: { stamps: count },
          undo: { passId: receipt.walletPassId, entryId: receipt.entryId, message: undoneText },
        },
        isFull ? "asks" : "good",
      );
      if (isFull && this.ports.isEveryScanAStamp()) this.waitForDecision();
    } catch (error) {
      this.showError(error);
    }
  }

  private recordStamp(): void {
    this.recentStamps.record(this.view.listCardIds());
  }

  private showDone(
    {
      queued = null,
      ...done
    }: Pick<DoneAction, "text" | "counts" | "undo"> & Partial<Pick<DoneAction, "queued">>,
    signal: "good" | "asks" = "good",
  ): void {
    this.view.showOutcome({ isGood: true, ...done, queued });
    this.view.ignoreNextPress();
    this.ports.signal(signal);
  }

  private showError(error: unknown): void {
    const isUnknown = error instanceof CallError && error.status === 404 && this.view.state.tillCard === null;
    const text = isUnknown ? words.noSuchCard : getErrorMessage(error);
    this.view.showOutcome({ isGood: false, text, counts: {}, undo: null, queued: null }, !isUnknown);
    this.ports.signal("bad");
    const hasNextCard = this.isNextRequested || this.view.state.waiting.length > 0;
    if (hasNextCard) this.view.set({ errorText: `${this.view.state.outcome?.name ?? ""}: ${text}` });
  }

  /** Runs a task for the current card, unless another task is already running. */
  private async runExclusive(task: () => Promise<void>): Promise<void> {
    if (this.view.state.isBusy || this.view.state.currentCard === null) return;
    this.view.set({ isBusy: true });
    await task();
    this.view.set({ isBusy: false });
    this.startNext();
  }
}

function getReference({ code }: QueuedCard, tillCard: TillCard | null): CardReference {
  return tillCard === null ? { code } : { passId: tillCard.pass.id };
}
