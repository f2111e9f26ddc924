import type { Step } from "../base/concurrency/step.js";
import { createLoyaltyError, isLoyaltyError, type LoyaltyError } from "../base/errors.js";
import { DAY_MS, MINUTE_MS, timestamp } from "../base/values/clock.js";
import type { Tenant } from "../kernel/tenant.js";
import { splitIntoBatches } from "../storage/batches.js";
import type { MessageDeliveryKind, StoredMessageDelivery } from "../storage/mail.js";
import type { StoredPass } from "../storage/passes.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";
import { type PassNotification, toMessageDelivery } from "./delivery-schema.js";
import { queuePassMail, reserveMailQuota } from "./mail-queue.js";

/** The kinds of emails that count toward the limit on pass emails. */
const passMailKinds: readonly MessageDeliveryKind[] = ["pass", "link"];

const MAX_MAILS_PER_DAY = 3;

/** Maximum number of pass emails to one customer within 24 hours, across all cards. */
const MAX_MAILS_PER_CUSTOMER = 10;

/** Throws `mail_not_configured` if the service can't send email. */
export function requireMail({ engine }: Tenant): void {
  if (!engine.channels.mail.isOn) throw createLoyaltyError("mail_not_configured");
}

/**
 * Wakes this process's mail workers after a change that queued emails. Emails that were queued in a host transaction aren't sent
 * until the next poll.
 */
export function signalMailWork({ engine, organizationId, isJoining }: Tenant): void {
  if (!isJoining) engine.channels.mail.signalWork(organizationId);
}

/**
 * Queues an email that delivers a pass's card to the customer. Runs in the caller's transaction.
 * @throws {LoyaltyError} the first error that applies: `mail_not_configured`, `no_mail_address`, `address_suppressed`,
 *   `pass_notified_recently`, or `too_many_pending_deliveries`.
 */
export function* mailPass(
  tenant: Tenant,
  tx: StorageTransaction,
  { pass, user }: PassToMail,
  language: string | null,
): Step<StoredMessageDelivery> {
  requireMail(tenant);
  const refusal = yield* findMailRefusal(tenant, tx, pass, user);
  if (refusal !== null) throw refusal;
  if (!(yield* reserveMailQuota(tenant, tx, 1))) throw createLoyaltyError("too_many_pending_deliveries");
  return yield* queuePassMail(tenant, tx, { kind: "pass", userId: user.id, passId: pass.id, language });
}

/**
 * Queues the email that delivers a pass's card, as part of the call that created or found the pass. If the service can send email
 * but this email can't be sent, for example because of a limit, the call still succeeds and this function returns the error code.
 * @throws {LoyaltyError} `mail_not_configured` if the service has no mail server configured.
 */
export function* mailNewPass(
  tenant: Tenant,
  tx: StorageTransaction,
  passToMail: PassToMail,
): Step<PassNotification> {
  try {
    return { delivery: toMessageDelivery(yield* mailPass(tenant, tx, passToMail, null)) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { refused: error.code };
  }
}

/** A pass, and the customer to email its card to. */
export interface PassToMail {
  readonly pass: StoredPass;
  readonly user: StoredUser;
}

/**
 * For each new pass, queues an email with the card to its customer, in the caller's transaction. Customers whose address is
 * missing or suppressed receive no email.
 * @throws {LoyaltyError} `too_many_pending_deliveries`.
 */
export function* mailPasses(
  tenant: Tenant,
  tx: StorageTransaction,
  passes: readonly PassToMail[],
): Step<void> {
  const mailablePasses = passes.filter(({ user }) => user.email !== null);
  for (const batch of splitIntoBatches(mailablePasses)) {
    if (!(yield* reserveMailQuota(tenant, tx, batch.length)))
      throw createLoyaltyError("too_many_pending_deliveries");
    const ids = [...new Set(batch.map(({ user }) => user.id))];
    const subscriptions = yield* tx.subscriptionsOf(ids);
    const suppressedIds = new Set(
      subscriptions.filter(({ suppressedReason }) => suppressedReason !== null).map(({ userId }) => userId),
    );
    for (const { pass, user } of batch) {
      if (suppressedIds.has(user.id)) continue;
      yield* queuePassMail(tenant, tx, { kind: "pass", userId: user.id, passId: pass.id, language: null });
    }
  }
}

function isRefusal(error: unknown): error is LoyaltyError {
  return isLoyaltyError(error) && error.status === 409 && error.code !== "mail_not_configured";
}

function* findMailRefusal(
  tenant: Tenant,
  reader: StorageReader,
  pass: StoredPass,
  user: StoredUser,
): Step<LoyaltyError | null> {
  if (user.email === null) return createLoyaltyError("no_mail_address");
  const subscription = yield* reader.findSubscription(user.id);
  if (subscription !== null && subscription.suppressedReason !== null)
    return createLoyaltyError("address_suppressed");
  const now = tenant.now();
  const recentTimes = yield* reader.recentMailsOf({ passId: pass.id }, passMailKinds, now - DAY_MS);
  const recentCustomerTimes = yield* reader.recentMailsOf({ userId: user.id }, passMailKinds, now - DAY_MS);
  const limitingTime = recentCustomerTimes[MAX_MAILS_PER_CUSTOMER - 1];
  const nextPossibleAt =
    findNextAllowedTime(recentTimes, now, MINUTE_MS) ??
    (limitingTime === undefined ? null : limitingTime + DAY_MS);
  return nextPossibleAt === null
    ? null
    : createLoyaltyError("pass_notified_recently", [timestamp(nextPossibleAt)]);
}

/**
 * Returns when another email is allowed, or `null` if it is allowed now. At most one email is allowed per `minIntervalMs`
 * milliseconds, and at most three per 24 hours.
 * @param recentTimes the times of the emails sent in the last 24 hours, newest first.
 */
export function findNextAllowedTime(
  recentTimes: readonly number[],
  now: number,
  minIntervalMs: number,
): number | null {
  const [latest] = recentTimes;
  const earliest = recentTimes[MAX_MAILS_PER_DAY - 1];
  const nextPossibleAt = Math.max(
    latest === undefined ? now : latest + minIntervalMs,
    earliest === undefined ? now : earliest + DAY_MS,
  );
  return nextPossibleAt > now ? nextPossibleAt : null;
}
