import assert from "node:assert/strict";
import {
  type CreateTemplate,
  isLoyaltyError,
  type LoyaltyService,
  type StorageAdapter,
  type UpdateTemplate,
} from "loyalty-kit";
import type { OrganizationCalls } from "loyalty-kit/client";
import { expect } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { dayIn, startOfDay } from "../../src/base/values/calendar-days.js";
import { dateOf } from "../../src/base/values/clock.js";
import { createHttpClient } from "../client/over-http.js";
import type { ManualClock } from "../kit/manual-clock.js";
import type { RecordedEvent } from "../statistics/recount.js";
import { recountPoints } from "../statistics/recount-points.js";
import type { CardCall, EngineStep, Naming, Opening, PurchaseCall, ShopCall, Wait } from "./engine-calls.js";
import {
  addPoints,
  addStamps,
  type Card,
  changeProgram,
  confirmPurchase,
  eraseCustomer,
  findCard,
  issueCard,
  listVisits,
  type Outcome,
  type Program,
  type Purchase,
  type PurchaseInput,
  putPurchase,
  type ReturnRequest,
  readPoints,
  redeemReward,
  removePoints,
  removeStamps,
  returnLines,
  reverseEntry,
  revokeCard,
  type Shop,
  spendPoints,
} from "./model.js";
import { emptyPointCard, expireLots, type PointCard, type PointEntry } from "./point-card.js";
import { RefusedError } from "./refuse.js";
import { addStampCard, createShop } from "./some-shop.js";
import { createStampCard, type StampCard } from "./stamp-card.js";

/** The calls that histories make, in the library or in a client. */
export type EngineDoor = Pick<
  OrganizationCalls,
  "users" | "templates" | "passes" | "stamps" | "points" | "purchases" | "settings" | "statistics" | "events"
>;

export type DoorName = "library" | "client";

/** A service with its storage and clock. Histories share it, and each has an organization of its own. */
export interface Engine {
  readonly loyalty: LoyaltyService;
  readonly storage: StorageAdapter;
  readonly clock: ManualClock;
}

type PurchaseResult = Awaited<ReturnType<EngineDoor["purchases"]["put"]>>;
type WirePurchase = Awaited<ReturnType<EngineDoor["purchases"]["get"]>>;
type WirePointCard = Awaited<ReturnType<EngineDoor["points"]["state"]>>;
type WirePointEntry = Awaited<ReturnType<EngineDoor["points"]["history"]>>["content"][number];
type PutPurchase = Parameters<EngineDoor["purchases"]["put"]>[2];
type ReturnPurchase = Parameters<EngineDoor["purchases"]["addReturn"]>[2];

/** A purchase or a return as it was sent, which may be delivered again later. */
type SentCall =
  | { readonly put: PurchaseInput; readonly naming: Naming }
  | { readonly returned: ReturnRequest; readonly key: string };

interface Pass {
  readonly id: string;
  readonly qrCodeValue: string;
}

interface Key {
  readonly idempotencyKey?: string;
}

const source = "till";

/** Number of steps after which the ledgers and all purchases are compared. The cards are compared after each step. */
const compareAllAfter = 20;

/** The service's validation errors, by their codes in the model. Other codes are the same in both. */
const inputErrors: Readonly<Record<string, string>> = {
  revision_required: "validation_failed revision",
  returned_line_missing: "validation_failed lines",
  at_in_future: "validation_failed at",
  paid_above_total: "validation_failed paidWithPoints",
  unknown_line: "validation_failed lines",
};

/** A shop in the model and the same shop in the service, which must agree. */
export class EngineTrial {
  private readonly users = new Map<string, string>();
  private readonly templates = new Map<string, string>();
  private readonly passes = new Map<string, Pass>();
  private readonly lastStampAt = new Map<string, number>();
  private readonly sent: SentCall[] = [];
  private readonly events: RecordedEvent[] = [];
  private eventCursor = "0";
  private steps = 0;
  private maxStamps = 1;

