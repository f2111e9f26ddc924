import type { Actor } from "../access/actor-schema.js";
import { type AutomationRun, automationRunOf } from "../automations/run-schema.js";
import type { Step } from "../base/concurrency/step.js";
import { timestamp } from "../base/values/clock.js";
import { type WalletPassDetail, walletPassDetailOf } from "../cards/pass-schema.js";
import { type StampCard, type StampEntry, stampCardOf, stampEntryOf } from "../cards/stamps-schema.js";
import { eventOf, type OutboxEvent } from "../kernel/events/event-emitter.js";
import type { Tenant } from "../kernel/tenant.js";
import { type MessageDelivery, toMessageDelivery } from "../messages/delivery-schema.js";
import { type Subscription, toSubscription } from "../messages/subscription-schema.js";
import { readSubscription } from "../messages/subscription-state.js";
import { readPointCard } from "../points/points.js";
import { type PointEntry, pointEntryOf } from "../points/schema.js";
import { type Purchase, pickEffects, purchaseOf } from "../purchases/schema.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";
import type { StoredWalletDevice, WalletDeviceState, WalletPlatform } from "../storage/wallets.js";
import { toUserTag, type UserTag } from "../tags/schema.js";
import { PersonTexts } from "./person-texts.js";
import { type User, userOf } from "./schema.js";

const PAGE_SIZE = 500;

/** A device that has, or once had, one of the customer's passes. The push address is omitted. */
export interface DossierDevice {
  /** The wallet app that holds the pass on this device. */
  readonly platform: WalletPlatform;
  /** Whether the device still has the pass (`registered`), has removed it (`gone`), or can't be reached (`token_dead`). */
  readonly state: WalletDeviceState;
  /** When the device was first recorded, as an ISO 8601 timestamp. */
  readonly createdAt: string;
  /** When the device's record last changed, as an ISO 8601 timestamp. */
  readonly updatedAt: string;
}

/** A pass, along with its stamp state, its complete ledger, and the devices that have or once had the pass. */
export interface DossierPass extends WalletPassDetail {
  /** The pass's stamp state; `null` if the pass isn't a stamp card. */
  readonly stamps: StampCard | null;
  /** The pass's complete ledger, newest entry first. */
  readonly history: readonly StampEntry[];
  /** The pass's complete point ledger, newest entry first. */
  readonly pointHistory: readonly PointEntry[];
  /** The devices that currently have, or previously had, the pass. */
  readonly devices: readonly DossierDevice[];
}

/** Everything stored about one customer, for example to answer a subject access request. */
export interface Dossier {
  /** The type of the resource. Resources of the same type always have the same value. */
  readonly object: "dossier";
  /** The user's own record, including metadata. */
  readonly user: User;
  /** The user's tags, in the order they were assigned. */
  readonly tags: readonly UserTag[];
  /** The user's passes, oldest first. */
  readonly passes: readonly DossierPass[];
  /** The user's purchases, newest first. */
  readonly purchases: readonly Purchase[];
  /** The user's consent to receive messages on each channel. */
  readonly subscription: Subscription;
  /** The emails sent to the user, newest first, each with its last ten attempts. */
  readonly messageDeliveries: readonly MessageDelivery[];
  /** The user's stored automation runs, newest first. */
  readonly automationRuns: readonly AutomationRun[];
  /** The stored events about the user and their passes, oldest first. */
  readonly events: readonly OutboxEvent[];
}

