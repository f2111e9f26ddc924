import type { Step } from "../base/concurrency/step.js";
import { notFound } from "../base/errors.js";
import { isStorable } from "../base/values/text.js";
import type { StoredAutomation } from "../storage/automations.js";
import type { StorageReader } from "../storage/storage-adapter.js";

/**
 * Finds an automation by its ID, whether it is enabled or disabled.
 * @throws {LoyaltyError} `resource_not_found` if there is no such automation.
 */
export function* findAutomation(
  reader: StorageReader,
  organizationId: string,
  id: string,
): Step<StoredAutomation> {
  const automation = isStorable(id) ? yield* reader.findAutomation(organizationId, id) : null;
  if (automation === null) throw notFound("automation", id, organizationId);
  return automation;
}
