import { yieldIfDue } from "../base/concurrency/event-loop.js";
import type { Step } from "../base/concurrency/step.js";
import type { EventType } from "../base/event-types.js";
import { findErasedData } from "../base/event-types.js";
import { foldEmail } from "../base/values/email.js";
import { createContainsAny } from "../base/values/text.js";
import { revokedPassOf } from "../cards/pass-schema.js";
import type { Change } from "../kernel/tenant.js";
import { removeFromAudiences, skipPendingDeliveries } from "../messages/customer-deletion.js";
import type { PointChangeData } from "../points/schema.js";
import { type ChangedPurchase, type PurchaseLine, parseLines } from "../purchases/schema.js";
import { subjectColumns } from "../storage/actors.js";
import type { NewEventData, StoredEvent } from "../storage/events.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";
import { walletJobs } from "../storage/wallets.js";
import { mayStillBeFetched } from "../wallets/revoked-cards.js";
import { PersonTexts } from "./person-texts.js";
import { deletedUserOf } from "./schema.js";

const PAGE_SIZE = 500;

/** Events that contain the user's profile at that time. */
const profileEventTypes: ReadonlySet<string> = new Set<EventType>(["user.created", "user.updated"]);

/**
 * Positions of the events about a user, which are found before the transaction that erases the user begins. An organization can
 * have millions of events, and on SQLite, searching them inside the transaction would block every other writer.
 */
export interface UserEvents {
  /** Positions of the matching events, in ascending order. */
  readonly positions: readonly number[];
  /** The last outbox position that was searched. Events after this position are searched in the transaction itself. */
  readonly lastSearchedPosition: number;
}

export const noUserEvents: UserEvents = { positions: [], lastSearchedPosition: 0 };

/** Reads the events about some IDs in order: first the events found earlier, then newer events. */
class EventReader {
  private index = 0;
  private after: number;
  private readonly containsId: (data: string) => boolean;

  constructor(
    private readonly ids: readonly string[],
    private readonly userEvents: UserEvents,
  ) {
    this.containsId = createContainsAny(ids);
    this.after = userEvents.lastSearchedPosition;
  }

  /** Returns the next events, or an empty list if there are none left. */
  *next(reader: StorageReader): Step<readonly StoredEvent[]> {
    const { ids, userEvents } = this;
    while (this.index < userEvents.positions.length) {
      const positions = userEvents.positions.slice(this.index, this.index + PAGE_SIZE);
      this.index += positions.length;
      const events = yield* reader.eventsAt(positions);
      const matchingEvents = events.filter(({ data }) => this.containsId(data));
      if (matchingEvents.length > 0) return matchingEvents.sort((a, b) => a.position - b.position);
    }
    const events = yield* reader.listEvents(null, this.after, PAGE_SIZE, null, ids);
    this.after = events.at(-1)?.position ?? this.after;
    return events;
  }
}

/** Finds the events that {@link erasePersonalData} needs. Call it before you begin the transaction that erases the user. */
export function* findUserEvents(reader: StorageReader, user: StoredUser): Step<UserEvents> {
  const newestPosition = yield* reader.newestEventPosition();
  const passIds = new Set((yield* reader.passesOfUsers([user])).map(({ id }) => id));
  const positions = new Set<number>();
  for (let pendingIds = [user.id, ...passIds]; pendingIds.length > 0; ) {
    const eventReader = new EventReader(pendingIds, noUserEvents);
    const previousPassIds = new Set<string>();
    for (;;) {
      const events = yield* eventReader.next(reader);
      if (events.length === 0) break;
      for (const { position, data } of events) {
        positions.add(position);
        const parsed = JSON.parse(data);
        if (parsed.object === "wallet_pass" && isAboutUser(parsed, { user, passIds }))
          previousPassIds.add(parsed.id);
      }
      yield* yieldIfDue();
    }
    pendingIds = [...previousPassIds].filter((id) => !passIds.has(id));
    for (const id of pendingIds) passIds.add(id);
  }
  return { positions: [...positions].sort((a, b) => a - b), lastSearchedPosition: newestPosition };
}

/**
 * Removes a user's personal data, in the caller's transaction, from events, webhook and email deliveries, message audiences,
 * idempotency records, OAuth grants, and wallets. The caller must remove the user's own rows. The strings that identify the
 * person are matched regardless of case and include earlier names found in events. IDs are kept, and events keep their positions,
 * types, and times. If wallets are set up, devices that hold one of the user's passes stay until they have been notified.
 * @param passIds the IDs of the user's current passes.
 * @param userEvents the result of {@link findUserEvents}.
 */
