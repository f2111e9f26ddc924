import type { Design } from "../../src/index.js";
import { toDisplayText } from "../../src/values/display-text.js";
import type { OutgoingMail } from "./outgoing-mail.js";

/** The sender of mails, and the base of the links in them. */
export interface MailIdentity {
  /** The URL by which customers reach the server, without a trailing slash. */
  readonly publicUrl: string;
  readonly from: { readonly name: string | null; readonly address: string };
  readonly replyTo: string | null;
  /** Bounces go to an address of the delivery at this domain; `null` has them go to the sender. */
  readonly bounceDomain: string | null;
  /** The host of `Message-ID`, in ASCII. */
  readonly host: string;
  /** The server answers for the pictures of designs, as one with wallets does. */
  readonly hasPictures: boolean;
}

/** The part of a mail's job that says whom it is from and to. */
export interface Addressing {
  readonly delivery: { readonly id: string };
  readonly to: string;
  readonly settings: { readonly senderName: string | null; readonly replyTo: string | null };
}

/** Returns what follows from the sender and the recipient of a mail, whatever it says. @param date the time of the attempt. */
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

/** Returns the URL of a design's logo, or else of the shop's; `null` for none, and where the server has no pictures. */
export function buildLogoUrl(
  design: Pick<Design, "logo"> | null | undefined,
  shop: { readonly logo: string | null },
  { hasPictures, publicUrl }: MailIdentity,
): string | null {
  const picture = hasPictures ? (design?.logo ?? shop.logo) : null;
  return picture === null ? null : `${publicUrl}/wallets/images/${picture}`;
}

/** Returns the plain part of a mail: its blocks of lines, those that have none left out, with an empty line between two. */
export function joinBlocks(blocks: readonly (readonly string[])[]): string {
  const texts = blocks.filter((block) => block.length > 0).map((block) => block.join("\n"));
  return `${texts.join("\n\n")}\n`;
}
