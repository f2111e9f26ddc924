import type { Step } from "../base/concurrency/step.js";
import { createLoyaltyError, notFound } from "../base/errors.js";
import { offsetOf, type Page, pageOf } from "../base/page.js";
import { parse, parseNew } from "../base/parse.js";
import { type PointTerms, parseProgram } from "../cards/program-schema.js";
import type { RecordEvent } from "../kernel/events/recording.js";
import { findPass, findTemplate } from "../kernel/find.js";
import type { IdempotencyOptions, KeyedRequest } from "../kernel/idempotency/idempotent-call.js";
import type { Change, Tenant } from "../kernel/tenant.js";
import { type CallsOf, type SyncCallsOf, UseCases } from "../kernel/use-cases.js";
import { zoneOf } from "../settings/schema.js";
import type { StoredPass } from "../storage/passes.js";
import type { RemainingLot, StoredPointCard, StoredPointEntry, StoredPointLot } from "../storage/points.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredTemplate } from "../storage/templates.js";
import { computeBalance, sumEnded } from "./balance.js";
import { type CardPoints, cardPointsOf } from "./card-points.js";
import { computeEndOfGrace, computeExpiry } from "./dates.js";
import { createPointCard, PointLedger } from "./ledger.js";
import {
  type AddPoints,
  addPointsSchema,
  type PassIds,
  type PointCard,
  type PointEntry,
  type PointHistoryQuery,
  type PointReceipt,
  parseLotParts,
  parsePointEntryId,
  pointCardOf,
  pointEntryIdOf,
  pointEntryOf,
  pointHistoryQuerySchema,
  type RemovePoints,
  type ReversePointEntry,
  removePointsSchema,
  reversePointEntrySchema,
  type SpendPoints,
  spendPointsSchema,
} from "./schema.js";

/** The public, asynchronous form of the {@link Points} methods. */
export interface PointCalls extends CallsOf<Points> {}

/** The synchronous methods of {@link Points}, for use in a synchronous transaction. */
export type SyncPoints = SyncCallsOf<Points>;

const eventTypes = {
  earned: "points.earned",
  returned: "points.returned",
  added: "points.added",
  removed: "points.removed",
  spent: "points.spent",
  expired: "points.expired",
  reversed: "points.reversed",
} as const;

/** The terms of a card whose template no longer has points. The card keeps its points. */
const noTerms: PointTerms = { unit: null, pendingDays: 0, expiry: null, graceDays: 0 };

/**
 * Manages the points on passes whose template has points. Each write appends one immutable entry to the pass's ledger. Writes to
 * the same pass are serialized, so points are never spent twice. Writes need the scope `loyalty:manage`, and reads need
 * `pass:read`.
 */
export class Points extends UseCases {
  /**
   * Returns a pass's points at this moment. Points that have expired are never included.
   * @throws {LoyaltyError} `resource_not_found`, `not_a_point_card`, or `access_denied` if the caller lacks `pass:read`.
   */
  async state(passId: string): Promise<PointCard> {
    const { tenant } = this;
    return tenant.read(function* (reader) {
      const { pass, card } = yield* findPointPass(tenant, reader, passId);
      return yield* buildPointCard(reader, pass, card, tenant.now());
    });
  }

  /**
   * Lists the ledger, newest entry first. Includes the entries for points that have just expired.
   * @param query `page` starts at 0. `size` is at least 1 and is capped at 200 (default: 50).
   * @throws {LoyaltyError} `resource_not_found`, `not_a_point_card`, `validation_failed`, or `access_denied` if the caller lacks
   *   `pass:read`.
   */
  async history(passId: string, query: PointHistoryQuery = {}): Promise<Page<PointEntry>> {
    const { tenant } = this;
    const request = parse(pointHistoryQuerySchema, query);
    return tenant.read(function* (reader) {
      const { pass, ledger } = yield* openPointPass(tenant, reader, passId);
      // Points may have expired since the last write. Their entries come first, because they are the newest.
      const unwrittenEntries = ledger.entries.toReversed();
      const offset = offsetOf(request);
      const newestEntries = unwrittenEntries.slice(offset, offset + request.size);
      const olderEntries = yield* reader.listPointEntries(
        pass.id,
        Math.max(0, offset - unwrittenEntries.length),
        request.size - newestEntries.length,
      );
      return pageOf(
        [...newestEntries, ...olderEntries].map(pointEntryOf),
        ledger.changedCard.entries,
        request,
      );
    });
  }

