import { domainToASCII } from "node:url";
import type { DkimKey } from "../dkim.js";
import type { OutgoingMail } from "../outgoing-mail.js";
import { MailSendError } from "../send-error.js";
import type { Nodemailer } from "./nodemailer.js";

/** A mail as it goes over the wire. */
export interface SmtpMessage {
  readonly envelope: { readonly from: string; readonly to: string };
  /** Headers and parts, signed, with CR LF between lines. */
  readonly content: Buffer;
}

/** Makes the message of a mail. It rejects with `MailSendError` for a mail that can't be one. */
export type Compose = (mail: OutgoingMail) => Promise<SmtpMessage>;

/**
 * The signed headers: the headers that people and providers rely on, and the headers for one-click unsubscribing (RFC 8058, section
 * 4).
 */
const SIGNED = [
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

/** The most octets of a line without its end (RFC 5322, section 2.1.1). */
const MAX_LINE = 998;

/** An address without quotes and comments, as the service takes them. */
const ADDRESS = /^[^\s\p{Cc}<>()[\]\\,;:"@]{1,64}@[^\s\p{Cc}<>()[\]\\,;:"@]{1,255}$/u;

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
        headerFieldNames: SIGNED.join(":"),
      },
    }),
  });
  return async (mail) => {
    const envelope = {
      from: toAsciiAddress(mail.envelope.from, "message"),
      to: toAsciiAddress(mail.envelope.to, "address"),
    };
    const { message } = await composer.sendMail({
      from: { name: literal(mail.from.name ?? ""), address: toAsciiAddress(mail.from.address, "message") },
      to: { name: "", address: toAsciiAddress(mail.to, "address") },
      ...(mail.replyTo !== null && {
        replyTo: { name: "", address: toAsciiAddress(mail.replyTo, "message") },
      }),
      subject: literal(mail.subject),
      messageId: assertMessageId(mail.messageId),
      date: mail.date,
      text: mail.text,
      html: mail.html,
      headers: { "Content-Language": oneLine(mail.language), ...buildHeaderLines(mail.headers) },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    if (!Buffer.isBuffer(message)) throw new Error("nodemailer has made no message");
    if (hasLongLine(message)) throw refused("a line of the mail has more than 998 octets");
    return { envelope, content: message };
  };
}

/** The address with its domain in ASCII (RFC 5891), for the envelope and the headers. */
function toAsciiAddress(address: string, fault: "address" | "message"): string {
  const at = address.lastIndexOf("@");
  const domain = domainToASCII(address.slice(at + 1));
  if (!ADDRESS.test(address) || domain === "") throw refused("an address of the mail is malformed", fault);
  return `${address.slice(0, at)}@${domain}`;
}

function assertMessageId(id: string): string {
  if (!/^<[!-;=?-~]+@[!-;=?-~]+>$/.test(id)) throw refused("the Message-ID is malformed");
  return id;
}

/** A text for a header: each run of line breaks and other control characters becomes a space, so that it stays one header. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}

/**
 * A text for a header in which people read what was written. Readers decode what looks encoded (RFC 2047), also a line break, so a mark
 * that shows nothing takes `=` and `?` apart; it has the whole text encoded, too.
 */
function literal(text: string): string {
  return oneLine(text).replaceAll("=?", "=\u2060?");
}

/** Headers in ASCII are only folded; others are encoded (RFC 2047). */
function buildHeaderLines(headers: Readonly<Record<string, string>>) {
  const entries = Object.entries(headers).map(([name, text]) => {
    if (!/^[A-Za-z][A-Za-z0-9-]{0,75}$/.test(name)) throw refused("the name of a header is malformed");
    const value = oneLine(text);
    return [
      name,
      /^[ -~]*$/.test(value) ? { prepared: true, value: foldHeader(name, value) } : value,
    ] as const;
  });
  return Object.fromEntries(entries);
}

/** Breaks a header before words that would make a line longer than 76 characters, and never within a word, as a URL is one. */
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
    if ((end === -1 ? content.length : end) - start > MAX_LINE) return true;
    if (end === -1) return false;
    start = end + 2;
  }
}

function refused(answer: string, fault: "address" | "message" = "message"): MailSendError {
  return new MailSendError({ fault, isPermanent: true, answer });
}
