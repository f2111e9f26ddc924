import type { MailSendErrorInit } from "../send-error.js";

/**
 * The step at which an email failed.
 *
 * - `connection`: any step before the email itself, such as the DNS lookup, connecting, the greeting, TLS, or the login.
 * - `sender`, `recipient`, `data`: the server's reply to `MAIL`, to `RCPT`, or to `DATA` and the end of the data.
 * - `size`: the email exceeds the maximum size that the server announced.
 */
export type SmtpStep = "connection" | "sender" | "recipient" | "data" | "size";

/** The details of a failed attempt to send an email over a connection. */
export interface SmtpFailure {
  readonly step: SmtpStep;
  /** The server's reply code (RFC 5321), or `null` if there was no reply. */
  readonly code: number | null;
  /** The server's reply text, or the reason for the failure if there was no reply. */
  readonly answer: string;
  /**
   * Whether the client had started sending the email's content. If so, the server might have accepted the email even though no
   * reply arrived.
   */
  readonly hasBegunContent: boolean;
}

/**
 * Reply codes about the session rather than the email: closing, bad sequence of commands, and TLS or login required (RFC 3207,
 * 4954).
 */
const SESSION_REPLY_CODES: readonly number[] = [421, 503, 530, 534, 535, 538];

/** Determines whether the address, the email, or the transport caused a failure, and whether the failure is permanent. */
export function classifyFailure(failure: SmtpFailure): MailSendErrorInit {
  const { step, code, answer, hasBegunContent } = failure;
  const createErrorInit = (fault: MailSendErrorInit["fault"], isPermanent: boolean): MailSendErrorInit => ({
    fault,
    isPermanent,
    isUncertain: code === null && hasBegunContent,
    code,
    answer,
  });
  if (step === "size") return createErrorInit("message", true);
  if (step === "connection") return createErrorInit("transport", false);
  if (code === null) return createErrorInit("message", false);
  if (SESSION_REPLY_CODES.includes(code)) return createErrorInit("transport", false);
  // RFC 3207 and 4954 use 454 for TLS and the login, and some servers use it for senders that are too fast. At RCPT it defers a
  // single address.
  if (code === 454 && step !== "recipient") return createErrorInit("transport", false);
  const status = findEnhancedStatus(answer);
  if (isSenderRejected(status)) return createErrorInit("transport", false);
  const isPermanent = code >= 500;
  if (step === "data") return createErrorInit("message", isPermanent);
  if (step === "sender")
    return createErrorInit(classifySenderFault(code, status), isPermanent && isMailRejected(code, status));
  if (!isPermanent) return createErrorInit("address", false);
  return createErrorInit(isAddressRejected(code, status) ? "address" : "message", true);
}

/** Returns the enhanced status code (RFC 3463) at the start of a reply, such as `5.1.1`. `null` if there is none. */
function findEnhancedStatus(reply: string): string | null {
  return /^(?:\d{3}[ -])?([245]\.\d{1,3}\.\d{1,3})(?![\d.])/.exec(reply)?.[1] ?? null;
}

/**
 * Returns whether the status is about the sender. Some servers delay this refusal until `RCPT`, where it must not make the
 * recipient's address count as dead.
 */
function isSenderRejected(status: string | null): boolean {
  return status !== null && /^[45]\.1\.[78]$/.test(status);
}

function classifySenderFault(code: number, status: string | null): MailSendErrorInit["fault"] {
  return code < 500 || isMailRejected(code, status) ? "message" : "transport";
}

/**
 * Returns whether a refusal at `MAIL` is about the email. At this step the server knows only the email's size and the characters in
 * its addresses.
 */
function isMailRejected(code: number, status: string | null): boolean {
  return code === 552 || status === "5.3.4" || status === "5.6.7";
}

function isAddressRejected(code: number, status: string | null): boolean {
  if (status !== null) return status.startsWith("5.1.");
  return code === 550 || code === 553;
}
