import type { Step } from "../base/concurrency/step.js";
import { nextUpdatedAt } from "../base/values/clock.js";
import type { Change, Tenant } from "../kernel/tenant.js";
import type { StoredAutomation } from "../storage/automations.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import { automationStateOf } from "./schema.js";

/** Disables an automation whose creator is no longer allowed to perform its actions, and skips its waiting runs. */
export function* disableAutomation({ tenant, tx, record }: Change, automation: StoredAutomation): Step<void> {
  const updatedAt = nextUpdatedAt(automation.updatedAt, tenant.now());
  const disabled: StoredAutomation = { ...automation, isEnabled: false, updatedAt };
  yield* tx.updateAutomation(disabled);
  yield* skipRuns(tenant, tx, disabled);
  record("automation.disabled", automationStateOf(disabled));
}

/** Skips the waiting runs of a disabled or deleted automation. */
export function* skipRuns(
  tenant: Tenant,
  tx: StorageTransaction,
  { id }: Pick<StoredAutomation, "id">,
): Step<void> {
  yield* tx.skipWaitingRuns(id, "disabled", tenant.now());
}
