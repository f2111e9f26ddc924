import type { Step } from "../concurrency/step.js";
import { scopesOfAutomation } from "../resources/automation.js";
import type { AutomationContent, StoredAutomation } from "../storage/automations.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { currentScopes } from "../tenant/caller-rights.js";
import { scopesToRead } from "./condition.js";

/** A version of an automation; `on` is the current one's, because nothing starts a past version. */
type Version = AutomationContent & Partial<Pick<StoredAutomation, "on">>;

/**
 * Returns whether the creator of a version of an automation may still do what it does, and see what its condition and its trigger read,
 * also by segments as they are now. A token or grant that is gone, has expired or lacks a scope may not, nor a person who was removed or has
 * another role. The host's own code may do everything.
 */
export function* isCreatorStillAllowed(
  reader: StorageReader,
  organizationId: string,
  version: Version,
  now: number,
): Step<boolean> {
  const { creatorId } = version;
  if (creatorId === null) return true;
  const granted = yield* currentScopes(reader, organizationId, creatorId, now);
  if (granted === null) return false;
  const scopes = [
    ...["automation:manage", ...scopesOfAutomation(version)],
    ...(yield* scopesToRead(reader, organizationId, version)),
  ];
  return scopes.every((scope) => granted.includes(scope));
}
