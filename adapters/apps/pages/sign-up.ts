import type { WalletPass } from "../../../src/cards/pass-schema.js";
import type { User } from "../../../src/customers/schema.js";
import { organizationInternals, serviceInternals } from "../../../src/internals.js";
import { toLoyaltyError } from "../../../src/kernel/idempotency/idempotent-call.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import type { Organization } from "../../../src/organization.js";
import type { SignUpForm } from "./sign-up-form.js";

/** An existing customer whose email or phone was used to sign up. */
export interface ExistingCustomer {
  /** ID of the organization that the sign-up page and the customer belong to. */
  readonly organizationId: string;
  /** The ID of the template from which the sign-up page issues cards. */
  readonly templateId: string;
  /**
   * The stored user. Send the links only to the address in this record, because anyone could have typed the address in the form.
   */
  readonly user: User;
  /**
   * Links to the customer's cards from this template, oldest first. If the customer had no such card, one was issued, so there is
   * always at least one link.
   */
  readonly links: readonly string[];
  /** The language tag of the sign-up page, such as `de`. */
  readonly language: string;
}

/** A submitted sign-up form, with the template to issue a card from and the consent texts that the customer accepted. */
export interface SignUpRequest {
  readonly organizationId: string;
  readonly templateId: string;
  readonly form: SignUpForm;
  readonly consent: string;
  /** The label of the news and offers checkbox if the customer checked it, or `null` otherwise. */
  readonly news: string | null;
  readonly language: string;
}

/**
 * Issues a card to someone who signs up. If the email already belongs to another customer, the card goes to a new, separate
 * customer without an email so that the page doesn't reveal that the email is in use. If email is configured, a new customer
 * receives the card by email. If the email was already in use, its owner instead receives an email with their own card.
 * @param options `mailExistingCustomer` is whether to email the existing customer. It is false if the host sends that email itself.
 * @throws {LoyaltyError} `idempotency_key_reused` if the form was already submitted with different content, or `validation_failed`.
 */
export async function signUp(
  loyalty: LoyaltyService,
  request: SignUpRequest,
  { mailExistingCustomer }: { readonly mailExistingCustomer: boolean },
): Promise<WalletPass> {
  const { organizationId, templateId, form, consent, news, language } = request;
  const { name, email, phone, key } = form;
  const consentedAt = new Date(serviceInternals(loyalty).now()).toISOString();
  const consentRecord = { consent, consentedAt, language, templateId };
  const user = {
    email: email === "" ? null : email,
    name: name === "" ? null : name,
    phone: phone === "" ? null : phone,
    metadata: { join: consentRecord },
  };
  const { outcome } = await organizationInternals(
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
            metadata: { join: { ...consentRecord, typedEmailOf } },
          }),
          joining: { language, consent: news, mailExistingCustomer },
        },
      ),
  );
  if (outcome.kind === "result") return outcome.result;
  throw toLoyaltyError(outcome);
}

/**
 * Returns the existing customers whose email or phone was used to sign up. Issues a card to any of them who doesn't have one from
 * the template yet.
 * @param pass the card that was issued for the sign-up. Its owner is excluded.
 */
export async function findExistingCustomers(
  loyalty: LoyaltyService,
  { organizationId, templateId, form, language }: SignUpRequest,
  pass: WalletPass,
): Promise<ExistingCustomer[]> {
  const organization = loyalty.organization(organizationId, { actor: visitor });
  const customers: ExistingCustomer[] = [];
  for (const user of await findMatchingUsers(organization, form)) {
    if (user.id === pass.userId) continue;
    const passes = await organization.passes.ofUser(user.id);
    const ownLinks = passes.filter((pass) => pass.templateId === templateId).map((pass) => pass.qrCodeValue);
    const links =
      ownLinks.length > 0
        ? ownLinks
        : [(await organization.passes.create(templateId, { userId: user.id })).qrCodeValue];
    customers.push({ organizationId, templateId, user, links, language });
  }
  return customers;
}

const MAX_EXISTING_CUSTOMERS = 5;

/** The actor for all changes that the form makes. */
const visitor = { kind: "customer" } as const;

async function findMatchingUsers(organization: Organization, { email, phone }: SignUpForm): Promise<User[]> {
  if (email !== "") {
    const user = await organization.users.find({ email });
    return user === null ? [] : [user];
  }
  const { content } = await organization.contacts.list({ search: phone, size: 200 });
  const matches = content.filter((contact) => contact.phone === phone);
  return Promise.all(matches.slice(0, MAX_EXISTING_CUSTOMERS).map(({ id }) => organization.users.get(id)));
}
