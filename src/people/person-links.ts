import type { Step } from "../concurrency/step.js";
import { DAY, MINUTE } from "../jobs/retries.js";
import { hashOfKey } from "../secrets/idempotency-seal.js";
import { hashOfToken } from "../secrets/token-format.js";
import type { StoredPerson } from "../storage/people.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import { startCooldown } from "../tenant/cooldowns.js";
import { greetingName } from "../values/display-text.js";
import { newPersonToken } from "./person-token.js";

const INVITATION_MS = 3 * DAY;
const SIGN_IN_MS = 15 * MINUTE;

/** A person with a new link in place of the previous one, and its path. */
export interface LinkedPerson {
  readonly person: StoredPerson;
  readonly path: string;
}

/** Gives who is invited their link, by which every one before is void. */
export function withInvitation(
  organizationId: string,
  person: StoredPerson,
  { isMailed }: { readonly isMailed: boolean },
): LinkedPerson {
  return withNewLink(organizationId, person, person.invitedAt + INVITATION_MS, isMailed);
}

/**
 * Gives a person a requested link and keeps the valid ones: anyone who knows an address can request one and must not end an
 * invitation, and of several mails the earlier one may be opened last.
 */
export function* withRequestedLink(
  tx: StorageTransaction,
  organizationId: string,
  person: StoredPerson,
  now: number,
): Step<LinkedPerson> {
  const { linkHash, linkExpiresAt: until } = person;
  if (linkHash !== null && until !== null && now < until)
    yield* startCooldown(tx, organizationId, keptLinkName(organizationId, person, linkHash), { now, until });
  return withNewLink(organizationId, person, now + SIGN_IN_MS, true);
}

function withNewLink(
  organizationId: string,
  person: StoredPerson,
  linkExpiresAt: number,
  isLinkMailed: boolean,
): LinkedPerson {
  const token = newPersonToken(organizationId, person.id, isLinkMailed);
  const link = { linkHash: hashOfToken(token), linkExpiresAt, isLinkMailed };
  return { person: { ...person, ...link }, path: pathOfLink(token) };
}

/** Stands for a link whose place in the row another has taken, until the person is invited again or signs in. */
function keptLinkName(organizationId: string, person: StoredPerson, hash: string): string {
  const { id, invitedAt, lastSignedInAt } = person;
  return hashOfKey(organizationId, `link ${hash} of ${id}, invited at ${invitedAt}, after ${lastSignedInAt}`);
}

function pathOfLink(token: string): string {
  return `/console/people/link/${token}`;
}

/** Returns whether a secret belongs to a link of a person who has not signed in with one since it was created. */
export function* isValidLink(
  reader: StorageReader,
  organizationId: string,
  person: StoredPerson,
  hash: string,
  now: number,
): Step<boolean> {
  if (person.linkHash === hash) return hasLink(person, now);
  const kept = yield* reader.findCooldown(organizationId, keptLinkName(organizationId, person, hash));
  return kept !== null && now < kept.until;
}

/** Returns whether the newest link of a person was mailed, and is still good. */
export function hasMailedLink(person: StoredPerson, now: number): boolean {
  return person.isLinkMailed && hasLink(person, now);
}

function hasLink({ linkHash, linkExpiresAt }: StoredPerson, now: number): boolean {
  return linkHash !== null && linkExpiresAt !== null && now < linkExpiresAt;
}

/**
 * Returns the public name of an organization, or else its id; `null` if neither is fit for mail. Anyone can be added as a person
 * and gets mail about it, so that mail must not carry arbitrary text.
 */
export function* readShopName(reader: StorageReader, organizationId: string): Step<string | null> {
  const settings = yield* reader.findSettings(organizationId);
  return greetingName(settings?.name ?? null) ?? greetingName(organizationId);
}
