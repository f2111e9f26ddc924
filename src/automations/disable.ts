import type { Step } from "../concurrency/step.js";
import type { StoredAutomation } from "../storage/automations.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { Tenant } from "../tenant/tenant.js";
import { laterThan } from "../values/clock.js";

/** Disables an automation whose maker may no longer do what it does. Its runs that wait are skipped. */
export function* disableAutomation(
  tenant: Tenant,
  tx: StorageTransaction,
  automation: StoredAutomation,
): Step<void> {
  const { organizationId } = tenant;
  const now = tenant.now();
  const updatedAt = laterThan(automation.updatedAt, now);
  yield* tx.updateAutomation(organizationId, { ...automation, isEnabled: false, updatedAt });
  yield* tx.skipWaitingRuns(organizationId, automation.id, "disabled", now);
}
