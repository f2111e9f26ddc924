import type { Step } from "../base/concurrency/step.js";
import type { EventType } from "../base/event-types.js";
import type { Engine } from "../kernel/engine.js";
import type { ChangedPurchase } from "../purchases/schema.js";
import type { StoredEvent } from "../storage/events.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import { type StoredWalletCard, type StoredWalletQueue, walletJobs } from "../storage/wallets.js";
import { addRefreshes, bumpCardRevisions } from "./card-revisions.js";

/** Maximum number of events per read. */
const BATCH_SIZE = 500;
const MAX_REFRESHED_CARDS = 200;
/** Maximum number of cards per read and write. A purchase can change many. */
const MAX_CARDS = 1_000;

/** Event types that change what cards show. */
const cardEventTypes: readonly EventType[] = [
  "stamp.added",
  "stamp.removed",
  "stamp.set",
  "stamp.reset",
  "stamp.reversed",
  "stamp_card.redeemed",
  "reward.granted",
  "points.earned",
  "points.returned",
  "points.added",
  "points.removed",
  "points.spent",
  "points.expired",
  "points.reversed",
  "purchase.changed",
  "pass.revoked",
  "template.updated",
];

/** Snapshot of the events that a wallet queue hasn't processed yet. */
interface Backlog {
  readonly queue: StoredWalletQueue;
  readonly events: readonly StoredEvent[];
  /** The passes whose pending points became usable because their purchase was confirmed. */
  readonly confirmedPassIds: readonly string[];
  readonly end: number;
  /** Whether events were deleted before the queue processed them. */
  readonly isGap: boolean;
}

/** The part of an event's data that says what changed. */
interface EventSubject {
  readonly id?: string;
  readonly walletPassId?: string;
  readonly pointCard?: { readonly walletPassId: string };
}

interface CardChanges {
  readonly passIds: Set<string>;
  readonly revoked: Set<string>;
  readonly templateIds: Set<string>;
}

/**
 * Applies outbox events to wallet cards in order, and creates deliveries. Changes to the same card are coalesced if they are in the
 * same batch, or if the card's previous delivery hasn't been sent yet.
 */
export class CardFollower {
  constructor(
    private readonly engine: Pick<Engine, "storage" | "clock" | "changes">,
    /** How long a delivery waits for further changes to its card, in milliseconds. */
    private readonly debounceMs: number,
  ) {}

  /**
   * Applies the next batch of events.
   * @returns whether there might be more events to apply.
   */
  async follow(organizationId: string): Promise<boolean> {
    const { storage, changes } = this.engine;
    const backlog = await storage.snapshot(organizationId, (reader) => readBacklog(reader));
    if (backlog === null) return false;
    return changes.runOutOfTurn(organizationId, (tx) => this.applyEvents(tx, backlog));
  }

  private *applyEvents(
    tx: StorageTransaction,
    { queue, events, confirmedPassIds, end, isGap }: Backlog,
  ): Step<boolean> {
    const current = yield* tx.tryLockQueue(walletJobs);
    if (current === null) return false;
    // Another worker has already processed these events.
    if (current.position !== queue.position) return true;
    const changes = collectChanges(events);
    const sweeps = addRefreshes(current.sweeps, isGap ? [null] : [...changes.templateIds]);
    const passIds = [...new Set([...changes.passIds, ...confirmedPassIds])];
    const now = this.engine.clock();
    let { revision } = current;
    for (let at = 0; at < passIds.length; at += MAX_CARDS) {
      const storedCards = yield* tx.walletCardsOf(passIds.slice(at, at + MAX_CARDS));
      const cards = storedCards.map((card) =>
        changes.revoked.has(card.passId) ? { ...card, revokedAt: now } : card,
      );
      revision = yield* this.bumpRevisions(tx, revision, cards);
    }
    yield* tx.updateQueue(walletJobs, { position: end, revision, sweeps });
    return events.length === BATCH_SIZE;
  }

  /**
   * Marks the next batch of cards as changed, after a design change or a gap in the events. Cards are marked in batches, so that
   * phones and wallets don't all fetch their updates at the same time.
   * @returns whether there are more cards to refresh.
   */
  async refreshNext(organizationId: string): Promise<boolean> {
    const { storage, changes } = this.engine;
    const revokedPassIds = await storage.snapshot(organizationId, (reader) => findRevokedAfterGap(reader));
    return changes.runOutOfTurn(organizationId, (tx) => this.refreshBatch(tx, revokedPassIds));
  }

