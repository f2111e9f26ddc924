import { buildActorFilter } from "../access/actor-schema.js";
import { runStep, type Step } from "../base/concurrency/step.js";
import { createLoyaltyError, notFound } from "../base/errors.js";
import type { EventType } from "../base/event-types.js";
import { offsetOf, type Page, pageOf } from "../base/page.js";
import { parse, parseNew } from "../base/parse.js";
import type { RecordEvent } from "../kernel/events/recording.js";
import { findPass } from "../kernel/find.js";
import type { IdempotencyOptions } from "../kernel/idempotency/idempotent-call.js";
import type { Tenant } from "../kernel/tenant.js";
import { type CallsOf, type SyncCallsOf, UseCases } from "../kernel/use-cases.js";
import { countStampChange } from "../statistics/count-deltas.js";
import {
  MAX_STORED_VISITS,
  type StoredPass,
  type StoredStampCard,
  type StoredStampEntry,
} from "../storage/passes.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import type { PlainEntryType } from "./stamp-ledger.js";
import * as ledger from "./stamp-ledger.js";
import {
  type ChangeStamps,
  changeStampsSchema,
  type RedeemReward,
  type ReverseStampEntry,
  redeemRewardSchema,
  reverseEntrySchema,
  type SetStamps,
  type StampCard,
  type StampEntry,
  type StampHistoryQuery,
  type StampReceipt,
  setStampsSchema,
  stampCardOf,
  stampEntryOf,
  stampHistoryQuerySchema,
  stampReceiptOf,
} from "./stamps-schema.js";

/** The public, asynchronous form of the {@link Stamps} methods. */
export interface StampCalls extends CallsOf<Stamps> {}

/** The synchronous methods of {@link Stamps}, for use in a synchronous transaction. */
export type SyncStamps = SyncCallsOf<Stamps>;

const eventTypes = {
  added: "stamp.added",
  removed: "stamp.removed",
  set: "stamp.set",
  reset: "stamp.reset",
  redeemed: "stamp_card.redeemed",
  granted: "reward.granted",
  earned: "stamp.added",
  returned: "stamp.removed",
} as const satisfies Record<PlainEntryType, EventType>;

/**
 * Manages the stamps on stamp-card passes. Each write appends one immutable entry to the pass's ledger. Writes to the same pass are
 * serialized, so no update is lost. Writes need the scope `loyalty:manage`, and reads need `pass:read`.
 */
export class Stamps extends UseCases {
  /**
   * Returns the current state of a stamp card.
   * @throws {LoyaltyError} `resource_not_found`, `not_a_stamp_card`, or `access_denied` if the caller lacks `pass:read`.
   */
  async state(passId: string): Promise<StampCard> {
    const { tenant } = this;
    const { pass, card } = await runStep(findCard(tenant.reader, tenant.organizationId, passId));
    await runStep(tenant.assertOwn(tenant.reader, pass.userId, "wallet_pass", passId));
    return stampCardOf(pass, card);
  }

  /**
   * Adds stamps. Whenever the card fills up, it earns a reward, and starts over with the remaining stamps.
   * @param input `count` is 1 to 100 (default: 1), and `note` has at most 512 characters.
   * @throws {LoyaltyError} `resource_not_found`, `not_a_stamp_card`, `validation_failed`, or `access_denied`.
   */
  *add(passId: string, input: ChangeStamps & IdempotencyOptions = {}): Step<StampReceipt> {
    const { count, note } = parseNew(changeStampsSchema, input);
    return yield* write(this.tenant, ["stamps.add", passId, input], note, (card, now) =>
      ledger.add(card, count, now),
    );
  }

  /**
   * Removes stamps from the current card. Earlier completions are not undone.
   * @param input `count` is 1 to 100 (default: 1), and `note` has at most 512 characters.
   * @throws {LoyaltyError} `resource_not_found`, `not_a_stamp_card`, `not_enough_stamps`, `validation_failed`, or `access_denied`.
   */
  *remove(passId: string, input: ChangeStamps & IdempotencyOptions = {}): Step<StampReceipt> {
    const { count, note } = parseNew(changeStampsSchema, input);
    return yield* write(this.tenant, ["stamps.remove", passId, input], note, (card) =>
      ledger.remove(card, count),
    );
  }

  /**
   * Sets the number of stamps on the current card.
   * @param input `stamps` is 0 to the card's `maxStamps` − 1, and `note` has at most 512 characters.
   * @throws {LoyaltyError} `resource_not_found`, `not_a_stamp_card`, `validation_failed`, or `access_denied`.
   */
  *set(passId: string, input: SetStamps & IdempotencyOptions): Step<StampReceipt> {
    const { stamps, note } = parseNew(setStampsSchema, input);
    return yield* write(this.tenant, ["stamps.set", passId, input], note, (card) => ledger.set(card, stamps));
  }

  /**
   * Removes all stamps from the current card. Rewards are kept.
   * @throws {LoyaltyError} `resource_not_found`, `not_a_stamp_card`, or `access_denied`.
   */
  *reset(passId: string, options: IdempotencyOptions = {}): Step<StampReceipt> {
    return yield* write(this.tenant, ["stamps.reset", passId, options], null, ledger.reset);
  }

