import { isolated, shownText } from "../../src/values/shown-text.js";
import { filled } from "../pages/languages/languages.js";
import { cardMailPage } from "./card-mail-page.js";
import { type CardWords, cardWords, type PassMailJob } from "./card-words.js";
import { mailLanguage } from "./languages/mail-language.js";
import type { OutgoingMail } from "./outgoing-mail.js";

/** Who sends mails, and where the links in them lead. */
export interface MailSender {
  /** The URL by which customers reach the server, without a slash at its end. */
  readonly publicUrl: string;
  readonly from: { readonly name: string | null; readonly address: string };
  readonly replyTo: string | null;
  /** Bounces go to an address of the delivery at this domain; `null` has them go to the sender. */
  readonly bounceDomain: string | null;
  /** The host of `Message-ID`. */
  readonly host: string;
  /** The server answers for the pictures of designs, as one with wallets does. */
  readonly hasPictures: boolean;
}

/** Makes a mail of a card as it is now. @param date the time of the attempt. */
export function passMail(job: PassMailJob, sender: MailSender, date: Date): OutgoingMail {
  const { delivery, to, settings, pass } = job;
  const { id } = delivery;
  const { publicUrl, from, bounceDomain, host, hasPictures } = sender;
  const { design } = pass.template;
  const language = mailLanguage([job.language, design?.texts[0]?.language]);
  const words = cardWords(job, language);
  const url = publicUrl + job.link;
  const subject = filled(language.mail.subject, { card: isolated(words.title) });
  const picture = hasPictures ? design?.logo : null;
  const logo = picture == null ? null : `${publicUrl}/wallets/images/${picture}`;
  return {
    id,
    messageId: `<${id}@${host}>`,
    envelope: { from: bounceDomain === null ? from.address : `bounce+${id}@${bounceDomain}`, to },
    from: {
      name: settings.senderName === null ? from.name : shownText(settings.senderName),
      address: from.address,
    },
    to,
    replyTo: settings.replyTo ?? sender.replyTo,
    subject,
    text: plainText(words, url),
    html: cardMailPage({ language, subject, words, url, design, logo, stamps: job.stampCard }),
    language: language.language,
    date,
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
  };
}

function plainText(
  { greeting, intro, title, progress, lines, open, footer, why }: CardWords,
  url: string,
): string {
  const card = [title, progress, ...lines].filter((line) => line !== "");
  const blocks = [[greeting], [intro], card, [open, url], footer, [why]];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join("\n"))
    .join("\n\n")}\n`;
}
