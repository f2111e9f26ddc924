import type { Step } from "../base/concurrency/step.js";
import { DAY_MS, HOUR_MS } from "../base/values/clock.js";
import type { Change, Tenant } from "../kernel/tenant.js";
import type { StoredPass } from "../storage/passes.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";
import { type NewPassMail, queuePassMail, reserveMailQuota } from "./mail-queue.js";
import { findNextAllowedTime } from "./pass-mail.js";
import { emptySubscription, recordChannelChanges, withChannel } from "./subscription-state.js";

/** Details from a sign-up page that determine which consent is recorded and which email is sent. */
export interface SignUpChoices {
  /** The language of the sign-up page. The email is in the same language. */
  readonly language: string;
  /** The newsletter checkbox's label as it was shown to the customer, or `null` if the customer didn't check the box. */
  readonly consent: string | null;
  /** Whether to email an existing customer a link to their card if the entered address is already theirs. */
  readonly mailExistingCustomer: boolean;
}

/** A customer who has just signed up. If another customer already has the entered address, `existingOwner` is that customer. */
export interface SignedUpCustomer {
  readonly user: StoredUser;
  readonly pass: StoredPass;
  /** The customer who already has the entered address, or `null` if there is none. */
  readonly existingOwner: StoredUser | null;
}

/**
 * Records the consent that a customer gave when signing up. If an existing customer already has the email address, writes the same
 * rows without the consent, so that the call's timing doesn't reveal that the address is known.
 */
export function* recordConsent(
  { tenant, tx, record }: Change,
  { user, existingOwner }: SignedUpCustomer,
  text: string,
): Step<void> {
  const at = tenant.now();
  const before = emptySubscription(user.id);
  let after = before;
  if (existingOwner === null) {
    after = withChannel(after, "wallet", { status: "SUBSCRIBED", at, source: "join", text });
    if (user.email !== null)
      after = withChannel(after, "email", { status: "PENDING", at, source: "join", text });
  }
  yield* tx.putSubscription(after);
  recordChannelChanges(record, before, after);
}

/**
 * Queues an email with the card to a new customer. If an existing customer already has the entered address, instead queues an email
 * with a link to that customer's card, at most once per hour and three times in 24 hours.
 *
 * Both cases take the same steps. If the existing customer can't be emailed again yet, the email is queued for the new customer,
 * who has no address, so it is skipped later.
 */
export function* mailSignUp(
  tenant: Tenant,
  tx: StorageTransaction,
  customer: SignedUpCustomer,
  { language, mailExistingCustomer }: SignUpChoices,
): Step<void> {
  const { user, pass, existingOwner } = customer;
  const hasCapacity = yield* reserveMailQuota(tenant, tx, 1);
  const link = yield* buildLinkMail(tenant, tx, pass.templateId, existingOwner ?? user);
  if (!hasCapacity) return;
  const mail: NewPassMail =
    existingOwner !== null && mailExistingCustomer && link !== null
      ? { ...link, language }
      : { kind: "pass", userId: user.id, passId: pass.id, language };
  yield* queuePassMail(tenant, tx, mail);
}

/** Returns an email with the link to a customer's newest card, preferably for the template; `null` if no email may be sent. */
function* buildLinkMail(
  tenant: Tenant,
  reader: StorageReader,
  templateId: string,
  user: StoredUser,
): Step<Omit<NewPassMail, "language"> | null> {
  const now = tenant.now();
  const passes = (yield* reader.passesOfUsers([user])).filter(({ isPreviewPass }) => !isPreviewPass);
  const subscription = yield* reader.findSubscription(user.id);
  const recentTimes = yield* reader.recentMailsOf({ userId: user.id }, ["link"], now - DAY_MS);
  const pass = passes.findLast((pass) => pass.templateId === templateId) ?? passes.at(-1);
  const isBlocked =
    user.email === null ||
    (subscription !== null && subscription.suppressedReason !== null) ||
    findNextAllowedTime(recentTimes, now, HOUR_MS) !== null;
  return pass === undefined || isBlocked ? null : { kind: "link", userId: user.id, passId: pass.id };
}
