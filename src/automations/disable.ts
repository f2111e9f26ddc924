import type { Step } from "../concurrency/step.js";
import type { Recorder } from "../events/recording.js";
import type { StoredAutomation } from "../storage/automations.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { Tenant } from "../tenant/tenant.js";
import { laterThan } from "../values/clock.js";

/** Temporary until the use case lands. */
export function* disableAutomation(
  { organizationId, now }: Tenant,
  tx: StorageTransaction,
  _record: Recorder,
  automation: StoredAutomation,
): Step<void> {
  const at = now();
  yield* tx.updateAutomation(organizationId, {
    ...automation,
    isEnabled: false,
    updatedAt: laterThan(automation.updatedAt, at),
  });
  yield* tx.skipWaitingRuns(organizationId, automation.id, "disabled", at);
}
