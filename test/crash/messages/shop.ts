import type { LoyaltyService, StorageAdapter } from "loyalty-kit";
import type { createFakeMail } from "loyalty-kit/testing";
import { isLoyaltyError } from "../../../src/base/errors.js";
import type { StoredMessageDelivery } from "../../../src/storage/mail.js";
import { deliveryIdOf } from "../mail/senders.js";

const ORGANIZATION = "acme";
const DAY = 24 * 60 * 60_000;

/**
 * The time from which a customer, or all customers of a message, must get no mails: only the claimed deliveries may
 * still arrive, each once, and only until the processes are killed.
 */
interface Stop {
  readonly what: string;
  readonly email: string | null;
  readonly subject: string | null;
  /** The deliveries that had been claimed; `null` if unknown. */
  readonly claimed: ReadonlySet<string> | null;
  /** The number of mails received by then. */
  readonly at: number;
}

/** A shop that sends to some hundreds of customers, some of whom unsubscribe. */
export class MessageShop {
  /** The ids of its messages by their subjects. */
  readonly messages = new Map<string, string>();
  /** The addresses of erased customers. */
  readonly erasedIds = new Set<string>();
  private readonly stops: Stop[] = [];
  /** The number of mails received whenever processes began. */
  private readonly beginnings: number[] = [];
  private stoppedCount = 0;

  constructor(
    private readonly loyalty: LoyaltyService,
    private readonly storage: StorageAdapter,
    private readonly fake: Awaited<ReturnType<typeof createFakeMail>>,
    private readonly customers: number,
  ) {}

  get acme() {
    return this.loyalty.organization(ORGANIZATION);
  }

  async open(): Promise<void> {
    const consent = { emailConsent: "SUBSCRIBED" as const, consentAt: new Date().toISOString() };
    const rows = Array.from({ length: this.customers }, (_, at) => ({ email: addressAt(at), ...consent }));
    await this.acme.users.import(rows);
    await this.acme.messageSettings.update({ cap: null });
  }

  async send(): Promise<string> {
    const subject = `News ${this.messages.size}`;
    const { id } = await this.acme.messages.create({
      ...{ name: subject, audience: { all: true }, channels: ["email"] },
      texts: [{ language: "en", subject, text: "Hello {name}" }],
      expiresAt: new Date(Date.now() + 25 * DAY).toISOString(),
    });
    await this.acme.messages.send(id);
    this.messages.set(subject, id);
    return id;
  }

  async cancel(id: string): Promise<void> {
    try {
      await this.acme.messages.cancel(id);
    } catch (error) {
      if (isLoyaltyError(error, "message_ended")) return;
      throw error;
    }
    const subject = [...this.messages].find(([, each]) => each === id)?.[0] ?? null;
    this.recordStop({
      what: "was canceled",
      email: null,
      subject,
      claimed: idsOf(await this.listBeingSent(id)),
    });
  }

  /** Unsubscribes the next customer, and erases every tenth. Half of the customers stay subscribed. */
  async stopCustomer(): Promise<void> {
    if (this.stoppedCount > this.customers / 2) return;
    const email = addressAt(this.stoppedCount);
    this.stoppedCount += 1;
    const user = await this.acme.users.find({ email });
    if (user === null) throw new Error(`${email} is not there`);
    if (this.stoppedCount % 10 === 1) {
      await this.acme.users.erase(user.id);
      this.erasedIds.add(email);
      this.recordStop({ what: "is erased", email, subject: null, claimed: null });
      return;
    }
    await this.acme.subscriptions.put(user.id, { email: { status: "UNSUBSCRIBED" } });
    const query = { status: "SENDING", page: 0, size: 100 } as const;
    const { items } = await this.storage.snapshot(ORGANIZATION, (reader) =>
      reader.messageDeliveriesOf({ userId: user.id }, query),
    );
    this.recordStop({ what: "has unsubscribed", email, subject: null, claimed: idsOf(items) });
  }

  /** Lists the claimed deliveries of a message. */
  listBeingSent(id: string): Promise<StoredMessageDelivery[]> {
    return this.storage.snapshot(ORGANIZATION, (reader) =>
      reader.messageDeliveriesWith(id, "SENDING", null, 1_000),
    );
  }

  /** Records that new processes send from now on: deliveries that were claimed before are due again. */
  recordBeginning(): void {
    this.beginnings.push(this.fake.mails.length);
  }

  /** Lists the unwanted mails. */
  listUnwanted(): string[] {
    const wrong: string[] = [];
    for (const { what, email, subject, claimed, at } of this.stops) {
      const next = this.beginnings.find((start) => start >= at) ?? Number.POSITIVE_INFINITY;
      const come = new Set<string>();
      for (const [position, mail] of this.fake.mails.entries()) {
        const isMeant = mail.envelope.to === email || mail.subject === subject;
        if (position < at || !isMeant) continue;
        const id = deliveryIdOf(mail);
        const may = position < next && !come.has(id) && (claimed?.has(id) ?? true);
        if (!may) wrong.push(`${email ?? subject} ${what}, and got ${id}`);
        come.add(id);
      }
    }
    return wrong;
  }

  private recordStop(stop: Omit<Stop, "at">): void {
    this.stops.push({ ...stop, at: this.fake.mails.length });
  }
}

function addressAt(at: number): string {
  return `customer-${at}@example.com`;
}

function idsOf(deliveries: readonly StoredMessageDelivery[]): ReadonlySet<string> {
  return new Set(deliveries.map(({ id }) => id));
}
