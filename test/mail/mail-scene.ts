import type { StorageAdapter } from "loyalty-kit";
import { createMail, type Mail, type MailOptions } from "loyalty-kit/mail";
import { memoryStorage } from "loyalty-kit/memory";
import { createFakeMail, type FakeMail } from "loyalty-kit/testing";
import { onTestFinished } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";

/** Opens a mail server for one test. */
export async function openFake(options: Parameters<typeof createFakeMail>[0] = {}): Promise<FakeMail> {
  const fake = await createFakeMail(options);
  onTestFinished(() => fake.close());
  return fake;
}

/** Opens an organization with a card, a mail server, and a sender that sends mails there on request. */
export async function openMailShop(
  options: Partial<MailOptions> = {},
  storage: StorageAdapter = memoryStorage(),
) {
  const fake = await openFake();
  const { loyalty, acme, clock } = openAcme({ storage });
  const errors: unknown[] = [];
  /** Opens a second sender, as another process would. */
  const openMail = (more: Partial<MailOptions> = {}): Mail =>
    createMail(loyalty, {
      ...{ publicUrl: "https://shop.example", from: "Shop <cards@shop.example>", smtp: fake.url },
      ...{ deliver: false, rate: { requests: 1_000, seconds: 1 } },
      onError: (error: unknown) => errors.push(error),
      ...options,
      ...more,
    });
  let mail = openMail();
  onTestFinished(() => mail.close());
  const template = await acme.templates.create({
    ...{ name: "Coffee card", type: "STAMP_CARD", maxStamps: 10, reward: "A free coffee" },
  });

  /** Creates a pass and the mail that delivers it. */
  async function notifyCustomer(email = someEmail(), name: string | null = "Ada") {
    const { id, userId } = await acme.passes.create(template.id, { user: { email, name } });
    const { id: deliveryId } = await acme.passes.notify(id);
    const getDelivery = () => acme.messageDeliveries.get(deliveryId);
    return { email, passId: id, userId, deliveryId, delivery: getDelivery };
  }

  return {
    ...{ fake, loyalty, acme, clock, template, errors, notifyCustomer },
    get mail() {
      return mail;
    },
    /** Closes the sender and opens a new one, without the state of the previous one. */
    async restart(more: Partial<MailOptions> = {}): Promise<void> {
      await mail.close();
      mail = openMail(more);
    },
  };
}
