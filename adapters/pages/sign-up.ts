import { toLoyaltyError } from "../../src/idempotency/call-outcome.js";
import { organizationInternals, serviceInternals } from "../../src/internals.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import type { Organization } from "../../src/organization.js";
import type { WalletPass } from "../../src/resources/pass.js";
import type { User } from "../../src/resources/user.js";
import type { SignUpForm } from "./sign-up-form.js";

/** An existing customer of the organization, for whom a card was requested. */
export interface ExistingCustomer {
  readonly organizationId: string;
  readonly templateId: string;
  /** The user as the organization has it: send the links to this address, and to no other. */
  readonly user: User;
  /** The links of their cards of this template, oldest first; one was made when there was none. */
  readonly links: readonly string[];
  /** The language of the page that they joined by, such as `de`. */
  readonly language: string;
}

/** A request for a card of a template. */
export interface SignUpRequest {
  readonly organizationId: string;
  readonly templateId: string;
  readonly form: SignUpForm;
  /** The text that was agreed to. */
  readonly consent: string;
  /** The text by which news was asked for; `null` if it was not. */
  readonly news: string | null;
  readonly language: string;
}

/**
 * Issues a card to a new sign-up. If the email is already known, issues it to a new, separate customer without that email, so that
 * the page reveals nothing. Where mail is configured, the new customer gets the card by mail; for a known email the existing
 * customer gets a mail with their card instead.
 * @param options `tellsKnown` mails existing customers; if false, the host does.
 * @throws {LoyaltyError} `idempotency_key_reused` for a form that was sent before with other content; `validation_failed`.
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

/** Resolves to the customers with the typed address or phone, without the one that was just made. */
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

/** The actor of whatever the form does. */
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
