import { shareAcrossCopies } from "../../../src/base/copies.js";

/**
 * What caused a failure to send an email.
 *
 * - `address`: the recipient's address. After a permanent failure, nothing is sent to it until the customer changes it.
 * - `message`: this particular email. Other emails are not affected.
 * - `transport`: the connection, TLS, the login, or the sender. Such a failure isn't counted as an attempt, and all emails wait.
 */
export type MailFault = "address" | "message" | "transport";

export interface MailSendErrorInit {
  /** The cause of the failure. See {@link MailFault}. */
  readonly fault: MailFault;
  /**
   * Whether the failure is permanent, which makes retrying pointless. Ignored for `transport` failures, which are always retried.
   * Default: `false`.
   */
  readonly isPermanent?: boolean;
  /** Whether the email might have been sent anyway, for example because only the reply was lost. Default: `false`. */
  readonly isUncertain?: boolean;
  /** The server's reply code, such as 550 (RFC 5321). Default: `null`. */
  readonly code?: number | null;
  /** The server's reply text. It is stored as a single line of at most 1,000 characters. Default: empty. */
  readonly answer?: string;
}

/** Maximum length of a stored reply, in UTF-16 code units. */
const MAX_REPLY_LENGTH = 1_000;

/**
 * Thrown by a mailer if an email wasn't sent, or if it is unknown whether the email was sent. Any other error from a mailer counts
 * as a transport failure, and the email might have been sent. The error's message contains no addresses, email text, or secrets.
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
  /** The cause of the failure. See {@link MailFault}. */
  readonly fault: MailFault;
  /** Whether the failure is permanent, which makes retrying pointless. */
  readonly isPermanent: boolean;
  /** Whether the email might have been sent anyway, for example because only the reply was lost. */
  readonly isUncertain: boolean;
  /** The server's reply code, such as 550, or `null` if there was no reply. */
  readonly code: number | null;
  /** The server's reply text, or an empty string if there was no reply. */
  readonly answer: string;

  constructor(refusal: MailSendErrorInit, options?: ErrorOptions) {
    const { fault, isPermanent = false, isUncertain = false, code = null, answer = "" } = refusal;
    super(formatMessage(fault, isPermanent, code), options);
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
const REPLY_CODE_PATTERN = /[\r\n]+\d{3}[ -](?:\d\.\d{1,3}\.\d{1,3} )?/g;

/**
 * Converts a server's reply to a single line, truncated to 1,000 characters at a word boundary. Replaces each run of whitespace and
 * control characters with a space, and removes reply codes at the start of later lines.
 */
export function toPlainReply(reply: string): string {
  const start =
    reply.length > MAX_REPLY_LENGTH ? reply.slice(0, MAX_REPLY_LENGTH).replace(/\S+$/, "") : reply;
  return start
    .replace(REPLY_CODE_PATTERN, " ")
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
}

function formatMessage(fault: MailFault, isPermanent: boolean, code: number | null): string {
  const cause = {
    address: "because of its address",
    message: "because of its content",
    transport: "by the mail server",
  }[fault];
  const codeText = code === null ? "" : ` (${code})`;
  return `the email was rejected ${cause}${codeText}${isPermanent ? "" : "; it can be retried"}`;
}