  /**
   * Redeems one reward.
   * @param input `note` has at most 512 characters.
   * @throws {LoyaltyError} `resource_not_found`, `not_a_stamp_card`, `no_reward_available`, `validation_failed`, or
   *   `access_denied`.
   */
  *redeem(passId: string, input: RedeemReward & IdempotencyOptions = {}): Step<StampReceipt> {
    const { note } = parseNew(redeemRewardSchema, input);
    return yield* write(this.tenant, ["stamps.redeem", passId, input], note, ledger.redeem);
  }

  /**
   * Reverses a ledger entry by adding a compensating entry. An entry can be reversed only once, even by concurrent calls. Reversing
   * an addition removes its stamps and any completions it caused. Reversing a removal or a redemption restores the stamps or the
   * reward, and the restored stamps can fill the card.
   * @param input `entryId` is the ID of the entry, and `note` has at most 512 characters.
   * @throws {LoyaltyError} `resource_not_found` for the pass or the entry, `not_a_stamp_card`, `not_reversible` if the entry is
   *   itself a reversal, `already_reversed`, `not_enough_stamps` or `reward_already_redeemed` if the stamps or rewards from the
   *   entry have already been used, `validation_failed`, or `access_denied`.
   */
  *reverse(passId: string, input: ReverseStampEntry & IdempotencyOptions): Step<StampReceipt> {
    const { tenant } = this;
    const { entryId, note } = parseNew(reverseEntrySchema, input);
    const { organizationId } = tenant;
    return yield* tenant.changeStep(["stamps.reverse", passId, input], function* (change) {
      const { tx } = change;
      const before = yield* findCard(tx, organizationId, passId);
      const entry = yield* tx.findStampEntry(before.pass.id, entryId);
      if (entry === null) throw notFound("stamp_entry", entryId, organizationId);
      const reversal = ledger.reverse(before.card, entry);
      const { card } = reversal;
      // Visits older than the ones stored on the card are only in the ledger.
      const needsLedger = ledger.needsOlderVisits(before.card, card);
      const visits = needsLedger ? yield* readVisits(tx, before.pass.id, entry) : card.visits;
      const fullChange = { ...reversal, card: { ...card, visits } };
      return yield* appendEntry(change, before, fullChange, note, tenant.now());
    });
  }

  /**
   * Lists the ledger, newest entry first.
   * @param query `page` starts at 0. `size` is at least 1 and is capped at 200 (default: 50). `actorKind`, `actorId`, `subject`,
   *   `location`, and `receipt` filter the entries by actor.
   * @throws {LoyaltyError} `resource_not_found`, `not_a_stamp_card`, `validation_failed`, or `access_denied` if the caller lacks
   *   `pass:read`.
   */
  async history(passId: string, query: StampHistoryQuery = {}): Promise<Page<StampEntry>> {
    const { tenant } = this;
    const request = parse(stampHistoryQuerySchema, query);
    const actorFilter = buildActorFilter(request);
    const { organizationId } = tenant;
    return tenant.read(function* (reader) {
      const { pass, card } = yield* findCard(reader, organizationId, passId);
      yield* tenant.assertOwn(reader, pass.userId, "wallet_pass", passId);
      const entries = yield* reader.listStampEntries(pass.id, offsetOf(request), request.size, actorFilter);
      const total =
        actorFilter === null ? card.entries : yield* reader.countStampEntries(pass.id, actorFilter);
      return pageOf(entries.map(stampEntryOf), total, request);
    });
  }
}

/** Maximum number of entries per ledger read. */
const LEDGER_PAGE_SIZE = 1_000;

/** Finds a card's newest visits, leaving out an entry that is being reversed. */
function* readVisits(
  tx: StorageTransaction,
  passId: string,
  reversedEntry: StoredStampEntry | null,
): Step<string> {
  const entries: StoredStampEntry[] = [];
  for (;;) {
    const page = yield* tx.listStampEntries(passId, entries.length, LEDGER_PAGE_SIZE);
    if (page.length === 0) break;
    entries.push(...page);
  }
  const purchaseTimes = yield* tx.purchaseVisits(passId, MAX_STORED_VISITS);
  return ledger.listNewestVisits(
    entries.filter(({ id }) => id !== reversedEntry?.id),
    purchaseTimes,
  );
}

function* write(
  tenant: Tenant,
  request: StampRequest,
  note: string | null | undefined,
  computeChange: ComputeChange,
): Step<StampReceipt> {
  const [, passId] = request;
  return yield* tenant.changeStep(request, (change) => changeCard(change, passId, note, computeChange));
}

/** The change of a card by its pass, and the input, which holds the idempotency key. */
type StampRequest = readonly [operation: string, passId: string, input: IdempotencyOptions];

type ComputeChange = (card: StoredStampCard, now: number) => ledger.StampChange;

/**
 * Changes a card and records the event in the caller's transaction.
 * @throws {LoyaltyError} `resource_not_found`, `not_a_stamp_card`, or any error that `change` throws.
 */
