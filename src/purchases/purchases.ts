import type { Step } from "../base/concurrency/step.js";
import { createLoyaltyError, notFound, validationFailed } from "../base/errors.js";
import { offsetOf, type Page, pageOf } from "../base/page.js";
import { parse, parseNew } from "../base/parse.js";
import { hashIdentity } from "../base/secrets/idempotency-seal.js";
import { MINUTE_MS, nextUpdatedAt } from "../base/values/clock.js";
import { extractPassCode } from "../base/values/short-link.js";
import { isStorable } from "../base/values/text.js";
import { findPass, findUser } from "../kernel/find.js";
import { type IdempotencyOptions, linkUserToCall, markNew } from "../kernel/idempotency/idempotent-call.js";
import type { Change, Tenant } from "../kernel/tenant.js";
import { type CallsOf, type SyncCallsOf, UseCases } from "../kernel/use-cases.js";
import type { StoredPurchase, StoredPurchaseEffect } from "../storage/purchases.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import {
  type Correction,
  confirmPoints,
  correctCards,
  createPurchaseCards,
  type PurchaseContent,
  readPurchaseCards,
} from "./corrections.js";
import { buildLines, returnAllLines, returnLines, sumRemaining } from "./lines.js";
import {
  type ChangedPurchase,
  type ParsedPurchase,
  type ParsedReturn,
  type Purchase,
  type PurchaseListQuery,
  type PurchaseResult,
  type PutPurchase,
  parseLines,
  pickEffects,
  purchaseKeySchema,
  purchaseListQuerySchema,
  purchaseOf,
  putPurchaseSchema,
  type ReturnPurchase,
  returnPurchaseSchema,
} from "./schema.js";

/** The public, asynchronous form of the {@link Purchases} methods. */
export interface PurchaseCalls extends CallsOf<Purchases> {}

/** The synchronous methods of {@link Purchases}, for use in a synchronous transaction. */
export type SyncPurchases = SyncCallsOf<Purchases>;

/** How far ahead of the clock a purchase can be, because clocks differ. */
const MAX_CLOCK_SKEW_MS = 5 * MINUTE_MS;

/**
 * Records what customers buy and return. The engine computes stamps and points from it, and corrects the cards by the exact
 * difference when a receipt changes. Sending the same state again changes nothing. Writes need the scope `purchase:write`, and
 * reads need `purchase:read`.
 */
export class Purchases extends UseCases {
  /**
   * Records a purchase or replaces it with its new state. The source and the receipt identify the purchase for good.
   * @param source the till or shop: 1 to 50 of the characters `a-z`, `0-9`, `.`, `_`, and `-`.
   * @param receipt the receipt's number at the source, 1 to 255 characters.
   * @param input the whole state of the purchase. `lines` has 1 to 500 lines, and amounts are in minor units.
   * @returns the purchase and what the call changed. `isApplied` is `false` if it changed nothing.
   * @throws {LoyaltyError} `validation_failed`, `resource_not_found` if the customer doesn't exist, `purchase_conflict` if the
   *   content differs but the revision doesn't, `more_than_bought` if a line is less than what was returned of it, or
   *   `access_denied` if the caller lacks `purchase:write`.
   * @example
   * await acme.purchases.put("till-7", "991", { userId: ada.id, currency: "EUR", lines: [{ amount: 1250 }] });
   */
  *put(source: string, receipt: string, input: PutPurchase & IdempotencyOptions): Step<PurchaseResult> {
    if (!isStorableKey(source, receipt)) throw notFound("purchase", receipt, this.tenant.organizationId);
    const key = parse(purchaseKeySchema, { source, receipt });
    const fields = parseNew(putPurchaseSchema, input);
    const { tenant } = this;
    return yield* tenant.changeUnlessRepeated(
      ["purchases.put", source, receipt, input],
      (reader) => findRepeatedPut(tenant, reader, key, fields),
      (change) => putPurchase(change, key, fields),
    );
  }

