import type { CreateTemplate, Template } from "../../../src/cards/schema.js";
import type { CreateUser } from "../../../src/customers/schema.js";
import type { Organization } from "../../../src/organization.js";
import type { CreateWebhookEndpoint } from "../../../src/webhooks/schema.js";
import type { CapturedWebhook, CapturedWebhooks, ReceiveWebhook } from "./captured-webhooks.js";
import type { FakeWallets } from "./fake-wallets.js";
import { TestCustomer } from "./test-customer.js";

/** The properties of a new customer in a test, all optional. */
export interface NewCustomer extends Partial<CreateUser> {
  /** The number of stamps on the customer's card. If omitted, the customer gets a card only if `templateId` is set. */
  readonly stamps?: number;
  /**
   * The ID of the template to issue the card from. Default: the organization's first template, or a new template if the
   * organization has none.
   */
  readonly templateId?: string;
  /** The names of the customer's tags. Tags that don't exist yet are created. */
  readonly tags?: readonly string[];
  /** Whether the customer has consented to receive messages by email and on cards. Default: `false`. */
  readonly isSubscribed?: boolean;
  /** The language of emails to the customer, as a BCP 47 tag. */
  readonly language?: string;
}

/** The properties of a new webhook endpoint in a test, all optional. */
export interface NewWebhook extends Partial<CreateWebhookEndpoint> {
  /**
   * The HTTP status codes of the endpoint's responses, in order. The last one is repeated for all further requests. Default: 200.
   */
  readonly answers?: readonly number[];
  /** Handles requests in place of `answers`, as the receiving app would. */
  readonly receive?: ReceiveWebhook;
}

/** A webhook endpoint whose receiver runs in this process. */
export interface TestWebhook {
  /** The ID that the service assigned to the endpoint. */
  readonly id: string;
  /** The URL that the service sends the endpoint's webhooks to. */
  readonly url: string;
  /** The secret used to sign the endpoint's webhooks. */
  readonly secret: string;
  /** The delivery attempts made to this endpoint so far, in order. */
  readonly deliveries: readonly CapturedWebhook[];
}

/** An organization in a test, with methods for creating test data. */
export class TestOrganization {
  private createdCount = 0;
  private firstTemplate: string | null = null;

  constructor(
    /** The organization's ID. */
    readonly id: string,
    /** The organization, as returned by `loyalty.organization(id)`. */
    readonly organization: Organization,
    private readonly webhooks: CapturedWebhooks | null,
    private readonly wallets: FakeWallets | null,
  ) {}

  /** Creates a template. By default, the template is a stamp card with ten stamps. */
  async template(fields: Partial<CreateTemplate> = {}): Promise<Template> {
    const { type = "STAMP_CARD", name = "Stamp card", maxStamps, ...others } = fields;
    const kind = type === "STAMP_CARD" ? { type, maxStamps: maxStamps ?? 10 } : { type };
    const template = await this.organization.templates.create({ ...others, ...kind, name });
    this.firstTemplate ??= template.id;
    return template;
  }

  /** Creates a customer. By default, the customer has a unique email address. */
  async customer(fields: NewCustomer = {}): Promise<TestCustomer> {
    const { stamps, templateId, tags = [], isSubscribed = false, language, ...user } = fields;
    const { organization } = this;
    const email = user.email ?? `customer-${this.nextNumber()}@example.com`;
    const { id } = await organization.users.create({ ...user, email });
    for (const name of tags) await this.tag(id, name);
    const consent = { status: "SUBSCRIBED", text: "Send me news." } as const;
    if (isSubscribed || language !== undefined) {
      await organization.subscriptions.put(id, {
        ...(isSubscribed && { email: consent, wallet: consent }),
        ...(language !== undefined && { language }),
      });
    }
    const customer = new TestCustomer(organization, this.wallets, id, email);
    if (stamps === undefined && templateId === undefined) return customer;
    const card = await customer.newCard(templateId ?? this.firstTemplate ?? (await this.template()).id);
    if (stamps !== undefined && stamps > 0) await card.stamp(stamps);
    return customer;
  }

  /**
   * Creates a webhook endpoint. By default, the endpoint has a unique URL.
   * @throws {Error} if the service has no outbox.
   */
  async webhook({ answers = [], receive, ...fields }: NewWebhook = {}): Promise<TestWebhook> {
    const { webhooks } = this;
    if (webhooks === null) throw new Error("webhooks need the outbox, which is disabled");
    const url = fields.url ?? `https://receiver-${this.nextNumber()}.example.com/${this.id}`;
    const { secret, webhookEndpoint } = await this.organization.webhooks.create({ ...fields, url });
    const { id } = webhookEndpoint;
    webhooks.receivers.set(webhookEndpoint.url, receive ?? respondWith(answers));
    return {
      ...{ id, url: webhookEndpoint.url, secret },
      get deliveries() {
        return webhooks.all.filter(({ endpointId }) => endpointId === id);
      },
    };
  }

  private async tag(userId: string, name: string): Promise<void> {
    const { tags } = this.organization;
    const existingTag = (await tags.list()).find((tag) => tag.name === name);
    const { slug } = existingTag ?? (await tags.create({ name }));
    await tags.assign(userId, slug);
  }

  private nextNumber(): number {
    this.createdCount += 1;
    return this.createdCount;
  }
}

function respondWith(statuses: readonly number[]): ReceiveWebhook {
  const remaining = [...statuses];
  return () =>
    new Response(null, { status: (remaining.length > 1 ? remaining.shift() : remaining[0]) ?? 200 });
}
