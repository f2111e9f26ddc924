import { mayStartAutomations, resolveActor } from "../access/actor-schema.js";
import type { Step } from "../base/concurrency/step.js";
import type { BackendParts } from "../kernel/tenant.js";
import { cancelOnCards } from "../messages/automation-message.js";
import type { SegmentMembershipChange } from "../segments/schema.js";
import {
  automationJobs,
  type StoredAutomation,
  type StoredAutomationQueue,
  type StoredAutomationRun,
} from "../storage/automations.js";
import type { StoredEvent } from "../storage/events.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import type { RunContext } from "./run.js";
import { type AutomationState, type AutomationTrigger, parseTrigger } from "./schema.js";
import { insertRuns, MAX_NEW_RUNS, type NewRun } from "./waiting-runs.js";

/** Maximum number of runs to end per transaction; the organization's other changes wait for it. */
const END_BATCH_SIZE = 20;

/** A time later than any run's due time. */
const END_OF_TIME = Number.MAX_SAFE_INTEGER;

/** Maximum number of events per read. */
const EVENT_BATCH_SIZE = 200;

/** The event type for a deleted automation. */
const DELETED_EVENT = "automation.deleted";

/** The events that an organization's automations have not processed yet, read from one snapshot. */
interface Backlog {
  readonly queue: StoredAutomationQueue;
  readonly newRuns: readonly NewRun[];
  /** The position of the last event that `starts` takes into account. */
  readonly endPosition: number;
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
  engine: Pick<BackendParts, "storage" | "clock" | "uuid" | "config" | "changes" | "delivery" | "openTenant">,
  organizationId: string,
): Promise<boolean> {
  const backlog = await engine.storage.snapshot(organizationId, (reader) => readBacklog(reader));
  if (backlog === null) return false;
  const { queue, endPosition, deletedId } = backlog;
  if (deletedId !== null) {
    await cleanUpDeleted(engine, organizationId, queue.position, { id: deletedId, position: endPosition });
    return true;
  }
  return engine.changes.run(organizationId, (tx) => applyEvents(engine, tx, backlog));
}

function* applyEvents(
  engine: Pick<BackendParts, "clock" | "uuid" | "config">,
  tx: StorageTransaction,
  { queue, newRuns, endPosition, hasMore }: Backlog,
): Step<boolean> {
  const current = yield* tx.lockQueue(automationJobs);
  if (current === null) return false;
  // Another worker has already processed these events.
  if (current.position !== queue.position) return true;
  if (newRuns.length > 0) {
    const currentAutomations = new Map(
      (yield* tx.listAutomations()).map((automation) => [automation.id, automation]),
    );
    const validRuns = newRuns.flatMap((start) => {
      const automation = currentAutomations.get(start.automation.id);
      return automation !== undefined && isUnchanged(automation, start.automation)
        ? [{ ...start, automation }]
        : [];
    });
    yield* insertRuns(engine, tx, validRuns);
  }
  yield* tx.updateQueue(automationJobs, { ...current, position: endPosition });
  return hasMore;
}

/** Returns whether an automation is still enabled with the same trigger and start position. */
function isUnchanged(current: StoredAutomation, previous: StoredAutomation): boolean {
  return current.isEnabled && current.startPosition === previous.startPosition && current.on === previous.on;
}

/** Reads the next events, or returns `null` if there are none. */
function* readBacklog(reader: StorageReader): Step<Backlog | null> {
  const queue = yield* reader.findQueue(automationJobs);
  if (queue === null) return null;
  const newestPosition = yield* reader.newestEventPosition();
  if (newestPosition <= queue.position) return null;
  const automations = (yield* reader.listAutomations()).filter(({ isEnabled }) => isEnabled);
  const startEventTypes = automations.flatMap(
    (automation) => getStartEventType(parseTrigger(automation)) ?? [],
  );
  const types = new Set([DELETED_EVENT, ...startEventTypes]);
  const events = yield* reader.listEvents([...types], queue.position, EVENT_BATCH_SIZE);
  const passOwners = new PassOwners();
  const newRuns: NewRun[] = [];
  for (const [index, event] of events.entries()) {
    if (event.type === DELETED_EVENT && newRuns.length === 0)
      return { queue, newRuns, endPosition: event.position, hasMore: true, deletedId: readDeletedId(event) };
    const eventRuns = yield* findNewRuns(reader, event, automations, passOwners);
    const previousEvent = events[index - 1];
    const isBacklogEnd = event.type === DELETED_EVENT || newRuns.length + eventRuns.length > MAX_NEW_RUNS;
    if (previousEvent !== undefined && isBacklogEnd)
      return { queue, newRuns, endPosition: previousEvent.position, hasMore: true, deletedId: null };
    newRuns.push(...eventRuns);
  }
  const hasMore = events.length === EVENT_BATCH_SIZE;
  const endPosition = hasMore ? (events.at(-1)?.position ?? newestPosition) : newestPosition;
  return { queue, newRuns, endPosition, hasMore, deletedId: null };
}

function readDeletedId({ data }: StoredEvent): string {
  const { id }: Pick<AutomationState, "id"> = JSON.parse(data);
  return id;
}

/** Returns the runs that an event starts. */
function* findNewRuns(
  reader: StorageReader,
  event: StoredEvent,
  automations: readonly StoredAutomation[],
  passOwners: PassOwners,
): Step<NewRun[]> {
  const startEvent = parseStartEvent(event);
  if (startEvent === null) return [];
  const startedAutomations = automations.filter(
    (automation) =>
      automation.startPosition < event.position && matchesTrigger(parseTrigger(automation), startEvent),
  );
  if (startedAutomations.length === 0) return [];
  const { userId: eventUserId, passId, midnight } = startEvent;
  const userId = eventUserId ?? (passId === null ? null : yield* passOwners.findOwner(reader, passId));
  if (userId === null) return [];
  const at = midnight ?? event.createdAt;
  return startedAutomations.map((automation) => ({ automation, userId, occasion: event.id, at }));
}