  private *refreshBatch(tx: StorageTransaction, revokedPassIds: ReadonlySet<string>): Step<boolean> {
    const { clock } = this.engine;
    const queue = yield* tx.tryLockQueue(walletJobs);
    const [next, ...others] = queue?.sweeps ?? [];
    if (queue === null || next === undefined) return false;
    const { templateId, after } = next;
    const cards = yield* tx.walletCardsOfTemplate(templateId, after, MAX_REFRESHED_CARDS);
    const markedCards = cards.map((card) =>
      revokedPassIds.has(card.passId) ? { ...card, revokedAt: clock() } : card,
    );
    const revision = yield* this.bumpRevisions(tx, queue.revision, markedCards);
    const last = cards.at(-1);
    const hasMore = cards.length === MAX_REFRESHED_CARDS && last !== undefined;
    const sweeps = hasMore ? [{ templateId, after: last.passId }, ...others] : others;
    yield* tx.updateQueue(walletJobs, { ...queue, revision, sweeps });
    return sweeps.length > 0;
  }

  private bumpRevisions(
    tx: StorageTransaction,
    newest: number,
    cards: readonly StoredWalletCard[],
  ): Step<number> {
    const { engine, debounceMs } = this;
    return bumpCardRevisions(tx, cards, { newest, now: engine.clock(), debounceMs });
  }
}

/** Reads the next backlog, or returns `null` if there is nothing to do. */
function* readBacklog(reader: StorageReader): Step<Backlog | null> {
  const queue = yield* reader.findQueue(walletJobs);
  if (queue === null) return null;
  const newest = yield* reader.newestEventPosition();
  if (newest <= queue.position) return null;
  const [oldest] = yield* reader.listEventHeads(null, queue.position, 1);
  const isGap = oldest === undefined || oldest.position > queue.position + 1;
  const events = yield* reader.listEvents(cardEventTypes, queue.position, BATCH_SIZE);
  const end = events.length === BATCH_SIZE ? (events.at(-1)?.position ?? newest) : newest;
  const confirmedPassIds = yield* readConfirmedPasses(reader, events);
  return { queue, events, confirmedPassIds, end, isGap };
}

/**
 * Returns the passes whose pending points a confirmed purchase made usable. That adds no entry to their ledgers, so no other event
 * reports it.
 */
function* readConfirmedPasses(reader: StorageReader, events: readonly StoredEvent[]): Step<string[]> {
  const passIds: string[] = [];
  for (const { type, data } of events) {
    if (type !== "purchase.changed") continue;
    const { source, receipt, changes, effects }: ChangedPurchase = JSON.parse(data);
    const pointEffects = effects.filter(({ unit }) => unit === "points");
    if (changes.length > 0 || pointEffects.length === 0) continue;
    const purchase = yield* reader.findPurchase(source, receipt);
    if (purchase?.isConfirmed) passIds.push(...pointEffects.map(({ walletPassId }) => walletPassId));
  }
  return passIds;
}

function collectChanges(events: readonly StoredEvent[]): CardChanges {
  const changes = { passIds: new Set<string>(), revoked: new Set<string>(), templateIds: new Set<string>() };
  for (const { type, data } of events) {
    const { id, walletPassId, pointCard }: EventSubject = JSON.parse(data);
    const passId = walletPassId ?? pointCard?.walletPassId;
    if (passId !== undefined) changes.passIds.add(passId);
    if (id === undefined) continue;
    if (type === "template.updated") changes.templateIds.add(id);
    if (type !== "pass.revoked") continue;
    changes.passIds.add(id);
    changes.revoked.add(id);
  }
  return changes;
}

/**
 * Returns the revoked passes among the next cards of a refresh that follows a gap in the events, because their `pass.revoked`
 * events may be missing. It runs outside the refresh transaction, where reading a pass would wait for the organization's other
 * changes.
 */
function* findRevokedAfterGap(reader: StorageReader): Step<ReadonlySet<string>> {
  const [next] = (yield* reader.findQueue(walletJobs))?.sweeps ?? [];
  const revokedPassIds = new Set<string>();
  if (next === undefined || next.templateId !== null) return revokedPassIds;
  for (const { passId } of yield* reader.walletCardsOfTemplate(null, next.after, MAX_REFRESHED_CARDS)) {
    if ((yield* reader.findPass(passId)) === null) revokedPassIds.add(passId);
  }
  return revokedPassIds;
}