  private constructor(
    private readonly engine: Engine,
    private readonly organizationId: string,
    private readonly door: EngineDoor,
    private readonly doorName: DoorName,
    private shop: Shop,
  ) {}

  /** Opens the shop with its cards, in the model and in the service. */
  static async open(
    engine: Engine,
    organizationId: string,
    doorName: DoorName,
    { timeZone, start, program, stampEarning, maxStamps }: Opening,
  ): Promise<EngineTrial> {
    const { loyalty, clock } = engine;
    clock.now = start;
    const door =
      doorName === "library"
        ? loyalty.organization(organizationId)
        : createHttpClient(loyalty, organizationId);
    const { programs, ...rest } = addStampCard(createShop(program), maxStamps, stampEarning);
    const extra: Program = { earning: null, points: null };
    const shop = { ...rest, timeZone, programs: { ...programs, extra } };
    const trial = new EngineTrial(engine, organizationId, door, doorName, shop);
    await door.settings.update({ timeZone });
    for (const [name, fields] of Object.entries(shop.programs)) {
      const type = name === "stamps" ? { type: "STAMP_CARD", maxStamps } : { type: "LOYALTY_CARD" };
      const { id } = await door.templates.create(toWire<CreateTemplate>({ name, ...type, ...fields }));
      trial.templates.set(name, id);
    }
    for (const customer of ["ann", "bob"]) {
      const { id } = await door.users.create({ email: `${customer}@example.com` });
      trial.users.set(customer, id);
    }
    for (const card of shop.cards) await trial.issuePass(card);
    return trial;
  }

  /** Makes a call in the model and in the service, and compares the results and the cards. */
  async step(generated: EngineStep): Promise<void> {
    // Generated objects have no prototype, and the model would take that for different content.
    const step = toWire<EngineStep>(generated);
    this.engine.clock.now = this.findTime(step.wait);
    this.steps += 1;
    await this.call(step);
    await this.readNewEvents();
    await this.compareCards();
    if (this.steps % compareAllAfter === 0) await this.compareAll();
  }

  /** Reads new events before the service removes them. */
  private async readNewEvents(): Promise<void> {
    const { content, next } = await this.door.events.list({ after: this.eventCursor, limit: 1_000 });
    this.events.push(...content);
    this.eventCursor = next;
  }

  /** Compares all ledgers and purchases, and the statistics of each day. */
  async compareAll(): Promise<void> {
    for (const card of this.shop.cards) await this.compareLedger(card);
    for (const purchase of this.shop.purchases) {
      const stored = await this.door.purchases.get(source, purchase.key);
      expect(toComparable(stored), `the purchase ${purchase.key}`).toEqual(this.expectPurchase(purchase));
    }
    await this.compareList();
    await this.compareDays();
  }

  private findTime(wait: Wait): number {
    const { now } = this.engine.clock;
    if (typeof wait === "number") return now + wait;
    const { timeZone } = this.shop;
    const midnight = startOfDay(timeZone, dayIn(timeZone, now) + 1);
    return wait === "midnight" ? midnight : Math.max(now, midnight - 1);
  }

  private async call(step: EngineStep): Promise<void> {
    const { call } = step;
    if ("again" in call) {
      const sent = this.sent.at(-1 - (call.again % Math.max(1, this.sent.length)));
      if (sent !== undefined) await this.callSent(step, sent);
    } else if ("put" in call || "returned" in call) {
      const sent = "put" in call ? this.withTime(call) : { ...call, key: this.findReceipt(call.receipt) };
      this.sent.push(sent);
      await this.callSent(step, sent);
    } else if ("confirm" in call) {
      const receipt = this.findReceipt(call.confirm);
      await this.callPurchase(
        step,
        (now) => confirmPurchase(this.shop, receipt, now),
        (key) => this.door.purchases.confirm(source, receipt, key),
      );
    } else if ("card" in call) await this.callCard(step, call);
    else await this.callShop(call);
  }

  /** Returns the receipt of a recorded purchase. `nth` wraps around. */
  private findReceipt(nth: number): string {
    const { purchases } = this.shop;
    return purchases[nth % Math.max(1, purchases.length)]?.key ?? "none";
  }