  /**
   * Adds points, for example as goodwill.
   * @param input `points` is 1 to 1,000,000,000, and `note` has at most 512 characters. `expiresAt` is when the points expire, or
   *   `null` if they never do. By default, they expire like points that are earned now.
   * @throws {LoyaltyError} `resource_not_found`, `not_a_point_card`, `validation_failed`, or `access_denied`.
   * @example
   * const { available } = await acme.points.add(pass.id, { points: 50, note: "Sorry for the wait" });
   */
  *add(passId: string, input: AddPoints & IdempotencyOptions): Step<PointReceipt> {
    const addition = parseNew(addPointsSchema, input);
    return yield* this.tenant.changeStep(["points.add", passId, input], (change) =>
      addPoints(change, passId, addition),
    );
  }

  /**
   * Removes points. Takes the points that expire soonest.
   * @param input `points` is 1 to 1,000,000,000, and `note` has at most 512 characters. With `allowsDebt`, points that the customer
   *   doesn't have become debt.
   * @throws {LoyaltyError} `resource_not_found`, `not_a_point_card`, `not_enough_points`, `validation_failed`, or `access_denied`.
   */
  *remove(passId: string, input: RemovePoints & IdempotencyOptions): Step<PointReceipt> {
    const { points, note, allowsDebt } = parseNew(removePointsSchema, input);
    return yield* runPointChange(this.tenant, ["points.remove", passId, input], passId, ({ ledger }) =>
      ledger.remove(points, allowsDebt, { note }),
    );
  }

  /**
   * Spends points. Takes the points that expire soonest. Pending points can't be spent.
   * @param input `points` is 1 to 1,000,000,000, and `note` has at most 512 characters. `purchase` is the source and receipt of the
   *   purchase that the points pay for.
   * @throws {LoyaltyError} `resource_not_found`, `not_a_point_card`, `not_enough_points`, `validation_failed`, or `access_denied`.
   */
  *spend(passId: string, input: SpendPoints & IdempotencyOptions): Step<PointReceipt> {
    const { points, note, purchase } = parseNew(spendPointsSchema, input);
    return yield* runPointChange(this.tenant, ["points.spend", passId, input], passId, ({ ledger }) =>
      ledger.spend(points, { note, ...purchase }),
    );
  }

  /**
   * Reverses an entry that added, removed, or spent points. An entry can be reversed only once, even by concurrent calls. Points
   * that go back pay debt first, and then return to where they came from.
   * @param input `entryId` is the ID of the entry, and `note` has at most 512 characters.
   * @throws {LoyaltyError} `resource_not_found` for the pass or the entry, `not_a_point_card`, `not_reversible` for other entries,
   *   `already_reversed`, `not_enough_points` if added points have been used, `validation_failed`, or `access_denied`.
   */
  *reverse(passId: string, input: ReversePointEntry & IdempotencyOptions): Step<PointReceipt> {
    const { tenant } = this;
    const { entryId, note } = parseNew(reversePointEntrySchema, input);
    return yield* tenant.changeStep(["points.reverse", passId, input], function* (change) {
      const { tx, organizationId } = change;
      const card = yield* openPointCard(change, passId);
      const { pass, ledger, terms, timeZone } = card;
      // An entry for points that have just expired is shown before it is written.
      const sequence = parsePointEntryId(pass.id, entryId);
      const unwrittenEntry = ledger.entries.find((entry) => entry.sequence === sequence) ?? null;
      const entry =
        unwrittenEntry ?? (sequence === null ? null : yield* tx.findPointEntry(pass.id, sequence));
      if (entry === null) throw notFound("point_entry", entryId, organizationId);
      if (yield* tx.isPointEntryReversed(pass.id, entry.sequence))
        throw createLoyaltyError("already_reversed");
      const lots = parseLotParts(entry).map(({ lot }) => lot);
      ledger.includeLots(yield* readLots(tx, pass.id, [...lots, entry.sequence]));
      const reversal = ledger.reverse(entry, computeEndOfGrace(terms, timeZone, ledger.now), { note });
      return yield* recordEntry(change, pass, ledger, reversal);
    });
  }
}