export function* erasePersonalData(
  change: Change,
  user: StoredUser,
  passIds: readonly string[],
  userEvents: UserEvents,
): Step<void> {
  const { tenant, tx } = change;
  const { engine } = tenant;
  for (const { id } of yield* tx.listWebhookEndpoints()) {
    yield* tx.lockWebhookEndpoint(id, true);
  }
  const texts = yield* readPersonTexts(tx, user, userEvents);
  const allPassIds = new Set(passIds);
  for (let pendingIds = [user.id, ...passIds]; pendingIds.length > 0; ) {
    const eventReader = new EventReader(pendingIds, userEvents);
    const previousPassIds = yield* redactEvents(tx, eventReader, {
      user,
      texts,
      passIds: allPassIds,
    });
    // Events about the stamps of passes that were revoked earlier.
    pendingIds = previousPassIds.filter((id) => !allPassIds.has(id));
    for (const id of pendingIds) allPassIds.add(id);
  }
  yield* redactSubjects(tx, texts);
  yield* tx.redactIdempotencyRecords(user.id);
  yield* skipPendingDeliveries(change, user.id);
  yield* tx.removeMessageDeliveries({ userId: user.id });
  yield* removeFromAudiences(tx, user.id);
  if ((yield* tx.lockQueue(walletJobs)) === null) return;
  const now = engine.clock();
  for (const passId of allPassIds)
    yield* eraseCard(tx, passId, engine.channels.wallets.isServed ? now : null);
}

/**
 * Returns the strings that identify a user, including earlier values found in events. An email or external ID that now belongs to
 * another user is left out.
 */
export function* readPersonTexts(
  reader: StorageReader,
  user: StoredUser,
  userEvents: UserEvents,
): Step<PersonTexts> {
  const texts = new PersonTexts(user);
  const belongsToOther = (owner: StoredUser | null) => owner !== null && owner.id !== user.id;
  const eventReader = new EventReader([user.id], userEvents);
  for (;;) {
    const events = yield* eventReader.next(reader);
    if (events.length === 0) return texts;
    for (const { type, data } of events) {
      if (!profileEventTypes.has(type)) continue;
      const parsed = JSON.parse(data);
      if (parsed.id !== user.id) continue;
      const { email, name, phone, externalId } = parsed;
      texts.add({ name, phone });
      if (
        email !== null &&
        !texts.matchesAsEmail(email) &&
        !belongsToOther(yield* reader.findUserByEmail(foldEmail(email)))
      )
        texts.add({ email });
      if (externalId === null || texts.matchesAsEmail(externalId)) continue;
      if (!belongsToOther(yield* reader.findUserByExternalId(externalId))) texts.add({ externalId });
    }
    yield* yieldIfDue();
  }
}

/** Redacts every stored subject that identifies the person, both in recorded actors and in app grants. */
export function* redactSubjects(tx: StorageTransaction, texts: PersonTexts): Step<void> {
  for (const column of subjectColumns) {
    for (let after: string | undefined = ""; after !== undefined; ) {
      const subjects: string[] = yield* tx.listSubjects(column, after, PAGE_SIZE);
      const matchingSubjects: string[] = [];
      for (const subject of subjects) {
        if (!texts.has(subject)) continue;
        if (texts.matchesAsEmail(subject) || !(yield* belongsToCustomer(tx, subject)))
          matchingSubjects.push(subject);
      }
      if (matchingSubjects.length > 0) yield* tx.redactSubjects(matchingSubjects);
      after = subjects.at(-1);
      yield* yieldIfDue();
    }
  }
}

/** Returns whether the text is another customer's email or external ID. Emails match in any notation. */
function* belongsToCustomer(tx: StorageTransaction, text: string): Step<boolean> {
  if ((yield* tx.findUserByEmail(foldEmail(text))) !== null) return true;
  return (yield* tx.findUserByExternalId(text)) !== null;
}

interface ErasureTarget {
  readonly user: StoredUser;
  readonly texts: PersonTexts;
  readonly passIds: ReadonlySet<string>;
}

/**
 * Removes the user's personal data from the events that a search returns.
 * @returns the IDs of the passes that the events refer to.
 */
