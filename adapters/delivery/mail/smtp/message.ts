import type { DkimKey } from "../dkim.js";
import { toAsciiAddress } from "../mailbox.js";
import type { OutgoingMail } from "../outgoing-mail.js";
import { MailSendError } from "../send-error.js";
import type { Nodemailer } from "./nodemailer.js";

/** An encoded email, ready to be sent over SMTP. */
export interface SmtpMessage {
  readonly envelope: { readonly from: string; readonly to: string };
  /** The complete email, including its headers and any DKIM signature, with CRLF line endings. */
  readonly content: Buffer;
}

/** Encodes an email. Rejects with a `MailSendError` if the email can't be encoded. */
export type Compose = (mail: OutgoingMail) => Promise<SmtpMessage>;

/**
 * The headers to sign: the headers that people and providers rely on, and the headers for one-click unsubscribe (RFC 8058, section
 * 4).
 */
const SIGNED_HEADERS = [
  "From",
  "Reply-To",
  "Subject",
  "Date",
  "Message-ID",
  "To",
  "MIME-Version",
  "Content-Type",
  "Content-Transfer-Encoding",
  "Content-Language",
  "Auto-Submitted",
  "List-Id",
  "List-Unsubscribe",
  "List-Unsubscribe-Post",
  "Precedence",
];

/** Maximum number of octets per line, without the line ending (RFC 5322, section 2.1.1). */
const MAX_LINE_BYTES = 998;

export function createComposer({ createTransport }: Nodemailer, dkim: DkimKey | null): Compose {
  const composer = createTransport({
    streamTransport: true,
    buffer: true,
    newline: "windows",
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(dkim !== null && {
      dkim: {
        domainName: dkim.domain,
        keySelector: dkim.selector,
        privateKey: dkim.privateKey,
        headerFieldNames: SIGNED_HEADERS.join(":"),
      },
    }),
  });
  return async (mail) => {
    const envelope = {
      from: encodeAddress(mail.envelope.from, "message"),
      to: encodeAddress(mail.envelope.to, "address"),
    };
    const { message } = await composer.sendMail({
      from: {
        name: quoteLiteral(mail.from.name ?? ""),
        address: encodeAddress(mail.from.address, "message"),
      },
      to: { name: "", address: encodeAddress(mail.to, "address") },
      ...(mail.replyTo !== null && {
        replyTo: { name: "", address: encodeAddress(mail.replyTo, "message") },
      }),
      subject: quoteLiteral(mail.subject),
      messageId: assertMessageId(mail.messageId),
      date: mail.date,
      text: mail.text,
      html: mail.html,
      headers: { "Content-Language": joinLines(mail.language), ...buildHeaderLines(mail.headers) },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    if (!Buffer.isBuffer(message)) throw new Error("nodemailer didn't create a message");
    if (hasLongLine(message)) throw refusalError("a line of the email is longer than 998 bytes");
    return { envelope, content: message };
  };
}

/** Encodes an address for the envelope and the headers. */
function encodeAddress(address: string, fault: "address" | "message"): string {
  const encoded = toAsciiAddress(address);
  if (encoded === null) throw refusalError("an address in the email is malformed", fault);
  return encoded;
}

function assertMessageId(id: string): string {
  if (!/^<[!-;=?-~]+@[!-;=?-~]+>$/.test(id)) throw refusalError("the Message-ID is malformed");
  return id;
}

/** Replaces each run of line breaks and control characters with a space, so that the text stays within one header. */
function joinLines(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}

/**
 * Prepares header text that must be displayed as written. Mail clients decode anything that looks like an encoded word (RFC 2047),
 * including encoded line breaks. An invisible character between `=` and `?` prevents this. Because it isn't ASCII, it also makes
 * the whole text get encoded.
 */
function quoteLiteral(text: string): string {
  return joinLines(text).replaceAll("=?", "=\u2060?");
}

/** Builds headers. ASCII values are only folded; other values are encoded (RFC 2047). */
function buildHeaderLines(headers: Readonly<Record<string, string>>) {
  const entries = Object.entries(headers).map(([name, text]) => {
    if (!/^[A-Za-z][A-Za-z0-9-]{0,75}$/.test(name)) throw refusalError("a header name is malformed");
    const value = joinLines(text);
    return [
      name,
      /^[ -~]*$/.test(value) ? { prepared: true, value: foldHeader(name, value) } : value,
    ] as const;
  });
  return Object.fromEntries(entries);
}

/** Folds a header before words that would make a line longer than 76 characters. Words such as URLs are never split. */
function foldHeader(name: string, value: string): string {
  const lines: string[] = [];
  let line = `${name}:`;
  for (const word of value.split(" ")) {
    if (line.length + 1 + word.length > 76 && line !== `${name}:`) {
      lines.push(line);
      line = "";
    }
    line += ` ${word}`;
  }
  return [...lines, line].join("\r\n").slice(name.length + 2);
}

function hasLongLine(content: Buffer): boolean {
  let start = 0;
  for (;;) {
    const end = content.indexOf("\r\n", start);
    if ((end === -1 ? content.length : end) - start > MAX_LINE_BYTES) return true;
    if (end === -1) return false;
    start = end + 2;
  }
}

function refusalError(reply: string, fault: "address" | "message" = "message"): MailSendError {
  return new MailSendError({ fault, isPermanent: true, answer: reply });
}
