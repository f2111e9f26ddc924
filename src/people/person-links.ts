import type { Step } from "../concurrency/step.js";
import { DAY, HOUR, MINUTE } from "../jobs/retries.js";
import { hashOfKey } from "../secrets/seal.js";
import { hashOfToken } from "../secrets/token-format.js";
import type { StoredPerson } from "../storage/people.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import { mark } from "../tenant/marks.js";
import { newPersonToken } from "./person-token.js";

export const INVITATION_MS = 3 * DAY;
export const SIGN_IN_MS = 15 * MINUTE;

/** An address gets so many mails of a kind with links of one organization within an hour. */
const MAILS_AN_HOUR = 5;

/** What the mails of each kind are counted by. Strangers ask for those of the latter: they must not use up the former. */
const countedBy = { invitation: "mail", sign_in: "asked mail" } as const;

/** A person with a new link in the place of the one before, and its path. */
export interface LinkedPerson {
  readonly person: StoredPerson;
  readonly path: string;
}

/** Gives a person another link, by which the one before is void. */
export function withNewLink(
  organizationId: string,
  person: StoredPerson,
  linkExpiresAt: number,
): LinkedPerson {
  const token = newPersonToken(organizationId, person.id);
  return { person: { ...person, linkHash: hashOfToken(token), linkExpiresAt }, path: pathOfLink(token) };
}

function pathOfLink(token: string): string {
  return `/console/people/link/${token}`;
}

/** Returns whether a secret is that of the link of a person, who has not used it yet. */
export function isLinkOf(person: StoredPerson, hash: string, now: number): boolean {
  return person.linkHash === hash && hasLink(person, now);
}

/** Returns whether a person has a link that is still good. */
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
    ends.push((yield* tx.findMark(organizationId, name))?.until ?? now);
  }
  return Math.min(...ends);
}

/** The name by which people know an organization. */
export function* shopOf(reader: StorageReader, organizationId: string): Step<string> {
  return (yield* reader.findSettings(organizationId))?.name ?? organizationId;
}