/** Maximum number of lots per read. */
const LOT_BATCH_SIZE = 1_000;

function* readLots(
  reader: StorageReader,
  passId: string,
  sequences: readonly number[],
): Step<StoredPointLot[]> {
  const lots: StoredPointLot[] = [];
  for (let start = 0; start < sequences.length; start += LOT_BATCH_SIZE)
    lots.push(...(yield* reader.pointLotsAt(passId, sequences.slice(start, start + LOT_BATCH_SIZE))));
  return lots;
}

/** A pass whose points are about to change, with what decides when new points expire. */
interface OpenPointCard extends OpenPointPass {
  readonly timeZone: string;
}

function* openPointCard({ tenant, tx }: Change, passId: string): Step<OpenPointCard> {
  const card = yield* openPointPass(tenant, tx, passId);
  const timeZone = zoneOf(yield* tx.findSettings());
  return { ...card, timeZone };
}

function* runPointChange(
  tenant: Tenant,
  request: KeyedRequest,
  passId: string,
  changePoints: (card: OpenPointCard) => StoredPointEntry,
): Step<PointReceipt> {
  return yield* tenant.changeStep(request, (change) => changePointCard(change, passId, changePoints));
}

function* changePointCard(
  change: Change,
  passId: string,
  changePoints: (card: OpenPointCard) => StoredPointEntry,
): Step<PointReceipt> {
  const card = yield* openPointCard(change, passId);
  return yield* recordEntry(change, card.pass, card.ledger, changePoints(card));
}

/** Stores what a ledger changed. Returns the points with the ID of the entry that the call is about. */
function* recordEntry(
  change: Change,
  pass: PassIds,
  ledger: PointLedger,
  { passId, sequence }: StoredPointEntry,
): Step<PointReceipt> {
  const pointCard = yield* recordPointChange(change, pass, ledger);
  return { ...pointCard, entryId: pointEntryIdOf(passId, sequence) };
}

/**
 * Adds points to a pass. Unless `expiresAt` says otherwise, they expire like points that are earned now.
 * @throws {LoyaltyError} `resource_not_found`, or `not_a_point_card` if the pass has no points.
 */
export function addPoints(
  change: Change,
  passId: string,
  { points, note, expiresAt }: AddPoints,
): Step<PointReceipt> {
  return changePointCard(change, passId, ({ ledger, terms, timeZone }) => {
    const end = expiresAt === undefined ? computeExpiry(terms, timeZone, ledger.now) : parseTime(expiresAt);
    return ledger.give("added", points, { usableFrom: ledger.now, expiresAt: end }, { note: note ?? null });
  });
}

/** Stores what a ledger changed, and records an event for each of its new entries. */
export function* recordPointChange(change: Change, pass: PassIds, ledger: PointLedger): Step<PointCard> {
  yield* change.tx.recordPoints(ledger.change);
  return recordPointEvents(change.record, pass, ledger);
}

/** Records an event for each new entry of a ledger, and counts the entry. */
export function recordPointEvents(record: RecordEvent, pass: PassIds, ledger: PointLedger): PointCard {
  const pointCard = pointCardOf(pass, ledger.changedCard, ledger.balance);
  for (const { entry, counts, countedAt } of ledger.countedEntries) {
    const data = { pointCard, entry: pointEntryOf(entry) };
    record(eventTypes[entry.type], data, counts, undefined, countedAt);
  }
  return pointCard;
}

