import { isolateBidi } from "../../../src/base/values/display-text.js";
import { filled } from "../languages/languages.js";
import { cardMailPage } from "./card-mail-page.js";
import { type CardWords, cardWords, type PassMailJob, unlinkedJob } from "./card-words.js";
import { mailLanguage } from "./languages/mail-language.js";
import { addressFields, buildLogoUrl, joinBlocks, type MailIdentity } from "./mail-sender.js";
import type { OutgoingMail } from "./outgoing-mail.js";

/**
 * Builds the email for a card. It shows the card's state at the time of the attempt.
 * @param date the time of this attempt.
 */
export function buildPassMail(given: PassMailJob, sender: MailIdentity, date: Date): OutgoingMail {
  const job = given.isConfirmed ? given : unlinkedJob(given, sender.from.name ?? sender.host);
  const { design } = job.pass.template;
  const language = mailLanguage([job.language, design?.texts[0]?.language, job.settings.language]);
  const words = cardWords(job, language);
  const url = sender.publicUrl + job.link;
  const subject = filled(language.mail.subject, { card: isolateBidi(words.title) });
  const logo = buildLogoUrl(design, job.settings, sender);
  return {
    ...addressFields(job, sender, date),
    subject,
    text: plainText(words, url),
    html: cardMailPage({ language, subject, words, url, design, logo, stamps: job.stampCard }),
    language: language.language,
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
  };
}

function plainText(
  { greeting, intro, title, progress, lines, open, footer, why }: CardWords,
  url: string,
): string {
  const card = [title, progress, ...lines].filter((line) => line !== "");
  return joinBlocks([[greeting], [intro], card, [open, url], footer, [why]]);
}