/** Reads everything stored about a user from a single snapshot. */
export function* readDossier({ engine }: Tenant, reader: StorageReader, user: StoredUser): Step<Dossier> {
  const now = engine.clock();
  const passes: DossierPass[] = [];
  const redact = createSubjectRedactor(new PersonTexts(user));
  for (const pass of yield* reader.passesOfUsers([user])) {
    const template = yield* reader.findTemplate(pass.templateId);
    if (template === null) throw new Error(`the pass ${pass.id} has no template`);
    const { card, id } = pass;
    const devices = (yield* reader.walletDevicesOf([id])).map(deviceOf);
    const history = (yield* readHistory(reader, id)).map(redact);
    const stamps = card === null ? null : stampCardOf(pass, card);
    const pointHistory = (yield* readPointHistory(reader, id)).map(redact);
    const pointCard = yield* readPointCard(reader, pass, template, now);
    const detail = walletPassDetailOf(pass, template, engine.config.shortLinks.current, pointCard);
    passes.push({ ...detail, stamps, history, pointHistory, devices });
  }
  const tags = (yield* reader.tagsOfUser(user.ordinal)).map(toUserTag);
  const subscription = toSubscription(yield* readSubscription(reader, user.id));
  const userId = user.id;
  const purchases = yield* readPurchases(reader, userId);
  const messageDeliveries = yield* readAllPages(function* (query) {
    const { items } = yield* reader.messageDeliveriesOf({ userId }, query);
    return items.map(toMessageDelivery);
  });
  const automationRuns = yield* readAllPages(function* (query) {
    const { items } = yield* reader.listAutomationRuns({ userId }, query);
    return items.map(automationRunOf);
  });
  const ids = [userId, ...passes.map(({ id }) => id)];
  const events = (yield* readEventsAbout(reader, ids)).map(redact);
  return {
    object: "dossier",
    user: userOf(user),
    tags,
    passes,
    purchases,
    subscription,
    messageDeliveries,
    automationRuns,
    events,
  };
}

/**
 * Returns a function that replaces other people's subjects with `null`, because the customer isn't entitled to know who else acted.
 */
function createSubjectRedactor(ownTexts: PersonTexts) {
  return <T extends { readonly actor: Actor }>(entry: T): T => {
    const { subject } = entry.actor;
    const isOther = subject !== null && !ownTexts.has(subject);
    return isOther ? { ...entry, actor: { ...entry.actor, subject: null } } : entry;
  };
}

/** Converts a stored device to its API format, which doesn't include the push address. */
export function deviceOf({ platform, state, createdAt, updatedAt }: StoredWalletDevice): DossierDevice {
  return { platform, state, createdAt: timestamp(createdAt), updatedAt: timestamp(updatedAt) };
}

function* readHistory(reader: StorageReader, passId: string): Step<StampEntry[]> {
  const history: StampEntry[] = [];
  for (;;) {
    const entries = yield* reader.listStampEntries(passId, history.length, PAGE_SIZE);
    if (entries.length === 0) return history;
    history.push(...entries.map(stampEntryOf));
  }
}

function* readPointHistory(reader: StorageReader, passId: string): Step<PointEntry[]> {
  const history: PointEntry[] = [];
  for (;;) {
    const entries = yield* reader.listPointEntries(passId, history.length, PAGE_SIZE);
    if (entries.length === 0) return history;
    history.push(...entries.map(pointEntryOf));
  }
}

function* readPurchases(reader: StorageReader, userId: string): Step<Purchase[]> {
  const filter = { userId, passId: null, source: null, from: null, to: null };
  const purchases: Purchase[] = [];
  for (;;) {
    const { items } = yield* reader.listPurchases(filter, purchases.length, PAGE_SIZE);
    if (items.length === 0) return purchases;
    const ids = items.map(({ id }) => id);
    const effects = yield* reader.effectsOfPurchases(ids);
    purchases.push(...items.map((purchase) => purchaseOf(purchase, pickEffects(purchase, effects))));
  }
}

interface PageRequest {
  readonly status: null;
  readonly page: number;
  readonly size: number;
}

/** Reads all pages of a list. */
function* readAllPages<Row>(readPage: (request: PageRequest) => Step<readonly Row[]>): Step<Row[]> {
  const allRows: Row[] = [];
  for (let page = 0; ; page += 1) {
    const rows = yield* readPage({ status: null, page, size: PAGE_SIZE });
    allRows.push(...rows);
    if (rows.length < PAGE_SIZE) return allRows;
  }
}

/** Returns the retained events that refer to one of the IDs. */
function* readEventsAbout(reader: StorageReader, ids: readonly string[]): Step<OutboxEvent[]> {
  const allEvents: OutboxEvent[] = [];
  for (let after = 0; ; ) {
    const events = yield* reader.listEvents(null, after, PAGE_SIZE, null, ids);
    allEvents.push(...events.map(eventOf));
    const last = events.at(-1);
    if (last === undefined || events.length < PAGE_SIZE) return allEvents;
    after = last.position;
  }
}
