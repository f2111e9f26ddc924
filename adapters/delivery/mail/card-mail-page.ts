import { type Html, html } from "../../http/html-page.js";
import type { CardWords, PassMailJob } from "./card-words.js";
import type { MailLanguage } from "./languages/mail-language.js";
import { type MailBranding, mailButton, mailPage } from "./mail-page.js";

export interface CardMail extends MailBranding {
  readonly language: MailLanguage;
  readonly subject: string;
  readonly words: CardWords;
  /** The URL of the card page. It is the only link in the email. */
  readonly url: string;
  readonly stamps: PassMailJob["stampCard"];
}

/** Maximum number of circles that a reader takes in at a glance. */
const MAX_CIRCLES = 20;
const CIRCLES_OF_LINE = 10;

export function cardMailPage({ language, subject, words, url, design, logo, stamps }: CardMail): string {
  const { greeting, intro, title, progress, footer, why, open } = words;
  const lines = words.lines.map((line) => html`<p style="margin:8px 0 0">${line}</p>\n`);
  return mailPage({
    ...{ language, subject, design, logo, title, footer },
    intro: html`<p style="margin:8px 0 0">${greeting}</p><p style="margin:8px 0 0">${intro}</p>`,
    panel: [
      ...circles(stamps),
      ...(progress === "" ? [] : [html`<p style="margin:8px 0 0"><strong>${progress}</strong></p>\n`]),
      ...lines,
      mailButton({ design, logo }, "panel", open, url),
    ],
    why: [html`<p style="margin:8px 0 16px">${why}</p>`],
  });
}

/** Renders the stamps as circles. They are hidden from screen readers, because the text beside them says the same. */
function circles(stamps: CardMail["stamps"]): Html[] {
  if (stamps === null || stamps.maxStamps > MAX_CIRCLES) return [];
  const all = "●".repeat(stamps.currentStamps) + "○".repeat(stamps.maxStamps - stamps.currentStamps);
  const lines = all.match(new RegExp(`.{1,${CIRCLES_OF_LINE}}`, "gu")) ?? [];
  const shown = lines.map((line) => html`${line}<br>`);
  return [
    html`<div aria-hidden="true" style="margin:12px 0 0;font-size:24px;line-height:1.25;letter-spacing:4px">${shown}</div>\n`,
  ];
}
