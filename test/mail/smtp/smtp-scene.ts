import { createFakeMail, createFakePki, type FakeMailOptions } from "loyalty-kit/testing";
import { onTestFinished } from "vitest";
import type { OutgoingMail } from "../../../adapters/delivery/mail/outgoing-mail.js";
import { buildMessageMail } from "../../../adapters/delivery/mail/send-attempt.js";
import { MailSendError } from "../../../adapters/delivery/mail/send-error.js";
import type { SmtpOptions } from "../../../adapters/delivery/mail/smtp/smtp-options.js";
import {
  createSmtpTransport,
  type SmtpTransportOptions,
} from "../../../adapters/delivery/mail/smtp/transport.js";

let pki: ReturnType<typeof createFakePki> | null = null;

/** Returns the certificate of a server on this machine, and its authority. */
export function createCertificates() {
  pki ??= createFakePki();
  return { key: pki.server.key, certificate: pki.server.certificate, ca: pki.root };
}

type Wishes = Omit<Partial<SmtpTransportOptions>, "smtp"> & { readonly smtp?: Partial<SmtpOptions> };

/** Opens a mail server and a transport to it. */
export async function open(server: FakeMailOptions = {}, wishes: Wishes = {}) {
  const fake = await createFakeMail(server);
  const transport = createSmtpTransport({
    from: "shop@shop.example",
    ...wishes,
    smtp: { url: fake.url, ...wishes.smtp },
  });
  onTestFinished(async () => {
    await transport.close();
    await fake.close();
  });
  return { fake, transport };
}

let count = 0;

/** Creates a mail to Ada with the given changes. */
export function createMail(changes: Partial<OutgoingMail> = {}): OutgoingMail {
  count += 1;
  const id = `mdl_${count}`;
  return {
    id,
    messageId: `<${id}@shop.example>`,
    envelope: { from: "shop@shop.example", to: "ada@customers.example" },
    from: { name: "Café Größenwahn", address: "shop@shop.example" },
    to: "ada@customers.example",
    replyTo: "help@shop.example",
    subject: "Ihre Karte: ☕ für später",
    text: "Grüß Gott, Ada\nhttps://loyalty.example/c/abc?m=1\n",
    html: '<p lang="de">Grüß Gott, <a href="https://loyalty.example/c/abc?m=1">Ada</a></p>',
    language: "de-AT",
    date: new Date("2026-03-04T05:06:07Z"),
    headers: { "Auto-Submitted": "auto-generated" },
    ...changes,
  };
}

/** Token of the unsubscribe link in the mails of messages. */
export const unsubscribeToken = `AbcAbcAbcAbce1-${"x".repeat(22)}`;

/** Builds the mail of a message with a shop's texts. */
export function createMessage(
  words: { subject?: string; text?: string; senderName?: string; footer?: string } = {},
) {
  const { subject = "Grüße ☕", text = "Hallo", senderName = "Café", footer = "Café GmbH" } = words;
  const sender = {
    publicUrl: `https://${"loyalty.".repeat(12)}shop.example`,
    from: { name: "Shop", address: "news@shop.example" },
    ...{ replyTo: null, bounceDomain: null, host: "shop.example" },
  };
  const job = {
    ...{ organizationId: "acme", delivery: { id: "mdl_1" }, to: "ada@customers.example", pass: null },
    ...{ link: "/c/?m=", unsubscribe: `/m/u/${unsubscribeToken}` },
    settings: { senderName, replyTo: null, footer, logo: null, language: null },
    message: { language: "de", subject, text, link: null, isTest: false },
  };
  return buildMessageMail(job, sender, new Date("2026-03-04T05:06:07Z"));
}

/** Returns the error with which a mail was refused. */
export async function getSendError(sending: Promise<unknown>): Promise<MailSendError> {
  const reason: unknown = await sending.then(
    () => new Error("the mail was taken"),
    (error: unknown) => error,
  );
  if (!(reason instanceof MailSendError)) throw reason;
  return reason;
}
