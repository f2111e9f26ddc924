import type { SetupFinding } from "../setup/finding.js";

/**
 * One email to one recipient, ready to be encoded and sent. All strings are Unicode; the mailer encodes them (RFC 2047, RFC 2045).
 * Only `text` and `html` contain line breaks.
 */
export interface OutgoingMail {
  /** The id of the delivery (`mdl_…`), which is the same for all of its attempts. */
  readonly id: string;
  /** The `Message-ID` with angle brackets. It is the same for all attempts, so that duplicates can be recognized. */
  readonly messageId: string;
  /** The sender and recipient of `MAIL FROM` and `RCPT TO` (RFC 5321); bounces go to `from`. */
  readonly envelope: { readonly from: string; readonly to: string };
  /** The `From` address and name that recipients see. */
  readonly from: { readonly name: string | null; readonly address: string };
  readonly to: string;
  readonly replyTo: string | null;
  readonly subject: string;
  /** The plain text part, with LF line endings. It comes first in `multipart/alternative`. */
  readonly text: string;
  readonly html: string;
  /** The language as a BCP 47 tag, for `Content-Language`. */
  readonly language: string;
  /** The time of this attempt, for `Date`. */
  readonly date: Date;
  /**
   * Additional headers, such as `Auto-Submitted` and `List-Unsubscribe`, in ASCII and ready to send. Headers that follow from the
   * other fields are not included.
   */
  readonly headers: Readonly<Record<string, string>>;
}

/** The reply of the server that accepted an email. */
export interface SendReply {
  /** The reply code, such as 250; `null` if the mailer knows none. */
  readonly code: number | null;
  /** The reply text. It is stored with the attempt, truncated to 200 characters and without email addresses. */
  readonly answer: string;
}

/** A transport for emails. It may be called for several emails concurrently. */
export interface MailTransport {
  /**
   * Passes one email to the next server, within 45 seconds. Resolves once the server has stored the email.
   * @throws {MailSendError} and no other error.
   */
  send(mail: OutgoingMail): Promise<SendReply>;
  /** Returns the problems of the setup; empty if emails can be sent. It sends no email and never throws. */
  check(): Promise<SetupFinding[]>;
  /** Closes the connections once the emails in flight have ended. Later emails fail as a failure of the transport. */
  close(): Promise<void>;
}
