import type { Step } from "../base/concurrency/step.js";
import type { BackendParts } from "../kernel/tenant.js";
import type { StoredAutomation, StoredAutomationQueue } from "../storage/automations.js";
import type { StoredEvent } from "../storage/events.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import { cleanUpDeleted } from "./deletion-cleanup.js";
import { insertRuns, MAX_NEW_RUNS, type RunStart } from "./new-runs.js";
import { type AutomationState, triggerOf } from "./schema.js";
import { isStartedBy, parseStartEvent, startEventType } from "./start-events.js";

/** Maximum number of events per read. */
const BATCH = 200;

/** The event type for a deleted automation. */
const DELETED = "automation.deleted";

/** The events that an organization's automations have not processed yet, read from one snapshot. */
interface Backlog {
  readonly queue: StoredAutomationQueue;
  readonly starts: readonly RunStart[];
  /** The position of the last event that `starts` takes into account. */
  readonly end: number;
  readonly hasMore: boolean;
  /**
   * The ID of the automation that the event at `end` deleted, or `null`. Its messages must be removed from cards before the
   * position advances.
   */
  readonly deletedId: string | null;
}

/**
 * Starts automations in response to the next events in an organization's outbox. An automation starts at most once per event.
 * @returns whether there might be more events to process now.
 */
export async function followOutbox(
  engine: Pick<BackendParts, "storage" | "clock" | "uuid" | "config" | "delivery" | "openTenant">,
  organizationId: string,
): Promise<boolean> {
  const backlog = await engine.storage.snapshot((reader) => readBacklog(reader, organizationId), {
    organizationId,
  });
  if (backlog === null) return false;
  const { queue, end, deletedId } = backlog;
  if (deletedId !== null) {
    await cleanUpDeleted(engine, organizationId, queue.position, { id: deletedId, position: end });
    return true;
  }
  return engine.storage.transaction((tx) => applyEvents(engine, tx, organizationId, backlog), {
    organizationId,
  });
}

function* applyEvents(
  engine: Pick<BackendParts, "clock" | "uuid" | "config">,
  tx: StorageTransaction,
  organizationId: string,
  { queue, starts, end, hasMore }: Backlog,
): Step<boolean> {
  const current = yield* tx.findAutomationQueue(organizationId);
  if (current === null) return false;
  // Another worker has already processed these events.
  if (current.position !== queue.position) return true;
  if (starts.length > 0) {
    const asNow = new Map((yield* tx.listAutomations(organizationId)).map((each) => [each.id, each]));
    const still = starts.flatMap((start) => {
      const automation = asNow.get(start.automation.id);
      return automation !== undefined && isSame(automation, start.automation)
        ? [{ ...start, automation }]
        : [];
    });
    yield* insertRuns(engine, tx, organizationId, still);
  }
  yield* tx.updateAutomationQueue(organizationId, { ...current, position: end });
  return hasMore;
}

/** Returns whether an automation is still enabled with the same trigger and start position. */
function isSame(now: StoredAutomation, before: StoredAutomation): boolean {
  return now.isEnabled && now.startPosition === before.startPosition && now.on === before.on;
}

/** Reads the next events, or returns `null` if there are none. */
function* readBacklog(reader: StorageReader, organizationId: string): Step<Backlog | null> {
  const queue = yield* reader.findAutomationQueue(organizationId);
  if (queue === null) return null;
  const newest = yield* reader.newestEventPosition(organizationId);
  if (newest <= queue.position) return null;
  const automations = (yield* reader.listAutomations(organizationId)).filter(({ isEnabled }) => isEnabled);
  const starting = automations.flatMap((automation) => startEventType(triggerOf(automation)) ?? []);
  const types = new Set([DELETED, ...starting]);
  const events = yield* reader.listEvents(organizationId, [...types], queue.position, BATCH);
  const people = new UserPasses(organizationId);
  const starts: RunStart[] = [];
  for (const [at, event] of events.entries()) {
    if (event.type === DELETED && starts.length === 0)
      return { queue, starts, end: event.position, hasMore: true, deletedId: deletedIn(event) };
    const started = yield* startsBy(reader, event, automations, people);
    const before = events[at - 1];
    const isFull = event.type === DELETED || starts.length + started.length > MAX_NEW_RUNS;
    if (before !== undefined && isFull)
      return { queue, starts, end: before.position, hasMore: true, deletedId: null };
    starts.push(...started);
  }
  const isPart = events.length === BATCH;
  const end = isPart ? (events.at(-1)?.position ?? newest) : newest;
  return { queue, starts, end, hasMore: isPart, deletedId: null };
}

function deletedIn({ data }: StoredEvent): string {
  const { id }: Pick<AutomationState, "id"> = JSON.parse(data);
  return id;
}

/** Returns the runs that an event starts. */
function* startsBy(
  reader: StorageReader,
  event: StoredEvent,
  automations: readonly StoredAutomation[],
  people: UserPasses,
): Step<RunStart[]> {
  const happening = parseStartEvent(event);
  if (happening === null) return [];
  const started = automations.filter(
    (automation) =>
      automation.startPosition < event.position && isStartedBy(triggerOf(automation), happening),
  );
  if (started.length === 0) return [];
  const { userId: told, passId, midnight } = happening;
  const userId = told ?? (passId === null ? null : yield* people.ofPass(reader, passId));
  if (userId === null) return [];
  const at = midnight ?? event.createdAt;
  return started.map((automation) => ({ automation, userId, occasion: event.id, at }));
}

/** Looks up the users who own passes, reading each pass once. */
class UserPasses {
  private readonly known = new Map<string, string | null>();

  constructor(private readonly organizationId: string) {}

  *ofPass(reader: StorageReader, passId: string): Step<string | null> {
    const known = this.known.get(passId);
    if (known !== undefined) return known;
    const userId = (yield* reader.findPass(this.organizationId, passId))?.userId ?? null;
    this.known.set(passId, userId);
    return userId;
  }
}
