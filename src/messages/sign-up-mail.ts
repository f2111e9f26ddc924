import type { Step } from "../concurrency/step.js";
import type { RecordEvent } from "../events/recording.js";
import { DAY, HOUR } from "../jobs/retries.js";
import type { StoredPass } from "../storage/passes.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";
import type { Tenant } from "../tenant/tenant.js";
import { type NewPassMail, queuePassMail, reserveMailQuota } from "./mail-queue.js";
import { nextAllowedAt } from "./pass-mail.js";
import { emptySubscription, recordChannelChanges, withChannel } from "./subscription-state.js";

/** The choices of a customer who signs up on a page. */
export interface SignUpChoices {
  /** The language of the page. */
  readonly language: string;
  /** The words of the box for news, as shown, when it is ticked; `null` if it is not. */
  readonly consent: string | null;
  /** A customer whose address was typed gets the link to their card by mail. */
  readonly tellsKnown: boolean;
}

/** A customer who has just joined, and perhaps the one whose address they typed. */
export interface SignedUpCustomer {
  readonly user: StoredUser;
  readonly pass: StoredPass;
  /** The customer who already has the typed address; `null` if there is none. */
  readonly known: StoredUser | null;
}

/**
 * Records the consent of a new sign-up. If the email belongs to an existing customer, writes the same rows without one, so that
 * timing reveals nothing.
 */
export function* recordConsent(
  tenant: Tenant,
  tx: StorageTransaction,
  record: RecordEvent,
  { user, known }: SignedUpCustomer,
  text: string,
): Step<void> {
  const at = tenant.now();
  const before = emptySubscription(user.id);
  let after = before;
  if (known === null) {
    after = withChannel(after, "wallet", { status: "SUBSCRIBED", at, source: "join", text });
    if (user.email !== null)
      after = withChannel(after, "email", { status: "PENDING", at, source: "join", text });
  }
  yield* tx.putSubscription(tenant.organizationId, after);
  recordChannelChanges(record, before, after);
}

/**
 * Mails the card to a new customer, or the link to their card to the customer who already has the typed address: once an hour and
 * three times in 24 hours. Both take the same steps, even if no mail may be sent: then the mail is for the new customer, who has no
 * address, and is skipped later.
 */
export function* mailSignUp(
  tenant: Tenant,
  tx: StorageTransaction,
  joined: SignedUpCustomer,
  { language, tellsKnown }: SignUpChoices,
): Step<void> {
  const { user, pass, known } = joined;
  const hasRoom = yield* reserveMailQuota(tenant, tx, 1);
  const link = yield* linkMail(tenant, tx, pass.templateId, known ?? user);
  if (!hasRoom) return;
  const mail: NewPassMail =
    known !== null && tellsKnown && link !== null
      ? { ...link, language }
      : { kind: "pass", userId: user.id, passId: pass.id, language };
  yield* queuePassMail(tenant, tx, mail);
}

/** Returns the mail with the link to a customer's newest card, best of the template; `null` if there is to be none. */
function* linkMail(
  tenant: Tenant,
  reader: StorageReader,
  templateId: string,
  user: StoredUser,
): Step<Omit<NewPassMail, "language"> | null> {
  const { organizationId } = tenant;
  const now = tenant.now();
  const passes = (yield* reader.passesOfUsers(organizationId, [user])).filter(
    ({ isPreviewPass }) => !isPreviewPass,
  );
  const subscription = yield* reader.findSubscription(organizationId, user.id);
  const recent = yield* reader.recentMailsOf(organizationId, { userId: user.id }, ["link"], now - DAY);
  const pass = passes.findLast((pass) => pass.templateId === templateId) ?? passes.at(-1);
  const isRefused =
    user.email === null ||
    (subscription !== null && subscription.suppressedReason !== null) ||
    nextAllowedAt(recent, now, HOUR) !== null;
  return pass === undefined || isRefused ? null : { kind: "link", userId: user.id, passId: pass.id };
}