  private withTime({ put, agoMs, naming }: Extract<PurchaseCall, { readonly put: PurchaseInput }>): SentCall {
    return { naming, put: agoMs === null ? put : { ...put, at: this.engine.clock.now - agoMs } };
  }

  private async callSent(step: EngineStep, sent: SentCall): Promise<void> {
    if ("returned" in sent) {
      const { key: receipt, returned } = sent;
      await this.callPurchase(
        step,
        (now) => returnLines(this.shop, receipt, returned, now),
        (key) =>
          this.door.purchases.addReturn(source, receipt, toWire<ReturnPurchase>({ ...returned, ...key })),
      );
      return;
    }
    const { put, naming } = sent;
    // Over HTTP, only a POST has an idempotency key.
    const isKeyed = step.isKeyed && this.doorName === "library";
    await this.callPurchase(
      { ...step, isKeyed },
      (now) => putPurchase(this.shop, put, now),
      (key) => this.door.purchases.put(source, put.key, this.toPut(put, naming, key)),
    );
  }

  private callPurchase(
    step: EngineStep,
    callModel: (now: number) => Outcome,
    callEngine: (key: Key) => Promise<PurchaseResult>,
  ): Promise<void> {
    return this.deliver(step, callModel, callEngine, (outcome, receipt) => {
      this.shop = outcome.shop;
      this.compareReceipt(outcome, receipt);
    });
  }

  private async callCard(step: EngineStep, generated: CardCall): Promise<void> {
    const isOfStamps = "redeem" in generated || "addStamps" in generated || "takeStamps" in generated;
    const unit = isOfStamps ? "stamps" : "points";
    const cards = this.shop.cards.filter(({ state }) => state.unit === unit);
    const card = cards[generated.card % Math.max(1, cards.length)];
    if (card === undefined) return;
    const call = this.fitToCard(generated, card);
    const { id } = this.passOf(card);
    const entryId = "reverse" in call ? await this.findEntryId(card, call.reverse) : "";
    const { points, stamps } = this.door;
    await this.deliver(
      step,
      (now) => callCardModel(this.shop, card.id, call, now),
      async (key): Promise<unknown> => {
        if ("add" in call) {
          const { add, expiresInDays: days } = call;
          const expiresAt = typeof days === "number" ? this.inDays(days) : days;
          return points.add(id, { points: add, ...(expiresAt !== undefined && { expiresAt }), ...key });
        }
        if ("remove" in call)
          return points.remove(id, { points: call.remove, allowsDebt: call.allowsDebt, ...key });
        if ("spend" in call) return points.spend(id, { points: call.spend, ...key });
        if ("reverse" in call) return points.reverse(id, { entryId, ...key });
        if ("addStamps" in call) return stamps.add(id, { count: call.addStamps, ...key });
        if ("takeStamps" in call) return stamps.remove(id, { count: call.takeStamps, ...key });
        return stamps.redeem(id, key);
      },
      (shop) => {
        this.shop = shop;
      },
    );
  }

  /** Reduces the numbers of a call to what the card has, or one more. */
  private fitToCard(call: CardCall, card: Card): CardCall {
    const { entries } = card.state;
    if ("reverse" in call) return { ...call, reverse: 1 + (call.reverse % Math.max(1, entries.length)) };
    if (!("spend" in call)) return call;
    const { value: points } = tryModel(() => readPoints(this.shop, card.id, this.engine.clock.now));
    return { ...call, spend: 1 + (call.spend % ((points?.available ?? 0) + 1)) };
  }

  private inDays(days: number): string {
    return new Date(this.engine.clock.now + days * dayMs).toISOString();
  }

