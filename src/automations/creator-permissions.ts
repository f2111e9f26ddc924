import type { Step } from "../base/concurrency/step.js";
import { currentScopes } from "../kernel/caller-rights.js";
import type { AutomationContent, StoredAutomation } from "../storage/automations.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { scopesToRead } from "./condition.js";
import { scopesOfAutomation } from "./schema.js";

/** A version of an automation. `on` is set only for the current version, because nothing starts a past version. */
type Version = AutomationContent & Partial<Pick<StoredAutomation, "on">>;

/**
 * Returns whether the creator of an automation version is still allowed to perform its actions and to read the data that its
 * condition and trigger read, including through the current filters of segments. Returns `false` if the creator's token or grant no
 * longer exists, has expired, or lacks a scope, or if the creator is a staff member who was removed or has a role that no longer
 * allows this. The host's own code is always allowed.
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
    ...(yield* scopesToRead(reader, version)),
  ];
  return scopes.every((scope) => granted.includes(scope));
}
