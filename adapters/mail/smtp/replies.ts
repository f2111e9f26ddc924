import type { MailSendErrorInit } from "../send-error.js";

/**
 * The step at which a mail was refused.
 *
 * - `connection`: anything before the mail: DNS, connecting, the greeting, TLS, signing in.
 * - `sender`, `recipient`, `data`: the answer to `MAIL`, to `RCPT`, and to `DATA` or its end.
 * - `size`: the server has said that it takes no mail as large as this one.
 */
export type SmtpStep = "connection" | "sender" | "recipient" | "data" | "size";

/** One failure of an attempt, as the connection saw it. */
export interface SmtpFailure {
  readonly step: SmtpStep;
  /** The code of the server's answer (RFC 5321); `null` if none came. */
  readonly code: number | null;
  /** The server's words, or why none came. */
  readonly answer: string;
  /** True when the content was under way, so that the server may have taken it although no answer came. */
  readonly hasBegunContent: boolean;
}

/** Codes that speak of the session and not of the mail: closing, bad sequence, and TLS or signing in wanted (RFC 3207, 4954). */
const OF_THE_SESSION: readonly number[] = [421, 503, 530, 534, 535, 538];

/** Tells whose fault a failure is. */
export function classifyFailure(failure: SmtpFailure): MailSendErrorInit {
  const { step, code, answer, hasBegunContent } = failure;
  const refusal = (fault: MailSendErrorInit["fault"], isPermanent: boolean): MailSendErrorInit => ({
    fault,
    isPermanent,
    isUncertain: code === null && hasBegunContent,
    code,
    answer,
  });
  if (step === "size") return refusal("message", true);
  if (step === "connection") return refusal("transport", false);
  if (code === null) return refusal("message", false);
  if (OF_THE_SESSION.includes(code)) return refusal("transport", false);
  // RFC 3207 and 4954 have 454 for TLS and signing in, some servers for who sends too fast; at RCPT it puts off one address.
  if (code === 454 && step !== "recipient") return refusal("transport", false);
  const status = findEnhancedStatus(answer);
  if (isOfTheSender(status)) return refusal("transport", false);
  const isPermanent = code >= 500;
  if (step === "data") return refusal("message", isPermanent);
  if (step === "sender")
    return refusal(faultAtSender(code, status), isPermanent && isAboutTheMail(code, status));
  if (!isPermanent) return refusal("address", false);
  return refusal(isAddressDead(code, status) ? "address" : "message", true);
}

/** The enhanced status code (RFC 3463) at the beginning of an answer, such as `5.1.1`; `null` if there is none. */
function findEnhancedStatus(answer: string): string | null {
  return /^(?:\d{3}[ -])?([245]\.\d{1,3}\.\d{1,3})(?![\d.])/.exec(answer)?.[1] ?? null;
}

/** Servers that put off the refusal of a sender tell it at `RCPT`: it must kill no address of a recipient. */
function isOfTheSender(status: string | null): boolean {
  return status !== null && /^[45]\.1\.[78]$/.test(status);
}

function faultAtSender(code: number, status: string | null): MailSendErrorInit["fault"] {
  return code < 500 || isAboutTheMail(code, status) ? "message" : "transport";
}

/** At `MAIL` a server knows nothing of a mail but its size and the letters of its addresses. */
function isAboutTheMail(code: number, status: string | null): boolean {
  return code === 552 || status === "5.3.4" || status === "5.6.7";
}

function isAddressDead(code: number, status: string | null): boolean {
  if (status !== null) return status.startsWith("5.1.");
  return code === 550 || code === 553;
}