  private async callShop(call: ShopCall): Promise<void> {
    const { shop, door } = this;
    if ("program" in call) {
      this.shop = changeProgram(shop, call.templateId, call.program);
      await door.templates.update(this.templateOf(call.templateId), toWire<UpdateTemplate>(call.program));
    } else if ("issue" in call) {
      if (shop.erased.includes(call.issue)) return;
      const { templateId, issue: customer } = call;
      const state = templateId === "stamps" ? createStampCard(this.maxStamps) : emptyPointCard;
      const card = { id: `card ${this.steps}`, customer, templateId, state };
      this.shop = issueCard(shop, card);
      await this.issuePass(card);
    } else if ("revoke" in call) {
      const card = shop.cards[call.revoke % Math.max(1, shop.cards.length)];
      if (card === undefined) return;
      this.shop = revokeCard(shop, card.id);
      await door.passes.delete(this.passOf(card).id);
    } else if ("erase" in call) {
      if (shop.erased.includes(call.erase)) return;
      this.shop = eraseCustomer(shop, call.erase);
      await door.users[call.isDeleted ? "delete" : "erase"](this.userOf(call.erase));
    } else await this.engine.loyalty.refreshSegments();
  }

  /**
   * Delivers a call once or more. With an idempotency key it takes effect once, and each delivery has the same result.
   */
  private async deliver<Modelled, Answer>(
    { deliveries, isKeyed }: EngineStep,
    callModel: (now: number) => Modelled,
    callEngine: (key: Key) => Promise<Answer>,
    compare: (modelled: Modelled, answer: Answer) => void,
  ): Promise<void> {
    const key = isKeyed ? { idempotencyKey: `call ${this.steps}` } : {};
    const { now } = this.engine.clock;
    let expected = tryModel(() => callModel(now));
    for (let delivery = 1; delivery <= deliveries; delivery += 1) {
      if (delivery > 1 && !isKeyed) expected = tryModel(() => callModel(now));
      const answer = await tryEngine(() => callEngine(key));
      expect(answer.refused, "the refusal").toBe(expected.refused);
      if (answer.refused === null && expected.refused === null) compare(expected.value, answer.value);
    }
  }

  private async issuePass(card: Card): Promise<void> {
    const userId = this.userOf(card.customer);
    const pass = await this.door.passes.create(this.templateOf(card.templateId), { userId });
    this.passes.set(card.id, pass);
    if (card.state.unit === "stamps") this.maxStamps = card.state.maxStamps;
  }

  /** Returns a purchase as the host puts it. A customer without a card is identified by ID. */
  private toPut({ key: _, customer = null, at, ...rest }: PurchaseInput, naming: Naming, key: Key) {
    const time = at === undefined ? {} : { at: new Date(at).toISOString() };
    return toWire<PutPurchase>({ ...rest, ...time, ...key, ...this.nameCustomer(customer, naming) });
  }

  private nameCustomer(customer: string | null, naming: Naming) {
    if (customer === null) return {};
    const card = this.shop.cards.findLast((one) => one.customer === customer);
    if (naming === "userId" || card === undefined) return { userId: this.userOf(customer) };
    const { id, qrCodeValue } = this.passOf(card);
    return naming === "walletPassId" ? { walletPassId: id } : { qrCodeValue };
  }

  /** Returns the ID of an entry by its number, or an ID that no entry has. */
  private async findEntryId(card: Card, sequence: number): Promise<string> {
    const { id } = this.passOf(card);
    const page = await tryEngine(() => this.door.points.history(id, { size: 200 }));
    const entries = page.refused === null ? page.value.content.toReversed() : [];
    return entries[sequence - 1]?.id ?? "none";
  }

  private async compareCards(): Promise<void> {
    const { now } = this.engine.clock;
    const pointCards: WirePointCard[] = [];
    for (const card of this.shop.cards) {
      const { id } = this.passOf(card);
      if (card.state.unit === "stamps") await this.compareStampCard(card, card.state);
      else {
        const read = await tryEngine(() => this.door.points.state(id));
        const expected = tryModel(() => expectPointCard(this.shop, card.id, now));
        expect(read.refused).toBe(expected.refused);
        if (read.refused === null && expected.refused === null)
          expect(read.value, `the card ${card.id}`).toMatchObject(expected.value);
        if (read.value !== null) pointCards.push(read.value);
      }
    }
    await this.compareOutstanding(pointCards);
  }

