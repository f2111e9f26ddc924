import { toDisplayText } from "../../../src/base/values/display-text.js";
import type { Design } from "../../../src/index.js";
import type { OutgoingMail } from "./outgoing-mail.js";

/** The path where the customer pages serve design pictures. Each picture's file name is its hash. */
export const PICTURES_PATH = "/j/pictures";

/** The email sender and the settings that determine an email's links and headers. */
export interface MailIdentity {
  /** The URL that customers use to reach the server, without a trailing slash. */
  readonly publicUrl: string;
  readonly from: { readonly name: string | null; readonly address: string };
  readonly replyTo: string | null;
  /**
   * The domain that receives bounces, with a separate address for each delivery, or `null` if bounces go to the sender's address.
   */
  readonly bounceDomain: string | null;
  /** The ASCII host name used in `Message-ID`. */
  readonly host: string;
}

/** The parts of an email job that determine the email's sender and recipient. */
export interface AddressedMailJob {
  readonly delivery: { readonly id: string };
  readonly to: string;
  readonly settings: { readonly senderName: string | null; readonly replyTo: string | null };
}

/**
 * Returns the email fields that depend only on the sender, the recipient, and the date.
 * @param date the time of this attempt.
 */
export function buildAddressFields(
  { delivery: { id }, to, settings }: AddressedMailJob,
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
 * Returns the URL of the design's logo, falling back to the shop's logo. Returns `null` if there is no logo. The customer pages,
 * to which all links of emails lead, serve it.
 */
export function buildLogoUrl(
  design: Pick<Design, "logo"> | null | undefined,
  shop: { readonly logo: string | null },
  { publicUrl }: MailIdentity,
): string | null {
  const logoHash = design?.logo ?? shop.logo;
  return logoHash === null ? null : `${publicUrl}${PICTURES_PATH}/${logoHash}`;
}

/** Joins blocks of lines into the plain text part of an email, with a blank line between blocks. Omits empty blocks. */
export function joinBlocks(blocks: readonly (readonly string[])[]): string {
  const texts = blocks.filter((block) => block.length > 0).map((block) => block.join("\n"));
  return `${texts.join("\n\n")}\n`;
}
