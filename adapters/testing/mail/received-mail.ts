import { throwMissing } from "../../setup/peers.js";

interface MailEnvelope {
  /** The address that bounces go to (`MAIL FROM`). */
  readonly from: string;
  /** The recipient's address (`RCPT TO`). */
  readonly to: string;
}

interface MailSender {
  /** The sender's name. */
  readonly name: string;
  /** The sender's address. */
  readonly address: string;
}

interface MailHeader {
  /** The name of the header, in lower case. */
  readonly name: string;
  /** The decoded value. */
  readonly value: string;
}

/** An email that the fake mail server has accepted. */
export interface ReceivedMail {
  /** The SMTP envelope: the bounce address and the recipient's address. */
  readonly envelope: MailEnvelope;
  /** The raw email, including its headers. */
  readonly raw: Buffer;
  /** The `Message-ID`, including the angle brackets, or an empty string if there is none. */
  readonly messageId: string;
  /** The sender in the `From` header, which mail clients show to the recipient. */
  readonly from: MailSender;
  /** The addresses in the `To` header. */
  readonly to: readonly string[];
  /** The addresses in the `Reply-To` header. */
  readonly replyTo: readonly string[];
  /** The decoded subject, or an empty string if there is none. */
  readonly subject: string;
  /** The plain-text part, or an empty string if there is none. */
  readonly text: string;
  /** The HTML part, or an empty string if there is none. */
  readonly html: string;
  /** All headers, in their original order, with lowercase names and decoded values. */
  readonly headers: readonly MailHeader[];
  /** The distinct URLs in the plain text and in the HTML's `href` attributes. */
  readonly links: readonly string[];
  /** Whether the email arrived over an encrypted connection. */
  readonly isEncrypted: boolean;
  /** The username that the client authenticated with, or `null` if it didn't authenticate. */
  readonly user: string | null;
}

/** A raw email, along with details of the connection over which it arrived. */
export type Arrival = Pick<ReceivedMail, "envelope" | "raw" | "isEncrypted" | "user">;

/**
 * Parses an accepted email into the sender, the recipients, the text and HTML bodies, and the links that a mail client would
 * show.
 */
export async function readMail(arrival: Arrival): Promise<ReceivedMail> {
  const { default: PostalMime } = await import(
    /* webpackIgnore: true */ /* turbopackIgnore: true */ "postal-mime"
  ).catch(throwMissing("postal-mime"));
  const email = await PostalMime.parse(arrival.raw);
  const text = email.text ?? "";
  const html = email.html ?? "";
  return {
    ...arrival,
    messageId: email.messageId ?? "",
    from: { name: email.from?.name ?? "", address: email.from?.address ?? "" },
    to: listAddresses(email.to),
    replyTo: listAddresses(email.replyTo),
    subject: email.subject ?? "",
    text,
    html,
    headers: email.headers.map(({ key, value }) => ({ name: key, value })),
    links: listLinks(text, html),
  };
}

/**
 * Returns a header's value, or `null` if the email has no header with that name.
 *
 * @example
 * import { createFakeMail, headerOf } from "loyalty-kit/testing";
 *
 * const server = await createFakeMail();
 * server.onMail = (mail) => console.log(headerOf(mail, "List-Unsubscribe"));
 */
export function headerOf({ headers }: ReceivedMail, name: string): string | null {
  return headers.find((header) => header.name === name.toLowerCase())?.value ?? null;
}

function listAddresses(list: readonly { readonly address?: string | undefined }[] | undefined): string[] {
  return (list ?? []).flatMap(({ address }) => (address === undefined ? [] : [address]));
}

function listLinks(text: string, html: string): string[] {
  const inText = text.match(/https?:\/\/[^\s<>"]+/g) ?? [];
  const inHtml = [...html.matchAll(/\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)]
    .map((match) => (match[1] ?? match[2] ?? "").replaceAll("&amp;", "&"))
    .filter((href) => /^https?:/.test(href));
  return [...new Set([...inText, ...inHtml])];
}