  /**
   * Compares the outstanding points with the sum of all cards, and the points that expire each month with the model.
   */
  private async compareOutstanding(pointCards: readonly WirePointCard[]): Promise<void> {
    const { templates, ...total } = await this.door.statistics.points();
    const sums = [{ templateId: null, ...total }, ...templates];
    for (const { templateId, available, pending, held, debt, months } of sums) {
      const cards = pointCards.filter((card) => templateId === null || card.templateId === templateId);
      const name = `outstanding points of ${templateId ?? "all cards"}`;
      expect({ available, pending, held, debt }, name).toEqual({
        available: sum(cards.map((card) => card.available)),
        pending: sum(cards.map((card) => card.pending)),
        held: sum(cards.map((card) => card.held)),
        debt: sum(cards.map((card) => card.debt)),
      });
      expect(months, name).toEqual(this.expectMonths(templateId));
    }
    const idle = pointCards.filter(({ templateId }) =>
      templates.every((one) => one.templateId !== templateId),
    );
    expect(sum(idle.map(({ available, pending, debt }) => available + pending + debt))).toBe(0);
  }

  private expectMonths(templateId: string | null) {
    const { timeZone, cards } = this.shop;
    const months = new Map<string | null, number>();
    for (const { state, templateId: name } of cards) {
      if (state.unit !== "points" || (templateId !== null && this.templateOf(name) !== templateId)) continue;
      for (const { left, expiresAt, graceUntil } of expireLots(state, this.engine.clock.now).lots) {
        const end = graceUntil ?? expiresAt;
        const month = end === null ? null : dateOf(dayIn(timeZone, end - 1)).slice(0, "2027-03".length);
        if (left > 0) months.set(month, (months.get(month) ?? 0) + left);
      }
    }
    return [...months]
      .map(([month, points]) => ({ month, points }))
      .sort((a, b) => ((a.month ?? "never") < (b.month ?? "never") ? -1 : 1));
  }

  /** Compares the points in each day's statistics with a recount of all events. */
  private async compareDays(): Promise<void> {
    const { timeZone } = this.shop;
    const days = new Map<string, { pointsGiven: number; pointsSpent: number; pointsExpired: number }>();
    for (const { day, count, points } of recountPoints(this.events, timeZone)) {
      const counts = days.get(day) ?? { pointsGiven: 0, pointsSpent: 0, pointsExpired: 0 };
      days.set(day, { ...counts, [count]: counts[count] + points });
    }
    const counted = (await this.door.statistics.get({ days: 1_100 })).days.flatMap((day) => {
      const { date, pointsGiven, pointsSpent, pointsExpired } = day;
      const isEmpty = pointsGiven === 0 && pointsSpent === 0 && pointsExpired === 0;
      return isEmpty ? [] : [[date, { pointsGiven, pointsSpent, pointsExpired }] as const];
    });
    const expected = [...days].filter(([, counts]) => Object.values(counts).some((count) => count !== 0));
    expect(new Map(counted)).toEqual(new Map(expected));
  }

  private async compareStampCard(card: Card, state: StampCard): Promise<void> {
    const { id } = this.passOf(card);
    const visits = listVisits(this.shop, card);
    const lastStampAt = Math.max(this.lastStampAt.get(card.id) ?? Number.NEGATIVE_INFINITY, ...visits);
    this.lastStampAt.set(card.id, lastStampAt);
    expect(await this.door.stamps.state(id), `the card ${card.id}`).toMatchObject({
      currentStamps: state.current,
      rewardsAvailable: state.full,
      timesCompleted: sum(state.entries.map(({ completions }) => completions)),
      totalStampsCollected: sum(
        state.entries.filter(({ type }) => type !== "removed").map(({ delta }) => delta),
      ),
      lastStampAt: Number.isFinite(lastStampAt) ? new Date(lastStampAt).toISOString() : null,
    });
    const pass = await runStep(this.engine.storage.reader(this.organizationId).findPass(id));
    const stored: unknown = JSON.parse(pass?.card?.visits ?? "null");
    expect(stored, `visits of ${card.id}`).toEqual(visits.slice(0, maxStoredVisits));
  }

