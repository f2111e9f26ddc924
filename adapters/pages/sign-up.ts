import { toLoyaltyError } from "../../src/idempotency/call-outcome.js";
import { organizationInternals, serviceInternals } from "../../src/internals.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import type { Organization } from "../../src/organization.js";
import type { WalletPass } from "../../src/resources/pass.js";
import type { User } from "../../src/resources/user.js";
import type { SignUpForm } from "./sign-up-form.js";

/** An existing customer whose email or phone was used in a new sign-up. */
export interface ExistingCustomer {
  readonly organizationId: string;
  readonly templateId: string;
  /** The stored user. Send the links only to this user's stored address, and to no other. */
  readonly user: User;
  /** Links to the customer's cards of this template, oldest first. If there was none, a card was created. */
  readonly links: readonly string[];
  /** The language of the sign-up page, such as `de`. */
  readonly language: string;
}

/** A request for a card of a template. */
export interface SignUpRequest {
  readonly organizationId: string;
  readonly templateId: string;
  readonly form: SignUpForm;
  /** The consent text that the customer agreed to. */
  readonly consent: string;
  /** The label of the checkbox for news, if it was checked; otherwise `null`. */
  readonly news: string | null;
  readonly language: string;
}

/**
 * Issues a card for a sign-up. If the email is already in use, the card goes to a new, separate customer without that email, so
 * that the page reveals nothing. If email is configured, a new customer gets the card by email; if the email address is already in
 * use, its owner gets an email with their own card instead.
 * @param options `tellsKnown` sends the email to existing customers; if false, the host sends it.
 * @throws {LoyaltyError} `idempotency_key_reused` for a form that was already submitted with other content; `validation_failed`.
 */
export async function signUp(
  loyalty: LoyaltyService,
  request: SignUpRequest,
  { tellsKnown }: { readonly tellsKnown: boolean },
): Promise<WalletPass> {
  const { organizationId, templateId, form, consent, news, language } = request;
  const { name, email, phone, key } = form;
  const consentedAt = new Date(serviceInternals(loyalty).now()).toISOString();
  const agreed = { consent, consentedAt, language, templateId };
  const user = {
    email: email === "" ? null : email,
    name,
    phone: phone === "" ? null : phone,
    metadata: { join: agreed },
  };
  const { answer } = await organizationInternals(
    loyalty.organization(organizationId, { actor: visitor }),
  ).call(
    {
      value: `join.${key}`,
      field: "key",
      request: [templateId, name, email, phone, consent, ...(news === null ? [] : [news])],
    },
    ({ passes }) =>
      passes.create(
        templateId,
        { user, ...(serviceInternals(loyalty).channels.email && { notify: true }) },
        {
          whenTaken: (typedEmailOf) => ({
            metadata: { join: { ...agreed, typedEmailOf } },
          }),
          joining: { language, consent: news, tellsKnown },
        },
      ),
  );
  if (answer.kind === "result") return answer.result;
  throw toLoyaltyError(answer);
}

/**
 * Resolves to the customers with the submitted email or phone, except the customer just created. Creates a card for a customer who
 * has none of the template.
 */
export async function findExistingCustomers(
  loyalty: LoyaltyService,
  { organizationId, templateId, form, language }: SignUpRequest,
  made: WalletPass,
): Promise<ExistingCustomer[]> {
  const organization = loyalty.organization(organizationId, { actor: visitor });
  const known: ExistingCustomer[] = [];
  for (const user of await usersWith(organization, form)) {
    if (user.id === made.userId) continue;
    const passes = await organization.passes.ofUser(user.id);
    const own = passes.filter((pass) => pass.templateId === templateId).map((pass) => pass.qrCodeValue);
    const links =
      own.length > 0
        ? own
        : [(await organization.passes.create(templateId, { userId: user.id })).qrCodeValue];
    known.push({ organizationId, templateId, user, links, language });
  }
  return known;
}

const MOST_KNOWN = 5;

/** The actor for all changes that the form makes. */
const visitor = { kind: "customer" } as const;

async function usersWith(organization: Organization, { email, phone }: SignUpForm): Promise<User[]> {
  if (email !== "") {
    const user = await organization.users.find({ email });
    return user === null ? [] : [user];
  }
  const { content } = await organization.contacts.list({ search: phone, size: 200 });
  const found = content.filter((contact) => contact.phone === phone);
  return Promise.all(found.slice(0, MOST_KNOWN).map(({ id }) => organization.users.get(id)));
}
