import type { OutgoingMail } from "../../adapters/delivery/mail/outgoing-mail.js";

/** Creates a mail with a link to a pass. The given fields replace the defaults. */
export function createOutgoingMail(fields: Partial<OutgoingMail> = {}): OutgoingMail {
  const recipient = fields.to ?? "ada@example.com";
  return {
    id: "mdl_1",
    messageId: "<mdl_1@shop.example>",
    envelope: { from: "cafe@shop.example", to: recipient },
    from: { name: "Café", address: "cafe@shop.example" },
    replyTo: null,
    subject: "Your card",
    text: "Your card: http://127.0.0.1:3000/c/abc?m=1",
    html: '<!doctype html><html lang="en"><head><title>Your card</title></head><body><a href="http://127.0.0.1:3000/c/abc?m=1">Your card</a></body></html>',
    language: "en",
    date: new Date("2026-11-22T09:00:00Z"),
    headers: {},
    ...fields,
    to: recipient,
  };
}
