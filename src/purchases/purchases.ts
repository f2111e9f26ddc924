import type { Step } from "../base/concurrency/step.js";
import { createLoyaltyError, notFound, validationFailed } from "../base/errors.js";
import { offsetOf, type Page, pageOf } from "../base/page.js";
import { parse, parseNew } from "../base/parse.js";
import { hashIdentity } from "../base/secrets/idempotency-seal.js";
import { MINUTE_MS, nextUpdatedAt } from "../base/values/clock.js";
import { extractPassCode } from "../base/values/short-link.js";
import { isStorable } from "../base/values/text.js";
import { findPass, findUser } from "../kernel/find.js";
import { linkUserToCall, markNew } from "../kernel/idempotency/call-outcome.js";
import type { IdempotencyOptions } from "../kernel/idempotency/idempotent-call.js";
import type { Change, Tenant } from "../kernel/tenant.js";
import { type CallsOf, type SyncCallsOf, UseCases } from "../kernel/use-cases.js";
import type { StoredPurchase, StoredPurchaseEffect } from "../storage/purchases.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { type Correction, confirmPoints, correctCards, createCards, readCards } from "./corrections.js";
import { buildLines, returnAllLines, returnLines, sumRemaining } from "./lines.js";
import {
  type ChangedPurchase,
  effectsOf,
  type ParsedPurchase,
  type ParsedReturn,
  type Purchase,
  type PurchaseLine,
  type PurchaseListQuery,
  type PurchaseResult,
  type PutPurchase,
  parseLines,
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
const MAX_AHEAD_MS = 5 * MINUTE_MS;

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
      const purchases = items.map((purchase) => purchaseOf(purchase, effectsOf(purchase, effects)));
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
      const purchase = yield* findPurchase(tenant, change.tx, source, receipt);
      return yield* addReturn(change, purchase, fields);
    });
  }

  /**
   * Makes the pending points of a purchase usable now, and those that it gives later usable as they come.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `purchase:write`.
   */
  *confirm(source: string, receipt: string, options: IdempotencyOptions = {}): Step<PurchaseResult> {
    const { tenant } = this;
    return yield* tenant.changeStep(["purchases.confirm", source, receipt, options], function* (change) {
      const before = yield* findPurchase(tenant, change.tx, source, receipt);
      const effects = yield* readEffects(change, before);
      if (before.isFrozen || before.isConfirmed) return unchangedResult(before, effects);
      const purchase = {
        ...before,
        isConfirmed: true,
        updatedAt: nextUpdatedAt(before.updatedAt, tenant.now()),
      };
      yield* change.tx.putPurchase(purchase, before);
      yield* confirmPoints(change, purchase, effects);
      return recordPurchase(change, "purchase.changed", contentOf(purchase), {
        effects,
        changes: [],
      });
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

function readEffects({ tx }: Change, { id }: StoredPurchase): Step<StoredPurchaseEffect[]> {
  return tx.effectsOfPurchases([id]);
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
  const stored = yield* reader.findPurchase(source, receipt);
  if (stored === null) return null;
  const { purchase, lines } = yield* replaceStored(tenant, reader, stored, fields);
  if (purchase !== stored) return null;
  return unchangedResult(stored, yield* reader.effectsOfPurchases([stored.id]), lines);
}

function* putPurchase(change: Change, key: PurchaseKey, fields: ParsedPurchase): Step<PurchaseResult> {
  const { tx, tenant } = change;
  const stored = yield* tx.findPurchase(key.source, key.receipt);
  if (stored === null) {
    const empty = createPurchase(tenant.newId("pur"), key, tenant.now());
    const content = yield* replaceContent(tenant, tx, empty, fields);
    return markNew(yield* applyContent(change, "purchase.recorded", empty, content, []));
  }
  const effects = yield* readEffects(change, stored);
  const content = yield* replaceStored(tenant, tx, stored, fields);
  if (content.isChanged) return yield* applyContent(change, "purchase.changed", stored, content, effects);
  const { purchase, lines } = content;
  if (purchase !== stored) yield* tx.putPurchase(purchase, stored);
  return unchangedResult(purchase, effects, lines);
}

/** A purchase with its lines, which it stores as JSON. */
interface PurchaseContent {
  readonly purchase: StoredPurchase;
  readonly lines: readonly PurchaseLine[];
}

/** A purchase after a PUT. If nothing changes at all, it is the same object as before. */
interface ReplacedPurchase extends PurchaseContent {
  /** Whether more than the revision and the references changes. */
  readonly isChanged: boolean;
}

/** @throws {LoyaltyError} `validation_failed` without a revision, or `purchase_conflict` for other content with the same revision. */
function* replaceStored(
  tenant: Tenant,
  reader: StorageReader,
  stored: StoredPurchase,
  fields: ParsedPurchase,
): Step<ReplacedPurchase> {
  const { revision = null } = fields;
  // A purchase never changes again once its customer is gone.
  if (stored.isFrozen) return contentOf(stored);
  if (stored.revision !== null && revision === null)
    throw validationFailed({ revision: "is required, because the purchase already has one" });
  if (stored.revision !== null && revision !== null && revision < stored.revision) return contentOf(stored);
  const replaced = yield* replaceContent(tenant, reader, stored, fields);
  if (replaced.isChanged && stored.revision !== null && revision === stored.revision)
    throw createLoyaltyError("purchase_conflict");
  return replaced;
}

function contentOf(purchase: StoredPurchase): ReplacedPurchase {
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
  if (at > now + MAX_AHEAD_MS) throw validationFailed({ at: "must be at most 5 minutes ahead" });
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
  const [name] = Object.entries({ userId, walletPassId, code }).filter(([, value]) => value !== null);
  if (name === undefined) return null;
  const hash = hashIdentity([before.id, ...name]);
  const accepted = `${hash} ${before.userId}`;
  if (before.userId !== null && before.references.includes(accepted)) {
    linkUserToCall(reader, before.userId);
    return { userId: before.userId, reference: accepted };
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

/** Stores a purchase's new content and corrects the cards. */
function* applyContent(
  change: Change,
  type: "purchase.recorded" | "purchase.changed",
  before: StoredPurchase,
  { purchase: content, lines }: PurchaseContent,
  effects: readonly StoredPurchaseEffect[],
  bookedAt: number = change.tenant.now(),
): Step<PurchaseResult> {
  const { tx, tenant } = change;
  const isNew = type === "purchase.recorded";
  const updatedAt = isNew ? before.updatedAt : nextUpdatedAt(before.updatedAt, tenant.now());
  const purchase = { ...content, remainingAmount: sumRemaining(lines), updatedAt };
  yield* tx.putPurchase(purchase, isNew ? null : before);
  const cards = yield* readCards(change, effects);
  if (!isNamedBefore(before, purchase.userId)) {
    const user = purchase.userId === null ? null : yield* tx.findUser(purchase.userId);
    const position = (effects.at(-1)?.position ?? -1) + 1;
    if (user !== null) cards.push(...(yield* createCards(change, purchase, user, position)));
  }
  const correction = yield* correctCards(change, purchase, lines, cards, bookedAt);
  const previousUserId = before.userId === purchase.userId ? null : before.userId;
  return recordPurchase(change, type, { purchase, lines }, correction, previousUserId);
}

function isNamedBefore({ references }: StoredPurchase, userId: string | null): boolean {
  return userId === null || references.some((reference) => reference.endsWith(` ${userId}`));
}

function* addReturn(change: Change, stored: StoredPurchase, fields: ParsedReturn): Step<PurchaseResult> {
  const { tx, tenant } = change;
  const now = tenant.now();
  const effects = yield* readEffects(change, stored);
  if (stored.isFrozen) return unchangedResult(stored, effects);
  const { returnId, note } = fields;
  const at = fields.at === undefined ? null : parsePastTime(fields.at, now);
  const request = { lines: fields.lines === undefined ? null : JSON.stringify(fields.lines), note };
  const recorded = yield* tx.findPurchaseReturn(stored.id, returnId);
  if (recorded !== null) {
    const isSame =
      recorded.lines === request.lines && recorded.note === note && (at === null || at === recorded.at);
    if (!isSame) throw createLoyaltyError("return_conflict");
    return unchangedResult(stored, effects);
  }
  const before = parseLines(stored);
  const lines = fields.lines === undefined ? returnAllLines(before) : returnLines(before, fields.lines);
  const row = { purchaseId: stored.id, returnId, at, ...request, createdAt: now };
  yield* tx.putPurchaseReturn(row);
  const purchase = { ...stored, lines: JSON.stringify(lines) };
  if (purchase.lines === stored.lines) return unchangedResult(stored, effects, lines);
  return yield* applyContent(change, "purchase.changed", stored, { purchase, lines }, effects, at ?? now);
}

/**
 * Records the event of a purchase that changed.
 * @param previousUserId the customer from whom the change takes the purchase. The event names them, because followers of events
 *   evaluate only the customers whom an event names.
 */
function recordPurchase(
  { record }: Change,
  type: "purchase.recorded" | "purchase.changed",
  { purchase, lines }: PurchaseContent,
  { effects, changes }: Correction,
  previousUserId: string | null = null,
): PurchaseResult {
  const changed = { ...purchaseOf(purchase, effects, lines), changes: [...changes] };
  const data: ChangedPurchase = previousUserId === null ? changed : { ...changed, previousUserId };
  record(type, data);
  return { ...changed, isApplied: true };
}

/** Returns the result of a call that changed nothing. */
function unchangedResult(
  purchase: StoredPurchase,
  effects: readonly StoredPurchaseEffect[],
  lines = parseLines(purchase),
): PurchaseResult {
  return { ...purchaseOf(purchase, effects, lines), changes: [], isApplied: false };
}
