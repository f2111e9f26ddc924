import type { Step } from "../base/concurrency/step.js";
import { hashOfKey } from "../base/secrets/idempotency-seal.js";
import { hashOfToken } from "../base/secrets/token-format.js";
import { DAY_MS, MINUTE_MS } from "../base/values/clock.js";
import { greetingName } from "../base/values/display-text.js";
import { startCooldown } from "../kernel/cooldowns.js";
import type { OwnedPerson, StoredPerson } from "../storage/people.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import { createPersonToken } from "./person-token.js";

const INVITATION_LIFETIME_MS = 3 * DAY_MS;
const SIGN_IN_LINK_LIFETIME_MS = 15 * MINUTE_MS;

export interface LinkedPerson {
  readonly person: StoredPerson;
  readonly path: string;
}

/**
 * Returns a copy of an invited person with a new sign-in link. The link replaces the stored one and expires three days after the
 * invitation.
 */
export function createInvitationLink(
  organizationId: string,
  person: StoredPerson,
  { isMailed }: { readonly isMailed: boolean },
): LinkedPerson {
  return createLink(organizationId, person, person.invitedAt + INVITATION_LIFETIME_MS, isMailed);
}

/**
 * Creates a sign-in link that was requested for a person's email address. Existing links stay valid, because the person might open
 * an earlier email after a later one, and because otherwise anyone who knows the address could invalidate an invitation by
 * requesting a link.
 */
export function* createRequestedLink(
  tx: StorageTransaction,
  organizationId: string,
  person: StoredPerson,
  now: number,
): Step<LinkedPerson> {
  const { linkHash, linkExpiresAt: until } = person;
  if (linkHash !== null && until !== null && now < until)
    yield* startCooldown(tx, buildPreviousLinkName(organizationId, person, linkHash), {
      now,
      until,
    });
  return createLink(organizationId, person, now + SIGN_IN_LINK_LIFETIME_MS, true);
}

function createLink(
  organizationId: string,
  person: StoredPerson,
  linkExpiresAt: number,
  isLinkMailed: boolean,
): LinkedPerson {
  const token = createPersonToken(organizationId, person.id, isLinkMailed);
  const link = { linkHash: hashOfToken(token), linkExpiresAt, isLinkMailed };
  return { person: { ...person, ...link }, path: buildLinkPath(token) };
}

/** Name of the cooldown that keeps a replaced link valid until the person is invited again or signs in. */
function buildPreviousLinkName(organizationId: string, person: StoredPerson, hash: string): string {
  const { id, invitedAt, lastSignedInAt } = person;
  return hashOfKey(organizationId, `link ${hash} of ${id}, invited at ${invitedAt}, after ${lastSignedInAt}`);
}

function buildLinkPath(token: string): string {
  return `/console/people/link/${token}`;
}

/** Returns whether a hash matches the secret in one of the person's valid links. Signing in invalidates all earlier links. */
export function* isValidLink(
  reader: StorageReader,
  { organizationId, person }: OwnedPerson,
  hash: string,
  now: number,
): Step<boolean> {
  if (person.linkHash === hash) return hasValidLink(person, now);
  const cooldown = yield* reader.findCooldown(buildPreviousLinkName(organizationId, person, hash));
  return cooldown !== null && now < cooldown.until;
}

/** Returns whether a person's newest link was emailed and is still valid. */
export function hasMailedLink(person: StoredPerson, now: number): boolean {
  return person.isLinkMailed && hasValidLink(person, now);
}

function hasValidLink({ linkHash, linkExpiresAt }: StoredPerson, now: number): boolean {
  return linkHash !== null && linkExpiresAt !== null && now < linkExpiresAt;
}

/**
 * Returns an organization's public name for use in emails, its ID if the name isn't suitable, or `null` if neither is suitable.
 * Emails can be sent to anyone's address, so they must not contain arbitrary text.
 */
export function* readShopName(reader: StorageReader, organizationId: string): Step<string | null> {
  const settings = yield* reader.findSettings();
  return greetingName(settings?.name ?? null) ?? greetingName(organizationId);
}