  private async compareLedger(card: Card): Promise<void> {
    const { id } = this.passOf(card);
    const { state } = card;
    if (state.unit === "stamps") {
      const { content } = await this.door.stamps.history(id, { size: 200 });
      const shown = content.map(({ type, delta, completions }) => ({ type, delta, completions }));
      const entries = state.entries.map(({ type, delta, completions }) => ({ type, delta, completions }));
      expect(shown, `entries of ${card.id}`).toEqual(entries.toReversed().slice(0, 200));
      return;
    }
    const page = await tryEngine(() => this.door.points.history(id, { size: 200 }));
    if (page.refused !== null) return;
    const expected = expireLots(state, this.engine.clock.now);
    expect(page.value.totalElements).toBe(expected.entries.length);
    expect(page.value.content.map(toComparableEntry), `entries of ${card.id}`).toEqual(
      expected.entries
        .map((entry) => expectEntry(expected, entry))
        .toReversed()
        .slice(0, 200),
    );
  }

  private async compareList(): Promise<void> {
    const { content, totalElements } = await this.door.purchases.list({ source, size: 200 });
    expect(totalElements).toBe(this.shop.purchases.length);
    const times = content.map(({ at }) => at);
    expect(times).toEqual(times.toSorted().toReversed());
    for (const purchase of this.shop.purchases) {
      const listed = content.filter(({ receipt }) => receipt === purchase.key);
      expect(listed.map(toComparable)).toEqual([this.expectPurchase(purchase)]);
    }
  }

  private compareReceipt({ purchase, isApplied, changes }: Outcome, receipt: PurchaseResult): void {
    expect(toComparable(receipt), `the answer about ${purchase.key}`).toEqual(this.expectPurchase(purchase));
    expect(receipt.isApplied).toBe(isApplied);
    expect(
      receipt.changes.map(({ entryId, ...change }) => ({
        ...change,
        // The entry of a stamp card has no number in its ID.
        entryId: change.unit === "points" ? sequenceOf(entryId) : 0,
      })),
      "changes",
    ).toEqual(
      changes.map(({ cardId, units, entryId }) => {
        const card = findCard(this.shop, cardId);
        return {
          walletPassId: this.passOf(card).id,
          templateId: this.templateOf(card.templateId),
          unit: card.state.unit,
          units,
          entryId: card.state.unit === "points" ? entryId : 0,
        };
      }),
    );
  }

  private expectPurchase({ effects, customer, ...purchase }: Purchase) {
    const { key, revision, at, currency, lines, paidWithPoints, note } = purchase;
    return {
      receipt: key,
      revision,
      userId: customer === null ? null : this.userOf(customer),
      at: new Date(at).toISOString(),
      currency,
      lines: lines.map((line) => ({ ...line, name: null })),
      total: sum(lines.map(({ amount }) => amount)),
      returnedTotal: sum(lines.map(({ returned }) => returned.amount)),
      paidWithPoints,
      note,
      effects: effects
        .filter((effect) => effect.customer === customer)
        .map(({ cardId, units, notTaken, cut, because }) => {
          const card = findCard(this.shop, cardId);
          return {
            walletPassId: this.passOf(card).id,
            templateId: this.templateOf(card.templateId),
            unit: card.state.unit,
            ...{ units, notTaken, cut: Number(cut), because },
          };
        }),
    };
  }

  private userOf(customer: string): string {
    return getKnown(this.users, customer);
  }

  private templateOf(name: string): string {
    return getKnown(this.templates, name);
  }

  private passOf({ id }: Pick<Card, "id">): Pass {
    return getKnown(this.passes, id);
  }
}

const dayMs = 86_400_000;

/** Number of visits per card whose times the service stores. */
const maxStoredVisits = 11;

type Tried<Value> =
  | { readonly refused: null; readonly value: Value }
  | { readonly refused: string; readonly value: null };

