import type { Step } from "../concurrency/step.js";
import { createLoyaltyError } from "../errors.js";
import type { KeyedRequest } from "../idempotency/idempotent-call.js";
import { type Person, personOf } from "../resources/person.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { SignInMail } from "../tenant/mail-gateway.js";
import type { Tenant } from "../tenant/tenant.js";
import { countInvitation } from "./mail-counts.js";
import { type LinkedPerson, readShopName } from "./person-links.js";

/**
 * Runs a change that creates a sign-in link for a person, and emails the link after the commit.
 * @param language the email's language, or `null` for the organization's language.
 * @throws {LoyaltyError} `mail_not_configured`, `too_many_pending_deliveries`, `person_mailed_recently`, `rate_limit_exceeded`, or
 *   any error that `work` throws.
 */
export async function mailLinkAfter(
  tenant: Tenant,
  request: KeyedRequest,
  language: string | null,
  work: (tx: StorageTransaction) => Step<LinkedPerson>,
): Promise<Person> {
  const { organizationId, engine } = tenant;
  const { mail: mails } = engine;
  const made: { mail: SignInMail | null } = { mail: null };
  const person = await tenant.change(request, function* (tx) {
    const { person: linked, path } = yield* work(tx);
    // Check before the commit so that a person is never added without getting an email.
    if (!mails.hasSignIns) throw createLoyaltyError("mail_not_configured");
    if (!mails.canQueueSignIn(organizationId)) throw createLoyaltyError("too_many_pending_deliveries");
    const spoken = language ?? (yield* tx.findSettings(organizationId))?.language ?? null;
    const links = [{ organizationId, shop: yield* readShopName(tx, organizationId), path }];
    yield* countInvitation(tenant, tx, linked);
    made.mail = { kind: "invitation", to: linked.email, language: spoken, links };
    return personOf(linked);
  });
  // A replay of an earlier call with the same idempotency key sends no email.
  if (made.mail !== null) mails.sendSignIn(made.mail);
  return person;
}
