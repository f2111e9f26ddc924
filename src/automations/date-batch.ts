import type { Step } from "../base/concurrency/step.js";
import { dateOf } from "../base/values/clock.js";
import type { Engine } from "../kernel/engine.js";
import { zoneOf } from "../settings/schema.js";
import type { StoredAutomation } from "../storage/automations.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import {
  createDateTest,
  DAY_DONE,
  dayAfter,
  newestDay,
  nextCheckAt,
  occasionOn,
  parseDay,
  triggerTimeOn,
} from "./dates.js";
import { insertRuns, MAX_NEW_RUNS } from "./new-runs.js";
import { scheduleAutomation } from "./schedule.js";
import { type DateTrigger, triggerOf } from "./schema.js";

/** An automation that is triggered by dates, with its progress. */
interface DateProgress {
  readonly automation: StoredAutomation;
  readonly trigger: DateTrigger;
  /** The day for which runs are being created, or will be created once its trigger time arrives. */
  readonly day: number;
  readonly time: number;
}

/** A batch of the customers for one automation's day, read from one snapshot. */
interface DateSlice extends DateProgress {
  /** The customers' ordinals, ascending. Customers who already have their run are left out. */
  readonly ordinals: readonly number[];
  /** `false` if there may be more customers. */
  readonly isLast: boolean;
}

/**
 * Creates runs for the next batch of customers whose date is today. A cursor tracks progress through the day's customers. Each run
 * stores the date it was created for, so no customer gets two runs for the same date.
 * @returns whether there might be more to do now.
 */
export async function createDateRuns(
  engine: Pick<Engine, "storage" | "clock" | "uuid" | "config">,
  organizationId: string,
): Promise<boolean> {
  const { storage } = engine;
  const now = engine.clock();
  const slice = await storage.snapshot((reader) => readDateSlice(reader, organizationId, now), {
    organizationId,
  });
  if (slice === "behind") return false;
  await storage.transaction(
    (tx) =>
      slice === null ? lookLater(tx, organizationId, now) : makeRuns(engine, tx, organizationId, slice),
    { organizationId },
  );
  return slice !== null;
}

/**
 * Reads the next slice for the automation whose day has waited longest. Returns `null` if no day is due yet, and `"behind"` if runs
 * that are already due must come first, so that they never pile up.
 */
function* readDateSlice(
  reader: StorageReader,
  organizationId: string,
  now: number,
): Step<DateSlice | "behind" | null> {
  const due = (yield* dated(reader, organizationId, now)).filter(({ time }) => time <= now);
  for (const next of due.sort((one, other) => one.time - other.time)) {
    const { automation, trigger, day } = next;
    const waiting = yield* reader.dueAutomationRuns(organizationId, automation.id, now, MAX_NEW_RUNS);
    if (waiting.length === MAX_NEW_RUNS) continue;
    const [people] = yield* reader.matchBehavior(organizationId, [createDateTest(trigger, day)]);
    const from = automation.dateCursor >= DAY_DONE ? 0 : automation.dateCursor;
    const ordinals = people?.from(from, MAX_NEW_RUNS) ?? [];
    return { ...next, ordinals, isLast: ordinals.length < MAX_NEW_RUNS };
  }
  return due.length === 0 ? null : "behind";
}

function* dated(reader: StorageReader, organizationId: string, now: number): Step<DateProgress[]> {
  const timeZone = zoneOf(yield* reader.findSettings(organizationId));
  const found: DateProgress[] = [];
  for (const automation of yield* reader.listAutomations(organizationId)) {
    const on = triggerOf(automation);
    if (!("date" in on) || !automation.isEnabled || automation.dateDay === null) continue;
    const trigger = on.date;
    const begun = parseDay(automation.dateDay);
    const isDone = automation.dateCursor >= DAY_DONE;
    const day = isDone ? dayAfter(begun, newestDay(trigger, timeZone, now)) : begun;
    found.push({ automation, trigger, day, time: triggerTimeOn(trigger, timeZone, day) });
  }
  return found;
}

/** Schedules each automation's next date check for when its next day may begin. */
function* lookLater(tx: StorageTransaction, organizationId: string, now: number): Step<void> {
  if ((yield* tx.findAutomationQueue(organizationId)) === null) return;
  const timeZone = zoneOf(yield* tx.findSettings(organizationId));
  for (const { automation, trigger, day } of yield* dated(tx, organizationId, now)) {
    const at = nextCheckAt(trigger, timeZone, day - 1, now);
    yield* scheduleAutomation(tx, organizationId, automation.id, "date", at, now);
  }
}

function* makeRuns(
  engine: Pick<Engine, "clock" | "uuid" | "config">,
  tx: StorageTransaction,
  organizationId: string,
  { automation, trigger, day, time, ordinals, isLast }: DateSlice,
): Step<void> {
  if ((yield* tx.findAutomationQueue(organizationId)) === null) return;
  const { id, dateDay, dateCursor, on } = automation;
  const current = yield* tx.findAutomation(organizationId, id);
  // Another worker has processed this slice, or the automation has changed.
  if (current === null || !current.isEnabled || current.on !== on) return;
  if (current.dateDay !== dateDay || current.dateCursor !== dateCursor) return;
  const users = ordinals.length === 0 ? [] : yield* tx.usersByOrdinal(organizationId, ordinals);
  const occasion = occasionOn(trigger, day);
  const starts = users.map(({ id: userId }) => ({ automation: current, userId, occasion, at: time }));
  yield* insertRuns(engine, tx, organizationId, starts);
  const cursor = isLast ? DAY_DONE : (ordinals.at(-1) ?? 0) + 1;
  yield* tx.updateAutomation(organizationId, { ...current, dateDay: dateOf(day), dateCursor: cursor });
  const now = engine.clock();
  const timeZone = zoneOf(yield* tx.findSettings(organizationId));
  const next = isLast ? nextCheckAt(trigger, timeZone, day, now) : now;
  yield* scheduleAutomation(tx, organizationId, id, "date", next, now);
}