  /**
   * Returns a purchase by its source and receipt.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `purchase:read`.
   */
  async get(source: string, receipt: string): Promise<Purchase> {
    const { tenant } = this;
    return tenant.read(function* (reader) {
      const purchase = yield* findPurchase(tenant, reader, source, receipt);
      return purchaseOf(purchase, yield* reader.effectsOfPurchases([purchase.id]));
    });
  }

  /**
   * Lists purchases, newest first by the time at which they happened.
   * @param query `userId` is the ID or external ID of the customer. `from` is inclusive, and `to` is exclusive. `page` starts at 0.
   *   `size` is at least 1 and is capped at 200 (default: 50).
   * @throws {LoyaltyError} `validation_failed`, `resource_not_found` if the customer or the pass doesn't exist, or `access_denied`
   *   if the caller lacks `purchase:read`.
   */
  async list(query: PurchaseListQuery = {}): Promise<Page<Purchase>> {
    const { tenant } = this;
    const { organizationId } = tenant;
    const {
      userId,
      walletPassId,
      source = null,
      from,
      to,
      ...request
    } = parse(purchaseListQuerySchema, query);
    return tenant.read(function* (reader) {
      const filter = {
        userId: userId === undefined ? null : (yield* findUser(reader, organizationId, userId)).id,
        passId:
          walletPassId === undefined ? null : (yield* findPass(reader, organizationId, walletPassId)).id,
        source,
        from: from === undefined ? null : Date.parse(from),
        to: to === undefined ? null : Date.parse(to),
      };
      const { items, total } = yield* reader.listPurchases(filter, offsetOf(request), request.size);
      const effects = yield* reader.effectsOfPurchases(items.map(({ id }) => id));
      const purchases = items.map((purchase) => purchaseOf(purchase, pickEffects(purchase, effects)));
      return pageOf(purchases, total, request);
    });
  }

  /**
   * Takes back lines of a purchase, or all of them. The same return again changes nothing.
   * @param input `returnId` is your own ID for the return, unique for the purchase. Give either `lines` or `all`. A line without
   *   `quantity` and `amount` comes back as a whole, and one without `amount` pro rata.
   * @throws {LoyaltyError} `resource_not_found`, `validation_failed`, `more_than_bought`, `return_conflict` if the return was
   *   recorded with other content, or `access_denied` if the caller lacks `purchase:write`.
   * @example
   * await acme.purchases.addReturn("till-7", "991", { returnId: "r-1", lines: [{ id: "0", amount: 500 }] });
   */
  *addReturn(
    source: string,
    receipt: string,
    input: ReturnPurchase & IdempotencyOptions,
  ): Step<PurchaseResult> {
    const { tenant } = this;
    const fields = parseNew(returnPurchaseSchema, input);
    return yield* tenant.changeStep(["purchases.addReturn", source, receipt, input], function* (change) {
      return yield* addReturn(change, yield* findRecordedPurchase(change, source, receipt), fields);
    });
  }

  /**
   * Makes the pending points of a purchase usable now, and those that it gives later usable as they come.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `purchase:write`.
   */
  *confirm(source: string, receipt: string, options: IdempotencyOptions = {}): Step<PurchaseResult> {
    const { tenant } = this;
    return yield* tenant.changeStep(["purchases.confirm", source, receipt, options], function* (change) {
      const { purchase: before, effects } = yield* findRecordedPurchase(change, source, receipt);
      if (before.isFrozen || before.isConfirmed) return buildUnchangedResult(before, effects);
      const purchase = {
        ...before,
        isConfirmed: true,
        updatedAt: nextUpdatedAt(before.updatedAt, tenant.now()),
      };
      yield* change.tx.putPurchase(purchase, before);
      yield* confirmPoints(change, purchase, effects);
      return recordPurchase(change, before, buildUnchangedContent(purchase), { effects, changes: [] });
    });
  }
}

