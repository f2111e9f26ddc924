import type { SetupFinding } from "../../setup/finding.js";

/**
 * An email to a single recipient, ready to be encoded and sent. Strings are Unicode, and the mailer must encode them (RFC 2045, RFC
 * 2047). Only `text` and `html` can contain line breaks.
 */
export interface OutgoingMail {
  /** The delivery's ID (`mdl_…`), which is the same for every attempt. */
  readonly id: string;
  /**
   * The `Message-ID`, including the angle brackets. It is the same for every attempt so that recipients can recognize duplicates.
   */
  readonly messageId: string;
  /** The SMTP envelope, with the addresses for `MAIL FROM` and `RCPT TO` (RFC 5321). Bounces go to `from`. */
  readonly envelope: {
    /** The address that bounces go to. */
    readonly from: string;
    /** The recipient's address. */
    readonly to: string;
  };
  /** The `From` address and name shown to the recipient. */
  readonly from: {
    /** The sender's name, or `null` for none. */
    readonly name: string | null;
    /** The sender's address. */
    readonly address: string;
  };
  /** The recipient's address, as shown in the `To` header. */
  readonly to: string;
  /** The address for replies, or `null` to use the sender's address. */
  readonly replyTo: string | null;
  /** The subject line as plain text, not yet encoded for the `Subject` header. */
  readonly subject: string;
  /** The plain text part, with LF line endings. It precedes the HTML part in `multipart/alternative`. */
  readonly text: string;
  /** The HTML part, as a complete HTML document. */
  readonly html: string;
  /** The language as a BCP 47 tag, used for the `Content-Language` header. */
  readonly language: string;
  /** The time of this attempt, used for the `Date` header. */
  readonly date: Date;
  /**
   * Additional headers, such as `Auto-Submitted` and `List-Unsubscribe`. The values are ASCII and need no encoding. Headers derived
   * from the other fields aren't included.
   */
  readonly headers: Readonly<Record<string, string>>;
}

/** The reply from the server that accepted an email. */
export interface SendReply {
  /** The reply code, such as 250, or `null` if the mailer doesn't know it. */
  readonly code: number | null;
  /** The reply text. It is stored with the attempt, truncated to 200 characters and with email addresses removed. */
  readonly answer: string;
}

/** A transport that sends emails. It must support concurrent calls. */
export interface MailTransport {
  /**
   * Hands an email to the next server within 45 seconds. Resolves once that server has accepted it.
   * @throws {MailSendError} if the email wasn't sent. Never throws any other error.
   */
  send(mail: OutgoingMail): Promise<SendReply>;
  /**
   * Checks the setup without sending an email. Resolves to the problems found, or to an empty array if there are none. Never
   * rejects.
   */
  check(): Promise<SetupFinding[]>;
  /** Closes the connections once the emails in flight have finished. Later calls to `send` reject with a transport failure. */
  close(): Promise<void>;
}
