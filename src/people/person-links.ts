import type { Step } from "../concurrency/step.js";
import { DAY, HOUR, MINUTE } from "../jobs/retries.js";
import { hashOfKey } from "../secrets/seal.js";
import { hashOfToken } from "../secrets/token-format.js";
import type { StoredPerson } from "../storage/people.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import { mark, markAgain } from "../tenant/marks.js";
import { newPersonToken } from "./person-token.js";

const INVITATION_MS = 3 * DAY;
const SIGN_IN_MS = 15 * MINUTE;

/** An address gets so many mails of a kind with links of one organization within an hour. */
const MAILS_AN_HOUR = 5;

/** What the mails of each kind are counted by. Strangers ask for links to sign in: they must not use up the others. */
const countedBy = { invitation: "mail", sign_in: "asked mail", passkey_added: "mail of a passkey" } as const;

/** A person with a new link in the place of the one before, and its path. */
export interface LinkedPerson {
  readonly person: StoredPerson;
  readonly path: string;
}

/** Gives who is invited their link, by which every one before is void. */
export function withInvitation(organizationId: string, person: StoredPerson): LinkedPerson {
  return withNewLink(organizationId, person, person.invitedAt + INVITATION_MS);
}

/**
 * Gives a person a link that somebody has asked for, beside those that are good: whoever knows an address can ask, and must not end an
 * invitation, and of mails that are sent one after the other the earlier may be read last.
 */
export function* withAskedLink(
  tx: StorageTransaction,
  organizationId: string,
  person: StoredPerson,
  now: number,
): Step<LinkedPerson> {
  const { linkHash, linkExpiresAt: until } = person;
  if (linkHash !== null && until !== null && now < until)
    yield* markAgain(tx, organizationId, keptLinkName(organizationId, person, linkHash), { now, until });
  return withNewLink(organizationId, person, now + SIGN_IN_MS);
}

function withNewLink(organizationId: string, person: StoredPerson, linkExpiresAt: number): LinkedPerson {
  const token = newPersonToken(organizationId, person.id);
  return { person: { ...person, linkHash: hashOfToken(token), linkExpiresAt }, path: pathOfLink(token) };
}

/** Stands for a link whose place in the row another has taken, until the person is invited again or signs in. */
function keptLinkName(organizationId: string, person: StoredPerson, hash: string): string {
  const { id, invitedAt, lastSignedInAt } = person;
  return hashOfKey(organizationId, `link ${hash} of ${id}, invited at ${invitedAt}, after ${lastSignedInAt}`);
}

function pathOfLink(token: string): string {
  return `/console/people/link/${token}`;
}

/** Returns whether a secret is that of a link of a person, who has signed in by none since it was made. */
export function* isLinkOf(
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

/** Returns whether the newest link of a person is still good. */
export function hasLink({ linkHash, linkExpiresAt }: StoredPerson, now: number): boolean {
  return linkHash !== null && linkExpiresAt !== null && now < linkExpiresAt;
}

/**
 * Counts a mail to an address. The count stays when the person is removed and invited again.
 * @returns the time from which on a mail is possible; `null` when it is now, and is counted.
 */
export function* countMail(
  tx: StorageTransaction,
  organizationId: string,
  kind: keyof typeof countedBy,
  emailFold: string,
  now: number,
): Step<number | null> {
  const ends: number[] = [];
  for (let place = 0; place < MAILS_AN_HOUR; place += 1) {
    const name = hashOfKey(organizationId, `${countedBy[kind]} ${place} to ${emailFold}`);
    if (yield* mark(tx, organizationId, name, { now, until: now + HOUR })) return null;
    ends.push((yield* tx.findCooldown(organizationId, name))?.until ?? now);
  }
  return Math.min(...ends);
}

/** The name by which people know an organization. */
export function* shopOf(reader: StorageReader, organizationId: string): Step<string> {
  return (yield* reader.findSettings(organizationId))?.name ?? organizationId;
}