/** Looks up the users who own passes, reading each pass once. */
class PassOwners {
  private readonly ownerIds = new Map<string, string | null>();

  *findOwner(reader: StorageReader, passId: string): Step<string | null> {
    const cachedId = this.ownerIds.get(passId);
    if (cachedId !== undefined) return cachedId;
    const userId = (yield* reader.findPass(passId))?.userId ?? null;
    this.ownerIds.set(passId, userId);
    return userId;
  }
}

/** A deleted automation with the outbox position of its deletion event. */
interface DeletedAutomation {
  readonly id: string;
  readonly position: number;
}

/**
 * Removes a batch of a deleted automation's messages from cards. The organization's automations don't process events after the
 * deletion event until all of these messages are removed, so another worker can take over if this one crashes.
 * @param queuePosition the position up to which the automations have processed events.
 */
async function cleanUpDeleted(
  engine: Pick<BackendParts, "delivery" | "openTenant">,
  organizationId: string,
  queuePosition: number,
  { id, position }: DeletedAutomation,
): Promise<void> {
  const actor = resolveActor({ kind: "automation", id });
  const tenant = engine.openTenant(organizationId, actor);
  await tenant.change(["automations.end"], function* (change) {
    const { tx } = change;
    const queue = yield* tx.lockQueue(automationJobs);
    if (queue?.position !== queuePosition) return;
    if (yield* endRunBatch({ ...change, now: tenant.now() }, id)) return;
    yield* tx.updateQueue(automationJobs, { ...queue, position });
  });
  engine.delivery.outbox?.signalWork(organizationId);
}

/**
 * Ends some of the automation's runs.
 * @returns whether there may be more.
 */
function* endRunBatch(context: RunContext, automationId: string): Step<boolean> {
  const { tx } = context;
  const runs = yield* tx.dueAutomationRuns(automationId, END_OF_TIME, END_BATCH_SIZE);
  const userIds = [...new Set(runs.map(({ userId }) => userId))];
  const users = new Map((yield* tx.usersById(userIds)).map((user) => [user.id, user]));
  const endedRuns: StoredAutomationRun[] = [];
  for (const run of runs) {
    const user = users.get(run.userId);
    if (user !== undefined) yield* cancelOnCards({ ...context, run, user });
    endedRuns.push({ ...run, nextAttemptAt: null });
  }
  yield* tx.updateAutomationRuns(endedRuns);
  return runs.length === END_BATCH_SIZE;
}

/** The fields of an event that determine which automations it starts and for which customer. */
interface StartEvent {
  readonly type: string;
  /** The customer's ID, or `null` if the event contains only a pass ID. */
  readonly userId: string | null;
  readonly passId: string | null;
  readonly templateId: string | null;
  /** The number of stamps still needed to fill the card after the event, or `null` if the event isn't about stamps. */
  readonly remainingStamps: number | null;
  /** The slug of the segment that the customer entered, or `null` if the event isn't about a segment. */
  readonly segment: string | null;
  /**
   * If the passing of a midnight caused the event, the time of that midnight in ms, even if it was evaluated later. Otherwise
   * `null`.
   */
  readonly midnight: number | null;
}

/** The combined data of all event types that start automations. */
interface StartEventData {
  readonly id?: string;
  readonly object?: string;
  readonly userId?: string;
  readonly walletPassId?: string;
  readonly templateId?: string;
  readonly currentStamps?: number;
  readonly maxStamps?: number;
  readonly segment?: { readonly slug: string };
  readonly because?: SegmentMembershipChange["because"];
  readonly at?: string;
}

/** Returns the type of event that starts an automation, or `null` if the automation is triggered by a date. */
function getStartEventType(trigger: AutomationTrigger): string | null {
  if ("event" in trigger) return trigger.event;
  return "segmentEntered" in trigger ? "segment.entered" : null;
}

/** Parses an event. Returns `null` if the event isn't allowed to start automations because an automation or an import caused it. */
function parseStartEvent(event: Pick<StoredEvent, "type" | "data" | "actor">): StartEvent | null {
  if (!mayStartAutomations(event)) return null;
  const data: StartEventData = JSON.parse(event.data);
  const { currentStamps, maxStamps, because, at } = data;
  return {
    type: event.type,
    userId: data.userId ?? (data.object === "user" ? (data.id ?? null) : null),
    passId: data.walletPassId ?? null,
    templateId: data.templateId ?? null,
    remainingStamps:
      maxStamps === undefined || currentStamps === undefined ? null : maxStamps - currentStamps,
    segment: data.segment?.slug ?? null,
    midnight: because === "time" && at !== undefined ? Date.parse(at) : null,
  };
}

/** Returns whether an event matches an automation's trigger. */
function matchesTrigger(
  trigger: AutomationTrigger,
  { type, templateId, remainingStamps, segment }: StartEvent,
): boolean {
  if (getStartEventType(trigger) !== type) return false;
  if ("segmentEntered" in trigger) return trigger.segmentEntered === segment;
  if (!("event" in trigger)) return false;
  if (trigger.templateId !== undefined && trigger.templateId !== templateId) return false;
  return trigger.toGo === undefined || trigger.toGo === remainingStamps;
}