/** @throws {LoyaltyError} `resource_not_found` if there is no such purchase. */
function* findPurchase(
  { organizationId }: Tenant,
  reader: StorageReader,
  source: string,
  receipt: string,
): Step<StoredPurchase> {
  const purchase = isStorableKey(source, receipt) ? yield* reader.findPurchase(source, receipt) : null;
  if (purchase === null) throw notFound("purchase", receipt, organizationId);
  if (purchase.userId !== null) linkUserToCall(reader, purchase.userId);
  return purchase;
}

/** Returns whether a storage can keep a purchase's source and receipt. They are parts of a path, where anything else isn't found. */
function isStorableKey(source: unknown, receipt: unknown): boolean {
  return [source, receipt].every((part) => typeof part !== "string" || isStorable(part));
}

/** A recorded purchase with its effects on cards. */
interface RecordedPurchase {
  readonly purchase: StoredPurchase;
  readonly effects: readonly StoredPurchaseEffect[];
}

/** Does the same as {@link findPurchase}, and reads the effects. */
function* findRecordedPurchase(
  { tenant, tx }: Change,
  source: string,
  receipt: string,
): Step<RecordedPurchase> {
  const purchase = yield* findPurchase(tenant, tx, source, receipt);
  return { purchase, effects: yield* tx.effectsOfPurchases([purchase.id]) };
}

interface PurchaseKey {
  readonly source: string;
  readonly receipt: string;
}

/** Returns the result of a PUT that changes nothing, or `null` if it might change something. */
function* findRepeatedPut(
  tenant: Tenant,
  reader: StorageReader,
  { source, receipt }: PurchaseKey,
  fields: ParsedPurchase,
): Step<PurchaseResult | null> {
  const before = yield* reader.findPurchase(source, receipt);
  if (before === null) return null;
  const { purchase, lines } = yield* replacePurchase(tenant, reader, before, fields);
  if (purchase !== before) return null;
  return buildUnchangedResult(before, yield* reader.effectsOfPurchases([before.id]), lines);
}

function* putPurchase(change: Change, key: PurchaseKey, fields: ParsedPurchase): Step<PurchaseResult> {
  const { tx, tenant } = change;
  const before = yield* tx.findPurchase(key.source, key.receipt);
  if (before === null) {
    const newPurchase = createPurchase(tenant.newId("pur"), key, tenant.now());
    const content = yield* replaceContent(tenant, tx, newPurchase, fields);
    return markNew(yield* applyContent(change, null, content));
  }
  const effects = yield* tx.effectsOfPurchases([before.id]);
  const content = yield* replacePurchase(tenant, tx, before, fields);
  if (content.isChanged) return yield* applyContent(change, { purchase: before, effects }, content);
  const { purchase, lines } = content;
  if (purchase !== before) yield* tx.putPurchase(purchase, before);
  return buildUnchangedResult(purchase, effects, lines);
}

/** A purchase after a PUT. If nothing changes at all, it is the same object as before. */
interface ReplacedPurchase extends PurchaseContent {
  /** Whether more than the revision and the references changes. */
  readonly isChanged: boolean;
}

/** @throws {LoyaltyError} `validation_failed` without a revision, or `purchase_conflict` for other content with the same revision. */
function* replacePurchase(
  tenant: Tenant,
  reader: StorageReader,
  before: StoredPurchase,
  fields: ParsedPurchase,
): Step<ReplacedPurchase> {
  const { revision = null } = fields;
  // A purchase never changes again once its customer is gone.
  if (before.isFrozen) return buildUnchangedContent(before);
  if (before.revision !== null && revision === null)
    throw validationFailed({ revision: "is required, because the purchase already has one" });
  if (before.revision !== null && revision !== null && revision < before.revision)
    return buildUnchangedContent(before);
  const content = yield* replaceContent(tenant, reader, before, fields);
  if (content.isChanged && before.revision !== null && revision === before.revision)
    throw createLoyaltyError("purchase_conflict");
  return content;
}

function buildUnchangedContent(purchase: StoredPurchase): ReplacedPurchase {
  return { purchase, lines: parseLines(purchase), isChanged: false };
}

