import type { Design } from "../../src/index.js";
import { toDisplayText } from "../../src/values/display-text.js";
import type { OutgoingMail } from "./outgoing-mail.js";

/** The sender of emails, and the base URL for links in them. */
export interface MailIdentity {
  /** The URL at which customers reach the server, without a trailing slash. */
  readonly publicUrl: string;
  readonly from: { readonly name: string | null; readonly address: string };
  readonly replyTo: string | null;
  /** The domain for bounces, which go to a separate address for each delivery; `null` if bounces go to the sender. */
  readonly bounceDomain: string | null;
  /** The host name for `Message-ID`, in ASCII. */
  readonly host: string;
  /** Whether the server serves design pictures, as it does with wallets. */
  readonly hasPictures: boolean;
}

/** The part of an email job that determines the sender and the recipient. */
export interface Addressing {
  readonly delivery: { readonly id: string };
  readonly to: string;
  readonly settings: { readonly senderName: string | null; readonly replyTo: string | null };
}

/**
 * Returns the email fields that depend only on the sender and the recipient.
 * @param date the time of the attempt.
 */
export function addressFields(
  { delivery: { id }, to, settings }: Addressing,
  sender: MailIdentity,
  date: Date,
): Omit<OutgoingMail, "subject" | "text" | "html" | "language" | "headers"> {
  const { from, bounceDomain, host } = sender;
  return {
    id,
    messageId: `<${id}@${host}>`,
    envelope: { from: bounceDomain === null ? from.address : `bounce+${id}@${bounceDomain}`, to },
    from: {
      name: settings.senderName === null ? from.name : toDisplayText(settings.senderName),
      address: from.address,
    },
    to,
    replyTo: settings.replyTo ?? sender.replyTo,
    date,
  };
}

/**
 * Returns the URL of the design's logo, or else of the shop's logo; `null` if there is neither, or if the server doesn't serve
 * pictures.
 */
export function buildLogoUrl(
  design: Pick<Design, "logo"> | null | undefined,
  shop: { readonly logo: string | null },
  { hasPictures, publicUrl }: MailIdentity,
): string | null {
  const picture = hasPictures ? (design?.logo ?? shop.logo) : null;
  return picture === null ? null : `${publicUrl}/wallets/images/${picture}`;
}

/** Joins blocks of lines into the plain text part of an email, with a blank line between blocks. Empty blocks are left out. */
export function joinBlocks(blocks: readonly (readonly string[])[]): string {
  const texts = blocks.filter((block) => block.length > 0).map((block) => block.join("\n"));
  return `${texts.join("\n\n")}\n`;
}
