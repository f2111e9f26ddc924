import { withTimeout } from "../../../src/base/concurrency/timeout.js";
import type { ErrorListener } from "../../../src/kernel/events/event-emitter.js";
import type { MailJob } from "../../../src/messages/mail-claim.js";
import type { MailResult } from "../../../src/messages/mail-outcome.js";
import type { MailIdentity } from "./mail-sender.js";
import { buildMessageMail } from "./message-mail.js";
import type { MailTransport, OutgoingMail, SendReply } from "./outgoing-mail.js";
import { buildPassMail } from "./pass-mail.js";
import { MailSendError } from "./send-error.js";

/** Maximum duration of an attempt, in milliseconds. The result must be recorded before the claim ends. */
const LONGEST_MS = 50_000;

/** Settings that all attempts share. */
export interface MailAttemptSettings {
  readonly sender: MailIdentity;
  readonly transport: Pick<MailTransport, "send">;
  /** Called with errors that indicate a bug in the transport or in this package. */
  readonly onError: ErrorListener;
}

/**
 * Builds and sends the email for a claimed delivery.
 * @param now the time of the attempt.
 * @returns a promise that resolves to the result and never rejects.
 */
export async function attemptSend(
  job: MailJob,
  settings: MailAttemptSettings,
  now: number,
): Promise<MailResult> {
  const { sender, transport, onError } = settings;
  let mail: OutgoingMail;
  try {
    mail = buildMail(job, sender, new Date(now));
  } catch (error) {
    onError(error);
    return { kind: "refused", fault: "message", isPermanent: false, code: null, answer: null };
  }
  const sending = transport.send(mail).then(toAccepted, (error: unknown) => toFailure(error, onError));
  return withTimeout(LONGEST_MS, sending, "").catch(() => unanswered);
}

const unanswered: MailResult = {
  kind: "refused",
  fault: "message",
  isPermanent: false,
  isUncertain: true,
  code: null,
  answer: "sending the email took too long",
};

function toAccepted({ code, answer }: SendReply): MailResult {
  return { kind: "accepted", code, answer };
}

function buildMail(job: MailJob, sender: MailIdentity, date: Date): OutgoingMail {
  const { delivery, pass, message, unsubscribe } = job;
  const { id, kind } = delivery;
  if (message !== null && unsubscribe !== null)
    return buildMessageMail({ ...job, message, unsubscribe }, sender, date);
  if (pass === null || (kind !== "pass" && kind !== "link"))
    throw new TypeError(`there is no email for a ${kind} delivery`);
  return buildPassMail({ ...job, delivery: { id, kind }, pass }, sender, date);
}

function toFailure(error: unknown, onError: ErrorListener): MailResult {
  if (error instanceof MailSendError) {
    const { fault, isPermanent, isUncertain, code, answer } = error;
    if (fault === "transport") return { kind: "transport", isUncertain, code, answer };
    return { kind: "refused", fault, isPermanent, isUncertain, code, answer };
  }
  onError(error);
  // It is unknown whether the email was sent.
  return { kind: "transport", isUncertain: true, code: null, answer: null };
}