function createPurchase(id: string, { source, receipt }: PurchaseKey, now: number): StoredPurchase {
  return {
    id,
    source,
    receipt,
    revision: null,
    userId: null,
    references: [],
    at: now,
    currency: "",
    lines: "[]",
    remainingAmount: null,
    paidWithPoints: 0,
    note: null,
    isConfirmed: false,
    isFrozen: false,
    createdAt: now,
    updatedAt: now,
  };
}

/** Returns the purchase with the given content. What the host left out stays as it was or gets its default. */
function* replaceContent(
  tenant: Tenant,
  reader: StorageReader,
  before: StoredPurchase,
  fields: ParsedPurchase,
): Step<ReplacedPurchase> {
  const customer = yield* findCustomer(tenant, reader, before, fields);
  const at = fields.at === undefined ? before.at : parsePastTime(fields.at, tenant.now());
  const { currency, paidWithPoints, note, revision = before.revision } = fields;
  const lines = buildLines(fields.lines, parseLines(before));
  const storedLines = JSON.stringify(lines);
  const userId = customer?.userId ?? null;
  const isNewReference = customer !== null && !before.references.includes(customer.reference);
  const isChanged =
    userId !== before.userId ||
    at !== before.at ||
    currency !== before.currency ||
    storedLines !== before.lines ||
    paidWithPoints !== before.paidWithPoints ||
    note !== before.note;
  if (!isChanged && !isNewReference && revision === before.revision)
    return { purchase: before, lines, isChanged };
  const references = isNewReference ? [...before.references, customer.reference] : before.references;
  const content = { userId, at, currency, lines: storedLines, paidWithPoints, note, references, revision };
  return { purchase: { ...before, ...content }, lines, isChanged };
}

/** @throws {LoyaltyError} `validation_failed` for `at` if the time is too far ahead. */
function parsePastTime(text: string, now: number): number {
  const at = Date.parse(text);
  if (at > now + MAX_CLOCK_SKEW_MS) throw validationFailed({ at: "must be at most 5 minutes ahead" });
  return at;
}

/** A customer whom a call names, and how it names them. */
interface NamedCustomer {
  readonly userId: string;
  readonly reference: string;
}

/**
 * Finds the customer whom a call names. What was accepted for the purchase's current customer still names them, even if the pass has
 * been revoked or the external ID has changed.
 * @throws {LoyaltyError} `resource_not_found` if there is no such user or pass.
 */
function* findCustomer(
  { engine, organizationId }: Tenant,
  reader: StorageReader,
  before: StoredPurchase,
  { userId, walletPassId, qrCodeValue }: ParsedPurchase,
): Step<NamedCustomer | null> {
  const code = qrCodeValue === null ? null : extractPassCode(qrCodeValue, engine.config.shortLinks);
  if (qrCodeValue !== null && code === null) throw notFound("wallet_pass", qrCodeValue, organizationId);
  const [identifier] = Object.entries({ userId, walletPassId, code }).filter(([, value]) => value !== null);
  if (identifier === undefined) return null;
  const hash = hashIdentity([before.id, ...identifier]);
  const acceptedReference = `${hash} ${before.userId}`;
  if (before.userId !== null && before.references.includes(acceptedReference)) {
    linkUserToCall(reader, before.userId);
    return { userId: before.userId, reference: acceptedReference };
  }
  if (userId !== null) {
    const user = yield* findUser(reader, organizationId, userId);
    return { userId: user.id, reference: `${hash} ${user.id}` };
  }
  const pass =
    walletPassId === null
      ? yield* reader.findPassByCode(code ?? "")
      : yield* findPass(reader, organizationId, walletPassId);
  if (pass === null) throw notFound("wallet_pass", qrCodeValue ?? "", organizationId);
  linkUserToCall(reader, pass.userId);
  return { userId: pass.userId, reference: `${hash} ${pass.userId}` };
}

/**
 * Stores a purchase's new content and corrects the cards.
 * @param before the purchase as it was recorded, or `null` if it is new.
 * @param bookedAt the time to show in entries that take units back, in milliseconds since the Unix epoch.
 */
