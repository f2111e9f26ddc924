import type { Step } from "../base/concurrency/step.js";
import { createLoyaltyError } from "../base/errors.js";
import { hashOfKey } from "../base/secrets/idempotency-seal.js";
import { DAY_MS, HOUR_MS, timestamp } from "../base/values/clock.js";
import {
  type ActionLimit,
  findCooldownSlot,
  findSharedCooldownSlot,
  startCooldown,
  startSharedCooldown,
} from "../kernel/cooldowns.js";
import type { Tenant } from "../kernel/tenant.js";
import type { StoredPerson } from "../storage/people.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";

/**
 * Maximum number of invitations that one organization can send to an address per hour. The same limit applies separately to passkey
 * notices.
 */
const MAX_MAILS_PER_ADDRESS = 5;

/**
 * Maximum number of invitations per address per hour from all organizations together. It applies until the address's owner has
 * signed in to one of the organizations that invited them.
 */
const MAX_INVITATIONS_PER_ADDRESS = 10;

/** Maximum number of sign-in emails per address per hour. If the address has no valid link, it can get that many again. */
const MAX_SIGN_INS = 5;

/**
 * Counts an invitation toward three limits: the organization's daily limit, the organization's hourly limit for the address, and
 * the address's hourly limit across all organizations.
 * @throws {LoyaltyError} `rate_limit_exceeded` if the organization has sent `invitationsPerDay` invitations today, or
 *   `person_mailed_recently` if an hourly limit has been reached.
 */
export function* countInvitation(tenant: Tenant, tx: StorageTransaction, person: StoredPerson): Step<void> {
  const now = tenant.now();
  const { organizationId, engine } = tenant;
  const addressLimit = { action: `mail to ${person.emailFold}`, max: MAX_MAILS_PER_ADDRESS };
  const organizationRetryAt = yield* countMail(tx, organizationId, addressLimit, now);
  if (organizationRetryAt !== null)
    throw createLoyaltyError("person_mailed_recently", [timestamp(organizationRetryAt)]);
  const nextDay = yield* countDailyInvitation(
    tx,
    organizationId,
    engine.config.limits.invitationsPerDay,
    now,
  );
  if (nextDay !== null) throw createLoyaltyError("rate_limit_exceeded", [timestamp(nextDay)]);
  const sharedRetryAt = yield* countMailToUnprovenAddress(tx, person, now);
  if (sharedRetryAt !== null) throw createLoyaltyError("person_mailed_recently", [timestamp(sharedRetryAt)]);
}

/**
 * Counts a notice about a new passkey. If the person hasn't proven that the email address is theirs, the notice also counts as an
 * invitation. Otherwise, a caller could add someone as a staff member, sign in as them, and flood their inbox with passkey notices.
 * @returns whether the notice can be sent.
 */
export function* countPasskeyNotice(
  tenant: Tenant,
  tx: StorageTransaction,
  person: StoredPerson,
): Step<boolean> {
  const now = tenant.now();
  const { organizationId, engine } = tenant;
  const noticeLimit = { action: `mail of a passkey to ${person.emailFold}`, max: MAX_MAILS_PER_ADDRESS };
  if ((yield* countMail(tx, organizationId, noticeLimit, now)) !== null) return false;
  if (person.emailProvenAt !== null) return true;
  if ((yield* countDailyInvitation(tx, organizationId, engine.config.limits.invitationsPerDay, now)) !== null)
    return false;
  return (yield* countMailToUnprovenAddress(tx, person, now)) === null;
}

/**
 * Counts a sign-in email toward the address's hourly limit, which applies across all organizations.
 * @returns whether the email can be sent.
 */
export function* countSignIn(tx: StorageTransaction, emailFold: string, now: number): Step<boolean> {
  return (
    (yield* countSharedMail(tx, { action: `asked mail to ${emailFold}`, max: MAX_SIGN_INS }, now)) === null
  );
}

/**
 * Counts a sign-in email toward a second hourly limit. This limit is for addresses that have used up {@link countSignIn}'s limit
 * but have no valid link.
 * @returns whether the email can be sent.
 */
export function* countExtraSignIn(tx: StorageTransaction, emailFold: string, now: number): Step<boolean> {
  return (
    (yield* countSharedMail(tx, { action: `further mail to ${emailFold}`, max: MAX_SIGN_INS }, now)) === null
  );
}

/**
 * Counts an email against the limit across all organizations, unless the address is proven.
 * @returns the same as {@link countMail}.
 */
function* countMailToUnprovenAddress(
  tx: StorageTransaction,
  { emailFold, emailProvenAt }: StoredPerson,
  now: number,
): Step<number | null> {
  if (emailProvenAt !== null) return null;
  return yield* countSharedMail(
    tx,
    { action: `mail to ${emailFold}`, max: MAX_INVITATIONS_PER_ADDRESS },
    now,
  );
}

/**
 * Counts an email against an hourly limit. The count stays even if the person is removed and invited again.
 * @returns the time when the next email is allowed, or `null` if this one was counted.
 */
function* countMail(
  tx: StorageTransaction,
  organizationId: string,
  limit: ActionLimit,
  now: number,
): Step<number | null> {
  const { name, freeAt } = yield* findCooldownSlot(tx, organizationId, limit, now);
  if (freeAt > now) return freeAt;
  yield* startCooldown(tx, name, { now, until: now + HOUR_MS });
  return null;
}

/** Does the same as {@link countMail} for an hourly limit that applies across all organizations. */
function* countSharedMail(tx: StorageTransaction, limit: ActionLimit, now: number): Step<number | null> {
  const { name, freeAt } = yield* findSharedCooldownSlot(tx, limit, now);
  if (freeAt > now) return freeAt;
  yield* startSharedCooldown(tx, name, { now, until: now + HOUR_MS });
  return null;
}

/**
 * Counts an invitation against the limit for the current UTC day.
 * @returns the end of the day if the limit is reached, or `null` if the invitation was counted.
 */
function* countDailyInvitation(
  tx: StorageTransaction,
  organizationId: string,
  limit: number,
  now: number,
): Step<number | null> {
  const until = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
  const buildName = (index: number) =>
    hashOfKey(organizationId, `invitation ${index} of the day to ${until}`);
  // The slots of a day fill up in order, so a binary search finds the first free one. They are shared by all organizations,
  // because an organization could evict its own cooldowns by creating many others.
  let [first, end] = [0, limit];
  while (first < end) {
    const middle = Math.floor((first + end) / 2);
    const isTaken = (yield* tx.all.findCooldown(buildName(middle))) !== null;
    if (isTaken) first = middle + 1;
    else end = middle;
  }
  if (first === limit) return until;
  yield* startSharedCooldown(tx, buildName(first), { now, until });
  return null;
}
