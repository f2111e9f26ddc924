import { throwMissing } from "../../setup/load-peer.js";

/** A mail that the server has taken. */
export interface ReceivedMail {
  readonly envelope: { readonly from: string; readonly to: string };
  /** The mail as it came, with headers. */
  readonly raw: Buffer;
  readonly messageId: string;
  readonly from: { readonly name: string; readonly address: string };
  readonly to: readonly string[];
  readonly replyTo: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** All headers, decoded, with names in lower case, in their order. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  /** Each URL of the text and of the `href`s in the HTML, once. */
  readonly links: readonly string[];
  /** True when it came encrypted. */
  readonly isEncrypted: boolean;
  /** The user who had signed in; `null` for none. */
  readonly user: string | null;
}

/** A mail as it came in, and the connection by which it did. */
export type Arrival = Pick<ReceivedMail, "envelope" | "raw" | "isEncrypted" | "user">;

/** Reads a mail as a mailbox does. */
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
    to: addresses(email.to),
    replyTo: addresses(email.replyTo),
    subject: email.subject ?? "",
    text,
    html,
    headers: email.headers.map(({ key, value }) => ({ name: key, value })),
    links: listLinks(text, html),
  };
}

/**
 * The value of a header; `null` when the mail has none of that name.
 *
 * @example
import { createFakeMail, headerOf } from "loyalty-kit/testing";
 *
 * const server = await createFakeMail();
 * server.onMail = (mail) => console.log(headerOf(mail, "List-Unsubscribe"));
 */
export function headerOf({ headers }: ReceivedMail, name: string): string | null {
  return headers.find((header) => header.name === name.toLowerCase())?.value ?? null;
}

function addresses(given: readonly { readonly address?: string | undefined }[] | undefined): string[] {
  return (given ?? []).flatMap(({ address }) => (address === undefined ? [] : [address]));
}

function listLinks(text: string, html: string): string[] {
  const inText = text.match(/https?:\/\/[^\s<>"]+/g) ?? [];
  const inHtml = [...html.matchAll(/\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)]
    .map((found) => (found[1] ?? found[2] ?? "").replaceAll("&amp;", "&"))
    .filter((href) => /^https?:/.test(href));
  return [...new Set([...inText, ...inHtml])];
}