/** Returns a pass's points as they are now, or `null` if the pass has none. */
export function* readPointCard(
  reader: StorageReader,
  pass: StoredPass,
  template: Pick<StoredTemplate, "type" | "points">,
  now: number,
): Step<PointCard | null> {
  const card = yield* findPointCard(reader, pass, template);
  return card && (yield* buildPointCard(reader, pass, card, now));
}

function* buildPointCard(
  reader: StorageReader,
  pass: PassIds,
  card: StoredPointCard,
  now: number,
): Step<PointCard> {
  const lots = yield* readRemainingLots(reader, card);
  const expired = card.expired + sumEnded(lots, now);
  return pointCardOf(pass, { ...card, expired }, computeBalance(lots, now));
}

/** Returns what a pass's card shows of its points now, or `null` if the pass has none. */
export function* readCardPoints(
  reader: StorageReader,
  pass: StoredPass,
  template: Pick<StoredTemplate, "type" | "points" | "earning">,
  now: number,
): Step<CardPoints | null> {
  const card = yield* findPointCard(reader, pass, template);
  if (card === null) return null;
  const lots = yield* readRemainingLots(reader, card);
  const { points } = parseProgram(template);
  const timeZone = zoneOf(yield* reader.findSettings());
  return cardPointsOf(points?.unit ?? null, card.debt, computeBalance(lots, now), timeZone);
}

function* readRemainingLots(
  reader: StorageReader,
  { passId, entries }: StoredPointCard,
): Step<readonly RemainingLot[]> {
  return entries === 0 ? [] : yield* reader.remainingPointLots(passId);
}

/** Returns a pass's points as they are stored, or `null` if the pass has none. They are zero until they first change. */
function* findPointCard(
  reader: StorageReader,
  { id }: PassIds,
  { type, points }: Pick<StoredTemplate, "type" | "points">,
): Step<StoredPointCard | null> {
  if (type === "STAMP_CARD") return null;
  const card = yield* reader.findPointCard(id);
  return points === null ? card : (card ?? createPointCard(id));
}

interface PointPass {
  readonly pass: StoredPass;
  readonly terms: PointTerms;
  /** The points as they are stored. */
  readonly card: StoredPointCard;
}

/** @throws {LoyaltyError} `resource_not_found`, or `not_a_point_card` if the pass has no points. */
export function* findPointPass(tenant: Tenant, reader: StorageReader, passId: string): Step<PointPass> {
  const { organizationId } = tenant;
  const pass = yield* findPass(reader, organizationId, passId);
  yield* tenant.assertOwn(reader, pass.userId, "wallet_pass", passId);
  const template = yield* findTemplate(reader, organizationId, pass.templateId);
  const { points } = parseProgram(template);
  const card = yield* findPointCard(reader, pass, template);
  if (card === null) throw createLoyaltyError("not_a_point_card");
  return { pass, terms: points ?? noTerms, card };
}

interface OpenPointPass extends PointPass {
  readonly ledger: PointLedger;
}

/** Does the same as {@link findPointPass}, and opens the ledger as it is now. */
function* openPointPass(tenant: Tenant, reader: StorageReader, passId: string): Step<OpenPointPass> {
  const pointPass = yield* findPointPass(tenant, reader, passId);
  return { ...pointPass, ledger: yield* openLedger(tenant, reader, pointPass.card) };
}

/** Opens the point ledger of a pass, which may never have had points. */
export function* openPointLedger(tenant: Tenant, reader: StorageReader, passId: string): Step<PointLedger> {
  const card = yield* reader.findPointCard(passId);
  return yield* openLedger(tenant, reader, card ?? createPointCard(passId));
}

function* openLedger(tenant: Tenant, reader: StorageReader, card: StoredPointCard): Step<PointLedger> {
  const lots = card.entries === 0 ? [] : yield* reader.openPointLots(card.passId);
  return new PointLedger(card, lots, tenant.now(), tenant.actor.stored);
}

function parseTime(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}
