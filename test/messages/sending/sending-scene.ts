import type { CreateMessage, LoyaltyOptions, Message, StorageAdapter } from "loyalty-kit";
import { createMail, type Mail, type OutgoingMail } from "loyalty-kit/mail";
import { memoryStorage } from "loyalty-kit/memory";
import { onTestFinished } from "vitest";
import { serviceInternals } from "../../../src/internals.js";
import { openAcme } from "../../kit/acme.js";
import { watchSums } from "./watched-sums.js";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const words = "Yes, send me news.";

/** Opens the organization "acme" in a service that sends mails through a function, on request. */
export async function openSending(options: Partial<LoyaltyOptions> = {}) {
  const storage: StorageAdapter = options.storage ?? memoryStorage();
  const sums = watchSums(storage);
  const { loyalty, acme, clock } = openAcme({ ...options, storage });
  const sentMails: OutgoingMail[] = [];
  const way = {
    /** Sends a mail for the host; tests may replace it. */
    async send(mail: OutgoingMail): Promise<void> {
      sentMails.push(mail);
    },
  };
  const openMail = (): Mail =>
    createMail(loyalty, {
      ...{ publicUrl: "https://shop.example", from: "Shop <cards@shop.example>", deliver: false },
      ...{ smtp: { send: (mail) => way.send(mail) }, rate: { requests: 100_000, seconds: 1 } },
    });
  const mail = openMail();
  onTestFinished(() => mail.close());
  const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
  const messages = serviceInternals(loyalty).backends.messages;

  /** Creates a customer who has subscribed to mails. */
  const createSubscriber = async (name: string) => {
    const user = await acme.users.create({ name, email: `${name}@example.com` });
    await acme.subscriptions.put(user.id, { email: { status: "SUBSCRIBED", text: words } });
    return user;
  };
  const createDraft = (message: Partial<CreateMessage> = {}): Promise<Message> =>
    acme.messages.create({
      ...{ name: "News", audience: { all: true }, channels: ["email"], templateId: template.id },
      texts: [{ language: "en", subject: "News for {name}", text: "Hello {name}.", wallet: "News" }],
      ...message,
    });
  /** Sends a message, and processes nothing of it yet. */
  const send = async (message: Partial<CreateMessage> = {}) =>
    acme.messages.send((await createDraft(message)).id);
  /** Processes everything that is due of messages, and sends no mail. */
  const advance = async () => {
    for (const id of await messages.queuesWithDueJobs(10)) while (await messages.advance(id));
  };
  const get = (id: string) => acme.messages.get(id);
  const listDeliveries = async (id: string) => (await acme.messages.deliveries(id, { size: 200 })).content;
  /** Returns the events of messages, oldest first. */
  const listEvents = async () => {
    const { content } = await acme.events.list({ limit: 1_000 });
    return content.filter(({ type }) => type.startsWith("message."));
  };
  return {
    ...{ storage, sums, loyalty, acme, clock, sent: sentMails, way, mail, template, messages },
    ...{
      subscriber: createSubscriber,
      draft: createDraft,
      send,
      advance,
      get,
      deliveries: listDeliveries,
      events: listEvents,
    },
  };
}

export function listNames(mails: readonly OutgoingMail[]): string[] {
  return mails.map(({ to }) => to.split("@")[0] ?? "").sort();
}
