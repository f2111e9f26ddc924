import { resultWithin } from "../../src/concurrency/within.js";
import type { ErrorListener } from "../../src/index.js";
import type { MailJob } from "../../src/messages/mail-claim.js";
import type { MailResult } from "../../src/messages/mail-outcome.js";
import type { MailSender } from "./mail-sender.js";
import { messageMail } from "./message-mail.js";
import type { MailTransport, OutgoingMail, SendReply } from "./outgoing-mail.js";
import { passMail } from "./pass-mail.js";
import { MailSendError } from "./refusal.js";

/** An attempt that has taken so long is given up, in milliseconds: it has to be settled before its claim ends. */
const LONGEST_MS = 50_000;

/** The sender, the way out and the listener that attempts have in common. */
export interface AttemptSettings {
  readonly sender: MailSender;
  readonly transport: Pick<MailTransport, "send">;
  /** Gets each error that is a mistake of the transport or of ours. */
  readonly onError: ErrorListener;
}

/** Makes the mail of a claimed delivery and sends it. It never rejects. @param now the time of the attempt. */
export async function attempt(job: MailJob, settings: AttemptSettings, now: number): Promise<MailResult> {
  const { sender, transport, onError } = settings;
  let mail: OutgoingMail;
  try {
    mail = mailOf(job, sender, new Date(now));
  } catch (error) {
    onError(error);
    return { kind: "refused", fault: "message", isPermanent: false, code: null, answer: null };
  }
  const sending = transport.send(mail).then(accepted, (error: unknown) => failed(error, onError));
  return resultWithin(LONGEST_MS, sending, "").catch(() => unanswered);
}

const unanswered: MailResult = {
  kind: "refused",
  fault: "message",
  isPermanent: false,
  isUncertain: true,
  code: null,
  answer: "sending took too long",
};

function accepted({ code, answer }: SendReply): MailResult {
  return { kind: "accepted", code, answer };
}

function mailOf(job: MailJob, sender: MailSender, date: Date): OutgoingMail {
  const { delivery, pass, message, unsubscribe } = job;
  const { id, kind } = delivery;
  if (message !== null && unsubscribe !== null)
    return messageMail({ ...job, message, unsubscribe }, sender, date);
  if (pass === null || (kind !== "pass" && kind !== "link"))
    throw new TypeError(`no mail is made of a ${kind}`);
  return passMail({ ...job, delivery: { id, kind }, pass }, sender, date);
}

function failed(error: unknown, onError: ErrorListener): MailResult {
  if (error instanceof MailSendError) {
    const { fault, isPermanent, isUncertain, code, answer } = error;
    if (fault === "transport") return { kind: "transport", isUncertain, code, answer };
    return { kind: "refused", fault, isPermanent, isUncertain, code, answer };
  }
  onError(error);
  // Nobody knows what became of it.
  return { kind: "transport", isUncertain: true, code: null, answer: null };
}