function* applyContent(
  change: Change,
  before: RecordedPurchase | null,
  { purchase: content, lines }: PurchaseContent,
  bookedAt: number = change.tenant.now(),
): Step<PurchaseResult> {
  const { tx, tenant } = change;
  const { purchase: previous = null, effects = [] } = before ?? {};
  const updatedAt = previous === null ? content.updatedAt : nextUpdatedAt(previous.updatedAt, tenant.now());
  const purchase = { ...content, remainingAmount: sumRemaining(lines), updatedAt };
  yield* tx.putPurchase(purchase, previous);
  const cards = yield* readPurchaseCards(change, effects);
  if (purchase.userId !== null && !hasNamedCustomer(previous, purchase.userId)) {
    const user = yield* tx.findUser(purchase.userId);
    const position = (effects.at(-1)?.position ?? -1) + 1;
    if (user !== null) cards.push(...(yield* createPurchaseCards(change, purchase, user, position)));
  }
  const correction = yield* correctCards(change, { purchase, lines }, cards, bookedAt);
  return recordPurchase(change, previous, { purchase, lines }, correction);
}

/** Returns whether a purchase has ever named a customer. */
function hasNamedCustomer(purchase: StoredPurchase | null, userId: string): boolean {
  return purchase?.references.some((reference) => reference.endsWith(` ${userId}`)) ?? false;
}

function* addReturn(change: Change, before: RecordedPurchase, fields: ParsedReturn): Step<PurchaseResult> {
  const { tx, tenant } = change;
  const { purchase, effects } = before;
  const now = tenant.now();
  if (purchase.isFrozen) return buildUnchangedResult(purchase, effects);
  const { returnId, note } = fields;
  const at = fields.at === undefined ? null : parsePastTime(fields.at, now);
  const request = { lines: fields.lines === undefined ? null : JSON.stringify(fields.lines), note };
  const previousReturn = yield* tx.findPurchaseReturn(purchase.id, returnId);
  if (previousReturn !== null) {
    const isSame =
      previousReturn.lines === request.lines &&
      previousReturn.note === note &&
      (at === null || at === previousReturn.at);
    if (!isSame) throw createLoyaltyError("return_conflict");
    return buildUnchangedResult(purchase, effects);
  }
  const linesBefore = parseLines(purchase);
  const lines =
    fields.lines === undefined ? returnAllLines(linesBefore) : returnLines(linesBefore, fields.lines);
  const row = { purchaseId: purchase.id, returnId, at, ...request, createdAt: now };
  yield* tx.putPurchaseReturn(row);
  const content = { purchase: { ...purchase, lines: JSON.stringify(lines) }, lines };
  if (content.purchase.lines === purchase.lines) return buildUnchangedResult(purchase, effects, lines);
  return yield* applyContent(change, before, content, at ?? now);
}

/**
 * Records the event of a purchase that was recorded or has changed. If the change takes the purchase from a customer, the event
 * names them too, because followers of events evaluate only the customers whom an event names.
 * @param before the purchase before the change, or `null` if it is new.
 */
function recordPurchase(
  { record }: Change,
  before: StoredPurchase | null,
  { purchase, lines }: PurchaseContent,
  { effects, changes }: Correction,
): PurchaseResult {
  const changedPurchase = { ...purchaseOf(purchase, effects, lines), changes: [...changes] };
  const previousUserId = before?.userId ?? null;
  const isReassigned = previousUserId !== null && previousUserId !== purchase.userId;
  const data: ChangedPurchase = isReassigned ? { ...changedPurchase, previousUserId } : changedPurchase;
  record(before === null ? "purchase.recorded" : "purchase.changed", data);
  return { ...changedPurchase, isApplied: true };
}

/** Returns the result of a call that changed nothing. */
function buildUnchangedResult(
  purchase: StoredPurchase,
  effects: readonly StoredPurchaseEffect[],
  lines = parseLines(purchase),
): PurchaseResult {
  return { ...purchaseOf(purchase, effects, lines), changes: [], isApplied: false };
}
