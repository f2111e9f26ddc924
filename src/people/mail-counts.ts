import type { Step } from "../concurrency/step.js";
import { createLoyaltyError } from "../errors.js";
import { DAY, HOUR } from "../jobs/retries.js";
import { hashOfKey } from "../secrets/idempotency-seal.js";
import type { StoredPerson } from "../storage/people.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import { ALL_ORGANIZATIONS, findCooldownSlot, startCooldown, tryStartCooldown } from "../tenant/cooldowns.js";
import type { Tenant } from "../tenant/tenant.js";
import { timestamp } from "../values/clock.js";

/** An address gets at most this many invitations of one organization within an hour, and as many notices of passkeys. */
const MAILS_OF_ONE = 5;

/** An address gets at most this many invitations of all organizations within an hour, until its owner has signed in by one. */
const INVITATIONS_OF_ALL = 10;

/** An address gets at most this many sign-in mails within an hour, and as many more while it has no good link. */
const SIGN_INS = 5;

/**
 * Counts an invitation for the organization's day, the organization's hour, and the hour of all organizations.
 * @throws {LoyaltyError} `rate_limit_exceeded` above `invitationsPerDay`; `person_mailed_recently`.
 */
export function* countInvitation(tenant: Tenant, tx: StorageTransaction, person: StoredPerson): Step<void> {
  const now = tenant.now();
  const { organizationId, engine } = tenant;
  const ofOne = yield* countMail(tx, organizationId, `mail to ${person.emailFold}`, MAILS_OF_ONE, now);
  if (ofOne !== null) throw createLoyaltyError("person_mailed_recently", [timestamp(ofOne)]);
  const nextDay = yield* countOfDay(tx, organizationId, engine.limits.invitationsPerDay, now);
  if (nextDay !== null) throw createLoyaltyError("rate_limit_exceeded", [timestamp(nextDay)]);
  const ofAll = yield* countUnproven(tx, person, now);
  if (ofAll !== null) throw createLoyaltyError("person_mailed_recently", [timestamp(ofAll)]);
}

/**
 * Counts a notice of a new passkey. To an unproven address it counts as an invitation, because the caller who adds a person can
 * sign in as them.
 * @returns whether it may be mailed.
 */
export function* countPasskeyNotice(
  tenant: Tenant,
  tx: StorageTransaction,
  person: StoredPerson,
): Step<boolean> {
  const now = tenant.now();
  const { organizationId, engine } = tenant;
  const name = `mail of a passkey to ${person.emailFold}`;
  if ((yield* countMail(tx, organizationId, name, MAILS_OF_ONE, now)) !== null) return false;
  if (person.emailProvenAt !== null) return true;
  if ((yield* countOfDay(tx, organizationId, engine.limits.invitationsPerDay, now)) !== null) return false;
  return (yield* countUnproven(tx, person, now)) === null;
}

/** Counts one of the sign-in mails that an address gets in any case. @returns whether it may be mailed. */
export function* countSignIn(tx: StorageTransaction, emailFold: string, now: number): Step<boolean> {
  return (yield* countMail(tx, ALL_ORGANIZATIONS, `asked mail to ${emailFold}`, SIGN_INS, now)) === null;
}

/** Counts one of those that an address gets while it has no good link. @returns whether it may be mailed. */
export function* countFurtherSignIn(tx: StorageTransaction, emailFold: string, now: number): Step<boolean> {
  return (yield* countMail(tx, ALL_ORGANIZATIONS, `further mail to ${emailFold}`, SIGN_INS, now)) === null;
}

/** Counts a mail that no owner of the address has agreed to. @returns as {@link countMail}. */
function* countUnproven(
  tx: StorageTransaction,
  { emailFold, emailProvenAt }: StoredPerson,
  now: number,
): Step<number | null> {
  if (emailProvenAt !== null) return null;
  return yield* countMail(tx, ALL_ORGANIZATIONS, `mail to ${emailFold}`, INVITATIONS_OF_ALL, now);
}

/**
 * Counts one of a limited number of mails within an hour. The count stays when the person is removed and invited again.
 * @returns the time from which on another is possible; `null` if it is counted.
 */
function* countMail(
  tx: StorageTransaction,
  organizationId: string,
  mail: string,
  limit: number,
  now: number,
): Step<number | null> {
  const { name, freeAt } = yield* findCooldownSlot(tx, organizationId, mail, limit, now);
  if (freeAt > now) return freeAt;
  yield* startCooldown(tx, organizationId, name, { now, until: now + HOUR });
  return null;
}

/** Counts an invitation on a day of UTC. @returns the end of the day; `null` if it is counted. */
function* countOfDay(
  tx: StorageTransaction,
  organizationId: string,
  limit: number,
  now: number,
): Step<number | null> {
  const until = (Math.floor(now / DAY) + 1) * DAY;
  const nameOf = (place: number) => hashOfKey(organizationId, `invitation ${place} of the day to ${until}`);
  // The places of a day are taken in their order, so the first free one is found by halves. An organization could push marks of its own
  // out by many others, so these are under all organizations.
  let [first, end] = [0, limit];
  while (first < end) {
    const middle = Math.floor((first + end) / 2);
    const isTaken = (yield* tx.findCooldown(ALL_ORGANIZATIONS, nameOf(middle))) !== null;
    if (isTaken) first = middle + 1;
    else end = middle;
  }
  if (first === limit) return until;
  yield* tryStartCooldown(tx, ALL_ORGANIZATIONS, nameOf(first), { now, until });
  return null;
}
