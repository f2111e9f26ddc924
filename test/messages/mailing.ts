import type { LoyaltyOptions } from "loyalty-kit";
import { serviceInternals } from "../../src/internals.js";
import type { MailJob } from "../../src/messages/mail-claim.js";
import type { MailResult } from "../../src/messages/mail-outcome.js";
import { openAcme, someEmail } from "../kit/acme.js";

export const accepted: MailResult = { kind: "accepted", code: 250, answer: "2.0.0 Ok: queued" };
export const later: MailResult = {
  kind: "refused",
  fault: "message",
  isPermanent: false,
  code: 451,
  answer: "4.7.1 Greylisted",
};
export const noSuchAddress: MailResult = {
  kind: "refused",
  fault: "address",
  isPermanent: true,
  code: 550,
  answer: "5.1.1 <ada@example.com>: no such user",
};
export const unreachable: MailResult = { kind: "transport", code: null, answer: null };

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** Opens the organization "acme" with a card, in a service that has mail. */
export async function openMailing(options: Partial<LoyaltyOptions> = {}) {
  const shop = openAcme(options);
  const { acme, loyalty, clock } = shop;
  const mail = serviceInternals(loyalty).backends.mail;
  mail.attachSender({ host: "mail.example" });
  const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
  /** Creates a customer with a pass. */
  const createPass = async (email = someEmail()) => {
    const user = await acme.users.create({ email, name: "Ada" });
    return { user, pass: await acme.passes.create(template.id, { userId: user.id }) };
  };
  const claim = (limit = 10) => mail.claim("acme", "pass", limit);
  const recordResult = ({ lease, delivery, to }: MailJob, result: MailResult) =>
    mail.recordResults("acme", "pass", lease, [
      { deliveryId: delivery.id, to, result, at: clock.now, durationMs: 5 },
    ]);
  /** Claims all due mails and records the same result for each. */
  const attemptDelivery = async (result: MailResult) => {
    const jobs = await claim();
    for (const job of jobs) await recordResult(job, result);
    return jobs;
  };
  const getDelivery = (id: string) => acme.messageDeliveries.get(id);
  return {
    ...shop,
    mail,
    template,
    withPass: createPass,
    claim,
    settle: recordResult,
    attemptDelivery,
    getDelivery,
  };
}

/** Returns the token in the link of a mail. */
export function getToken({ link }: Pick<MailJob, "link">): string {
  return new URL(link, "https://x.example").searchParams.get("m") ?? "";
}