export function* changeCard(
  context: StampContext,
  passId: string,
  note: string | null | undefined,
  computeChange: ComputeChange,
): Step<StampReceipt> {
  const before = yield* findCard(context.tx, context.tenant.organizationId, passId);
  const now = context.tenant.now();
  return yield* appendEntry(context, before, computeChange(before.card, now), note, now);
}

/** How a purchase moves the stamps of one card. */
export interface PurchaseStamps {
  /** Number of stamps to add. Negative to take stamps back, which must be on the card. */
  readonly delta: number;
  readonly source: string;
  readonly receipt: string;
  /** When the purchase was a visit so far, or `null` if it wasn't one. */
  readonly visitBefore: number | null;
  /** When the purchase is a visit now, or `null` if it's no longer one. */
  readonly visitAfter: number | null;
}

/**
 * Adds or takes back the stamps of a purchase, and moves its visit. Store the purchase's effect first, because the card's visits
 * follow from it.
 * @returns the ID of the ledger entry, or `null` if only the visit changed.
 */
export function* applyPurchaseStamps(
  context: StampContext,
  passId: string,
  { delta, source, receipt, visitBefore, visitAfter }: PurchaseStamps,
): Step<string | null> {
  const { tenant, tx } = context;
  const { organizationId } = tenant;
  const before = yield* findCard(tx, organizationId, passId);
  const visits = yield* moveVisit(tx, before, visitBefore, visitAfter);
  const { lastStampAt } = before.card;
  const isLater = visitAfter !== null && (lastStampAt === null || visitAfter > lastStampAt);
  const card = { ...before.card, visits, lastStampAt: isLater ? visitAfter : lastStampAt };
  if (delta === 0) {
    yield* tx.updateVisits(passId, card);
    return null;
  }
  const change = delta > 0 ? ledger.earn(card, delta) : ledger.takeBack(card, -delta);
  const visitCount = Number(visitAfter !== null) - Number(visitBefore !== null);
  const purchase = { source, receipt, visitCount };
  const { entryId } = yield* appendEntry(context, before, change, null, tenant.now(), purchase);
  return entryId;
}

/** Returns a card's newest visits after a purchase's visit moved. */
function* moveVisit(
  tx: StorageTransaction,
  { pass, card }: PassWithCard,
  from: number | null,
  to: number | null,
): Step<string> {
  if (from === to) return card.visits;
  const visits = from === null ? card.visits : ledger.removeVisit(card.visits, from);
  if (ledger.needsOlderVisits(card, { ...card, visits })) return yield* readVisits(tx, pass.id, null);
  return to === null ? visits : ledger.insertVisit(visits, to);
}

/** Returns how many stamps a return can take from a card. */
export function* countReturnableStamps({ tx, tenant }: StampContext, passId: string): Step<number> {
  return ledger.countReturnable((yield* findCard(tx, tenant.organizationId, passId)).card);
}

/** The tenant, transaction, and event recorder for a change to a card. */
export interface StampContext {
  readonly tenant: Tenant;
  readonly tx: StorageTransaction;
  readonly record: RecordEvent;
}

interface PassWithCard {
  readonly pass: StoredPass;
  readonly card: StoredStampCard;
}

/** The purchase that an entry is about, and how many visits it adds to the day's statistics. */
interface EntryPurchase {
  readonly source: string;
  readonly receipt: string;
  readonly visitCount: number;
}

/** Appends a card change to the ledger and records the event. */
function* appendEntry(
  { tenant, tx, record }: StampContext,
  { pass, card: before }: PassWithCard,
  { card, kind, entry }: ledger.StampChange,
  note: string | null | undefined,
  now: number,
  purchase: EntryPurchase | null = null,
): Step<StampReceipt> {
  const entryId = tenant.newId("ste");
  const { type, reverses } = kind;
  const { sequence, delta, stampsBefore, stampsAfter, completions } = entry;
  const { actor, subject } = tenant.actor.stored;
  yield* tx.recordStamps(card, {
    id: entryId,
    passId: pass.id,
    sequence,
    type,
    reverses,
    delta,
    stampsBefore,
    stampsAfter,
    completions,
    source: purchase?.source ?? null,
    receipt: purchase?.receipt ?? null,
    isImported: false,
    note: note ?? null,
    createdAt: now,
    actor,
    subject,
  });
  const stampCard = stampCardOf(pass, card);
  const { visitCount } = purchase ?? {};
  const counts = {
    ...countStampChange(before, card, type),
    ...(visitCount !== undefined && { visits: visitCount }),
  };
  if (reverses !== null) record("stamp.reversed", { ...stampCard, reverses }, counts);
  else record(eventTypes[type], stampCard, counts);
  const { userId } = pass;
  for (let index = 0; index < completions; index += 1)
    record("stamp_card.completed", { ...stampCard, userId });
  return stampReceiptOf(stampCard, entryId, completions);
}

function* findCard(reader: StorageReader, organizationId: string, passId: string): Step<PassWithCard> {
  const pass = yield* findPass(reader, organizationId, passId);
  if (pass.card === null) throw createLoyaltyError("not_a_stamp_card");
  return { pass, card: pass.card };
}
