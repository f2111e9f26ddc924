import { createHash } from "node:crypto";
import { LoyaltyError } from "../../src/errors.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import type { Organization } from "../../src/organization.js";
import type { WalletPass } from "../../src/resources/pass.js";
import type { User } from "../../src/resources/user.js";
import type { JoinForm } from "./join-form.js";

/** Someone whom the organization knows has asked for a card. */
export interface KnownJoiner {
  readonly organizationId: string;
  readonly templateId: string;
  /** As the organization has them: send the links there, and nowhere else. */
  readonly user: User;
  /** The links of their cards of this template, oldest first; one was made when there was none. */
  readonly links: readonly string[];
  /** Of the page that they joined by, such as `de`. */
  readonly language: string;
}

/** A wish for a card of a template. */
export interface Joining {
  readonly organizationId: string;
  readonly templateId: string;
  readonly form: JoinForm;
  /** What was agreed to, as it was shown. */
  readonly consent: string;
  readonly language: string;
}

/**
 * Makes a card for someone new. Where the address is known, the card is one of a new customer all the same, without that
 * address: whoever typed it sees just what they would see if it were not known, and gets nothing of the one who has it.
 * @returns the card, and the address or phone by which someone may be known.
 */
export async function join(loyalty: LoyaltyService, joining: Joining): Promise<WalletPass> {
  const organization = loyalty.organization(joining.organizationId, { actor: visitor });
  const { email } = joining.form;
  const first = await made(loyalty, organization, joining, email === "" ? substituteFor(joining) : email, "");
  if (first !== null) return first;
  const second = await made(loyalty, organization, joining, substituteFor(joining), ".known");
  if (second === null) throw new Error("a card that was made for a form can't be found again");
  return second;
}

/** @returns `null` when another customer has the address. @throws {LoyaltyError} */
async function made(
  loyalty: LoyaltyService,
  organization: Organization,
  { templateId, form, consent, language }: Joining,
  email: string,
  keyEnd: string,
): Promise<WalletPass | null> {
  const { name, phone, key } = form;
  const { answer } = await organization.call(
    {
      value: `join.${key}${keyEnd}`,
      field: "key",
      request: [templateId, name, form.email, phone, consent],
    },
    (organization) =>
      organization.passes.create(templateId, {
        user: {
          email,
          name,
          phone: phone === "" ? null : phone,
          metadata: {
            join: {
              consent,
              consentedAt: new Date(loyalty.now()).toISOString(),
              language,
              templateId,
              ...(email !== form.email && form.email !== "" && { typedEmail: form.email }),
            },
          },
        },
      }),
  );
  if (answer.kind === "result") return answer.result;
  if (answer.detail.code === "user_already_exists") return null;
  throw new LoyaltyError(answer.detail);
}

/** Every customer has an address. This one can be nobody's (RFC 2606), and is the same for one form sent twice. */
function substituteFor({ form, templateId }: Joining): string {
  const digest = createHash("sha256").update(`${templateId} ${form.key}`).digest("hex").slice(0, 24);
  return `joined-${digest}@join.invalid`;
}

/** Those whom the organization knows by what was typed, but for the one that was just made. */
export async function knownJoiners(
  loyalty: LoyaltyService,
  { organizationId, templateId, form, language }: Joining,
  made: WalletPass,
): Promise<KnownJoiner[]> {
  const organization = loyalty.organization(organizationId, { actor: visitor });
  const known: KnownJoiner[] = [];
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

/** Whoever has sent the form. */
const visitor = { kind: "customer" } as const;

async function usersWith(organization: Organization, { email, phone }: JoinForm): Promise<User[]> {
  const search = email === "" ? phone : email;
  const { content } = await organization.contacts.list({ search, size: 200 });
  const fold = (text: string | null) => text?.normalize("NFC").toLowerCase();
  const found = content.filter((contact) =>
    email === "" ? contact.phone === phone : fold(contact.email) === fold(email),
  );
  return Promise.all(found.slice(0, MOST_KNOWN).map(({ id }) => organization.users.get(id)));
}
