import type { SetupFinding } from "../setup/finding.js";

/**
 * One mail to one person, as it is to leave. Every text is Unicode: who sends it encodes it (RFC 2047, RFC 2045). No text
 * but `text` and `html` has a line break.
 */
export interface OutgoingMail {
  /** The id of the delivery (`mdl_…`). It is the same at each attempt of one delivery. */
  readonly id: string;
  /** The `Message-ID` with its angle brackets. It is the same at each attempt, so that a double is recognizable. */
  readonly messageId: string;
  /** The sender and recipient of `MAIL FROM` and `RCPT TO` (RFC 5321); bounces go to `from`. */
  readonly envelope: { readonly from: string; readonly to: string };
  /** The `From` that people see. */
  readonly from: { readonly name: string | null; readonly address: string };
  readonly to: string;
  readonly replyTo: string | null;
  readonly subject: string;
  /** The plain part, with LF between lines. It comes first in `multipart/alternative`. */
  readonly text: string;
  readonly html: string;
  /** A BCP 47 tag, for `Content-Language`. */
  readonly language: string;
  /** The time of this attempt, for `Date`. */
  readonly date: Date;
  /**
   * Further headers, such as `Auto-Submitted` and `List-Unsubscribe`: ASCII, already in their final form. None of those
   * that follow from the other fields is among them.
   */
  readonly headers: Readonly<Record<string, string>>;
}

/** The answer of the server that took a mail. */
export interface SendReply {
  /** The code of the answer, such as 250; `null` if the way out knows none. */
  readonly code: number | null;
  /** The words of the answer. They are kept with the attempt, cut to 200 characters and without addresses. */
  readonly answer: string;
}

/** A way out for mails. It is safe to be called for several mails at the same time. */
export interface MailTransport {
  /**
   * Hands one mail to the next server, in at most 45 seconds. It resolves once that server has the mail on its disk.
   * @throws {MailSendError} and nothing else.
   */
  send(mail: OutgoingMail): Promise<SendReply>;
  /** Returns the problems of the setup; an empty list means that mails can be sent. It sends none and never throws. */
  check(): Promise<SetupFinding[]>;
  /** Closes the connections after the mails in flight. Later mails are refused as a failure of the transport. */
  close(): Promise<void>;
}
