import type { Step } from "../concurrency/step.js";
import { perOf } from "../resources/automation.js";
import { zoneOf } from "../resources/settings.js";
import type { StoredAutomation, StoredAutomationRun } from "../storage/automations.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { Engine } from "../tenant/engine.js";
import { DAY_MS } from "../values/clock.js";
import { newId } from "../values/ids.js";
import { isRepeatLimitReached } from "./run-limits.js";
import { scheduleRuns } from "./schedule.js";

/** The most runs created in one transaction; other changes of the organization wait for it. */
export const MAX_NEW_RUNS = 250;

/** Expired runs removed with each new one, so that they never pile up. */
const REMOVED_WITH_EACH = 2;

/** An automation that is to run for a customer. */
export interface RunStart {
  readonly automation: StoredAutomation;
  readonly userId: string;
  readonly occasion: string;
  /** The time of the event, or of the day. */
  readonly at: number;
}

/**
 * Makes runs (at most {@link MAX_NEW_RUNS}) that wait, in a running transaction that has the queue: none for a customer who is gone, for
 * an occasion that there was already, or where the automation has been done for the customer as often as it may be. Where too many
 * wait already, they are made as skipped.
 */
export function* insertRuns(
  { clock, uuid, limits, retention }: Engine,
  tx: StorageTransaction,
  organizationId: string,
  starts: readonly RunStart[],
): Step<void> {
  if (starts.length === 0) return;
  const now = clock();
  const zone = zoneOf(yield* tx.findSettings(organizationId));
  const userIds = [...new Set(starts.map(({ userId }) => userId))];
  const there = new Set((yield* tx.usersById(organizationId, userIds)).map(({ id }) => id));
  const waiting = yield* tx.countOf(organizationId, "waitingAutomationRuns");
  let room = limits.waitingAutomationRuns - waiting;
  const runs: StoredAutomationRun[] = [];
  for (const { automation, userId, occasion, at } of starts) {
    if (!there.has(userId)) continue;
    const { id: automationId, version, after } = automation;
    const per = perOf(automation);
    if (per !== "occasion" && after === 0) {
      const use = yield* tx.findAutomationCompletion(organizationId, automationId, userId);
      if (isRepeatLimitReached(per, use?.doneAt ?? null, zone, now)) continue;
    }
    const hasRoom = room > 0;
    room -= 1;
    runs.push({
      ...{ id: newId("atr", uuid), automationId, version, userId, occasion },
      ...(hasRoom ? { status: "WAITING", reason: null } : { status: "SKIPPED", reason: "too_many_runs" }),
      ...{ actionIndex: null, attempts: 0, dueAt: at + after * DAY_MS, nextAttemptAt: hasRoom ? now : null },
      ...{ createdAt: now, updatedAt: now },
    });
  }
  if (runs.length === 0) return;
  const before = now - retention.runMs;
  yield* tx.removeAutomationRuns(organizationId, before, runs.length * REMOVED_WITH_EACH);
  const added = new Set(yield* tx.insertAutomationRuns(organizationId, runs));
  const begun = runs.filter(({ id, status }) => added.has(id) && status === "WAITING");
  for (const id of new Set(begun.map(({ automationId }) => automationId)))
    yield* scheduleRuns(tx, organizationId, id, now);
}
