import type { Step } from "../base/concurrency/step.js";
import { dateOf } from "../base/values/clock.js";
import type { Tenant } from "../kernel/tenant.js";
import { zoneOf } from "../settings/schema.js";
import type { StoredAutomation } from "../storage/automations.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import { DAY_DONE, newestDay, nextCheckAt } from "./dates.js";
import { scheduleAutomation } from "./schedule.js";
import { triggerOf } from "./schema.js";

/**
 * Schedules date checks for an automation that was created or enabled, or whose trigger was changed. The checks begin with the
 * next day whose trigger time hasn't passed. If the automation is disabled or has no date trigger, its date checks are canceled.
 * The caller's transaction must already hold the lock on the automation queue.
 */
export function* startDates(
  tenant: Tenant,
  tx: StorageTransaction,
  automation: StoredAutomation,
): Step<void> {
  const { organizationId } = tenant;
  const now = tenant.now();
  const trigger = triggerOf(automation);
  const { id } = automation;
  if (!("date" in trigger) || !automation.isEnabled) {
    yield* scheduleAutomation(tx, organizationId, id, "date", null, now);
    return;
  }
  const zone = zoneOf(yield* tx.findSettings(organizationId));
  const day = newestDay(trigger.date, zone, now);
  yield* tx.updateAutomation(organizationId, { ...automation, dateDay: dateOf(day), dateCursor: DAY_DONE });
  const at = nextCheckAt(trigger.date, zone, day, now);
  yield* scheduleAutomation(tx, organizationId, id, "date", at, now);
}