function tryModel<Value>(call: () => Value): Tried<Value> {
  try {
    return { refused: null, value: call() };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return { refused: inputErrors[error.code] ?? error.code, value: null };
  }
}

async function tryEngine<Value>(call: () => Promise<Value>): Promise<Tried<Value>> {
  try {
    return { refused: null, value: await call() };
  } catch (error) {
    if (!isLoyaltyError(error)) throw error;
    const { detail, code } = error;
    if (detail.code !== "validation_failed") return { refused: code, value: null };
    const [field = ""] = Object.keys(detail.fields);
    return { refused: `${code} ${field.split(".")[0]}`, value: null };
  }
}

function callCardModel(shop: Shop, cardId: string, call: CardCall, now: number): Shop {
  if ("add" in call) {
    const { add: points, expiresInDays: days } = call;
    const expiresAt = typeof days === "number" ? now + days * dayMs : days;
    return addPoints(shop, cardId, { points, ...(expiresAt !== undefined && { expiresAt }) }, now);
  }
  if ("remove" in call)
    return removePoints(shop, cardId, { points: call.remove, allowsDebt: call.allowsDebt }, now);
  if ("spend" in call) return spendPoints(shop, cardId, call.spend, now);
  if ("reverse" in call) return reverseEntry(shop, cardId, call.reverse, now);
  if ("addStamps" in call) return addStamps(shop, cardId, call.addStamps, now);
  if ("takeStamps" in call) return removeStamps(shop, cardId, call.takeStamps);
  return redeemReward(shop, cardId);
}

function expectPointCard(shop: Shop, cardId: string, now: number) {
  const { expiring, ...numbers } = readPoints(shop, cardId, now);
  const { state } = findCard(shop, cardId);
  const earned = state.unit === "points" ? state.entries.filter(({ type }) => type === "earned") : [];
  const lastEarnedAt = Math.max(...earned.map(({ at }) => at));
  return {
    ...numbers,
    expiring: expiring.map(({ points, at }) => ({ points, at: new Date(at).toISOString() })),
    lastEarnedAt: Number.isFinite(lastEarnedAt) ? new Date(lastEarnedAt).toISOString() : null,
  };
}

/** Converts an entry of the model to the format of the API, with numbers as IDs. */
function expectEntry({ lots }: PointCard, entry: PointEntry) {
  const { id, type, points, debt, purchase, reverses, at } = entry;
  const lot = lots.find((one) => one.id === id);
  const expiresAt = lot?.expiresAt ?? null;
  return {
    ...{ id, type, points, debt, purchase, reverses },
    lots: entry.lots.filter((part) => part.points !== 0),
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    at: new Date(at).toISOString(),
  };
}

function toComparableEntry({ id, reverses, purchase, ...entry }: WirePointEntry) {
  const { type, points, debt, lots, expiresAt, at } = entry;
  return {
    id: sequenceOf(id),
    ...{ type, points, debt, expiresAt, at },
    lots: lots.map((part) => ({ lotId: sequenceOf(part.lotId), points: part.points })),
    purchase: purchase?.receipt ?? null,
    reverses: reverses === null ? null : sequenceOf(reverses),
  };
}

function toComparable(purchase: WirePurchase) {
  const { receipt, revision, userId, at, currency, lines, total, returnedTotal } = purchase;
  const { paidWithPoints, note, effects } = purchase;
  const money = { currency, lines, total, returnedTotal, paidWithPoints };
  return { receipt, revision, userId, at, ...money, note, effects };
}

function sequenceOf(entryId: string): number {
  return Number(entryId.slice(entryId.lastIndexOf("_") + 1));
}

/** Returns a value as JSON carries it: without the model's read-only types and without undefined fields. */
function toWire<Wire>(value: unknown): Wire {
  return JSON.parse(JSON.stringify(value));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function getKnown<Value>(known: ReadonlyMap<string, Value>, name: string): Value {
  const value = known.get(name);
  assert.ok(value !== undefined, `nothing is known of ${name}`);
  return value;
}
