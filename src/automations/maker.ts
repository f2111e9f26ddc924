import type { Step } from "../concurrency/step.js";
import { filterOf, scopesOfAutomation } from "../resources/automation.js";
import { scopesOfRole } from "../roles.js";
import type { AutomationContent, StoredAutomation } from "../storage/automations.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { scopesOfCondition } from "./condition.js";

/** A version of an automation; `on` is that of the present one, since nothing starts a past one any more. */
type Version = AutomationContent & Partial<Pick<StoredAutomation, "on">>;

/**
 * Returns whether who made a version of an automation may still do what it does, and see what its condition reads, also by segments as
 * they are now: a token or grant that is revoked, has expired, or lacks a scope may not, nor a person who is removed or has another role. The host's own code may do everything.
 */
export function* mayStillDo(
  reader: StorageReader,
  organizationId: string,
  version: Version,
  now: number,
): Step<boolean> {
  const { creatorId } = version;
  if (creatorId === null) return true;
  const granted = yield* scopesOf(reader, organizationId, creatorId, now);
  const scopes = [
    ...["automation:manage", ...scopesOfAutomation(version)],
    ...(yield* scopesOfCondition(reader, organizationId, filterOf(version))),
  ];
  return scopes.every((scope) => granted.includes(scope));
}

function* scopesOf(
  reader: StorageReader,
  organizationId: string,
  creatorId: string,
  now: number,
): Step<readonly string[]> {
  const token = yield* reader.findApiToken(organizationId, creatorId);
  if (token !== null) return token.expiresAt !== null && token.expiresAt <= now ? [] : token.scopes;
  const person = yield* reader.findPerson(organizationId, creatorId);
  if (person !== null) return scopesOfRole[person.role];
  const grants = yield* reader.listGrants(organizationId);
  return grants.find(({ id }) => id === creatorId)?.scopes ?? [];
}
