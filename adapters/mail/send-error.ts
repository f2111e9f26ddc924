import { shareAcrossCopies } from "../../src/copies.js";

/**
 * The cause of a failure to send an email.
 *
 * - `address`: the recipient's address. If permanent, the address is dead, and nothing is sent to it until it is changed.
 * - `message`: this email. Other emails may go on.
 * - `transport`: the transport (the connection, TLS, the login, the sender). The attempt doesn't count, and all emails wait.
 */
export type MailFault = "address" | "message" | "transport";

export interface MailSendErrorInit {
  readonly fault: MailFault;
  /** True if a retry is pointless. Ignored for `transport`, which is always retried. Default: `false`. */
  readonly isPermanent?: boolean;
  /** True if the email may have been sent, for example because the reply was lost. Default: `false`. */
  readonly isUncertain?: boolean;
  /** The reply code, such as 550 (RFC 5321). Default: `null`. */
  readonly code?: number | null;
  /** The reply text; its first 1,000 characters are stored as one line. Default: empty. */
  readonly answer?: string;
}

/** Maximum length of a stored reply, in UTF-16 code units. */
const MAX_ANSWER = 1_000;

/**
 * Thrown by a mailer for an email that was not sent, or may not have been sent. Any other error counts as a failure of the
 * transport that may or may not have sent the email. The error's message contains no address, email text or secret.
 *
 * @example
 * import { createMail, MailSendError } from "loyalty-kit/mail";
 *
 * const send = async () => {
 *   throw new MailSendError({ fault: "address", isPermanent: true, code: 550 });
 * };
 * const mail = createMail(loyalty, { publicUrl: "https://cafe.example", from: "hi@cafe.example", smtp: { send } });
 */
export class MailSendError extends Error {
  static {
    shareAcrossCopies(MailSendError, "MailSendError");
  }

  override readonly name = "MailSendError";
  readonly fault: MailFault;
  readonly isPermanent: boolean;
  readonly isUncertain: boolean;
  readonly code: number | null;
  readonly answer: string;

  constructor(refusal: MailSendErrorInit, options?: ErrorOptions) {
    const { fault, isPermanent = false, isUncertain = false, code = null, answer = "" } = refusal;
    super(sentence(fault, isPermanent, code), options);
    this.fault = fault;
    this.isPermanent = isPermanent;
    this.isUncertain = isUncertain;
    this.code = code;
    this.answer = toPlainReply(answer);
  }
}

/**
 * The code at the start of each line of a reply (RFC 5321, section 4.2.1), and the enhanced status code that many servers repeat.
 */
const NEXT_LINE = /[\r\n]+\d{3}[ -](?:\d\.\d{1,3}\.\d{1,3} )?/g;

/**
 * Converts a reply to one line. It is truncated to 1,000 characters at a word boundary. Line codes after the first, and runs of
 * whitespace and control characters, become a single space.
 */
export function toPlainReply(answer: string): string {
  const start = answer.length > MAX_ANSWER ? answer.slice(0, MAX_ANSWER).replace(/\S+$/, "") : answer;
  return start
    .replace(NEXT_LINE, " ")
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
}

function sentence(fault: MailFault, isPermanent: boolean, code: number | null): string {
  const by = { address: "for its address", message: "for what it is", transport: "by the transport" }[fault];
  const answered = code === null ? "" : ` (${code})`;
  return `the mail was refused ${by}${answered}${isPermanent ? "" : "; it may be tried again"}`;
}