function* redactEvents(
  tx: StorageTransaction,
  eventReader: EventReader,
  target: ErasureTarget,
): Step<string[]> {
  const passIds: string[] = [];
  for (;;) {
    const events = yield* eventReader.next(tx);
    if (events.length === 0) return passIds;
    const changedEvents: NewEventData[] = [];
    for (const { position, id, type, data, actor } of events) {
      const parsed = JSON.parse(data);
      if (!isAboutUser(parsed, target)) continue;
      if (parsed.object === "wallet_pass") passIds.push(parsed.id);
      const newData = findErasedData(type) !== null ? JSON.stringify(buildErasedData(parsed)) : data;
      changedEvents.push({ position, id, data: newData, actor: actor && redactActor(actor, target.texts) });
    }
    if (changedEvents.length > 0) yield* tx.replaceEventData(changedEvents);
    yield* yieldIfDue();
  }
}

/** Removes every field that identifies the person from a serialized actor, such as a till's name. */
function redactActor(actor: string, texts: PersonTexts): string {
  const { kind, ...fields }: { readonly kind: string } & Readonly<Record<string, unknown>> =
    JSON.parse(actor);
  const identifiesPerson = (name: string, text: unknown) =>
    typeof text === "string" && (name === "id" ? texts.has(text) : texts.occursIn(text));
  const remainingFields = Object.entries(fields).filter(([name, text]) => !identifiesPerson(name, text));
  return JSON.stringify({ kind, ...Object.fromEntries(remainingFields) });
}

/** @param now the current time; `null` if no wallet can notify the devices. */
function* eraseCard(tx: StorageTransaction, passId: string, now: number | null): Step<void> {
  const card = yield* tx.findWalletCard(passId);
  if (card === null) return;
  const devices = yield* tx.walletDevicesOf([passId]);
  const registeredDevices = new Set(devices.filter(({ state }) => state === "registered"));
  if (now === null || (registeredDevices.size === 0 && !mayStillBeFetched(card, now))) {
    yield* tx.deleteWalletCard(passId);
    return;
  }
  for (const device of devices) if (!registeredDevices.has(device)) yield* tx.deleteWalletDevice(device);
  if (card.revokedAt === null) return;
  // The event that revoked the pass came earlier, so notify the devices once more and then remove them.
  const delivery = { passId, revision: card.revision, nextAttemptAt: now, createdAt: now };
  yield* tx.putJobs(walletJobs, [{ ...delivery, platform: "apple" }]);
}

/**
 * Removes a customer who is being deleted from their purchases. The purchases stay with their amounts, but never change again. Call
 * it before the user's own rows are removed.
 */
export function* freezePurchases({ tx }: Change, userId: string): Step<void> {
  const filter = { userId, passId: null, source: null, from: null, to: null };
  for (;;) {
    const { items } = yield* tx.listPurchases(filter, 0, PAGE_SIZE);
    if (items.length === 0) return;
    for (const purchase of items) {
      const lines = JSON.stringify(parseLines(purchase).map(removeLineName));
      const frozenPurchase = { ...purchase, userId: null, references: [], lines, note: null, isFrozen: true };
      yield* tx.putPurchase(frozenPurchase, purchase);
      for (const purchaseReturn of yield* tx.returnsOfPurchase(purchase.id))
        yield* tx.putPurchaseReturn({ ...purchaseReturn, note: null });
    }
    yield* yieldIfDue();
  }
}

function removeLineName(line: PurchaseLine): PurchaseLine {
  return { ...line, name: null };
}

/** The event data from which the erasure removes personal fields. */
type ErasableData =
  | Parameters<typeof deletedUserOf>[0]
  | Parameters<typeof revokedPassOf>[0]
  | ChangedPurchase
  | PointChangeData;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isAboutUser(
  data: Readonly<Record<string, unknown>>,
  { user, passIds }: Pick<ErasureTarget, "user" | "passIds">,
): boolean {
  const { id, userId, walletPassId, pointCard } = data;
  if (typeof userId === "string") return userId === user.id;
  if (isObject(pointCard)) return isAboutUser(pointCard, { user, passIds });
  return id === user.id || (typeof walletPassId === "string" && passIds.has(walletPassId));
}

/** Returns the part of an event's data that remains after the erasure. */
function buildErasedData(data: ErasableData) {
  if ("receipt" in data) return { ...data, note: null, lines: data.lines.map(removeLineName) };
  if ("pointCard" in data) return { ...data, entry: { ...data.entry, note: null } };
  return "userId" in data ? revokedPassOf(data) : deletedUserOf(data);
}
