import type { Design } from "../../src/index.js";
import { Html, html } from "../http/html-page.js";
import type { CardWords, PassMailJob } from "./card-words.js";
import type { MailLanguage } from "./languages/mail-language.js";

export interface CardMail {
  readonly language: MailLanguage;
  readonly subject: string;
  readonly words: CardWords;
  /** The page of the card: the only link. */
  readonly url: string;
  /** `null` for the colours of the pages. */
  readonly design: Pick<Design, "backgroundColor" | "foregroundColor"> | null;
  /** The URL of a picture. */
  readonly logo: string | null;
  readonly stamps: PassMailJob["stampCard"];
}

const plain = { backgroundColor: "#3730a3", foregroundColor: "#ffffff" };

/** So many circles are still taken in at a glance. */
const MAX_CIRCLES = 20;
const CIRCLES_OF_LINE = 10;

/** Programs for mail know little: styles stand at what they style, and these are for those that know a dark theme. */
const dark = new Html(`<style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
.page { background: #0f1115 !important; color: #f0f1f4 !important; }
.quiet { color: #a3a9b7 !important; }
}
</style>`);

/** The HTML part of a mail that brings a card. */
export function cardMailPage({ language, subject, words, url, design, logo, stamps }: CardMail): string {
  const { backgroundColor: back, foregroundColor: front } = design ?? plain;
  const { direction } = language.texts;
  const picture = html`<img src="${logo ?? ""}" alt="" height="48" style="display:block;height:48px;max-width:100%;margin:0 0 16px">`;
  const lines = words.lines.map((line) => html`<p style="margin:8px 0 0">${line}</p>\n`);
  const footer = words.footer.map((line) => html`<span dir="auto">${line}</span><br>`);
  return html`<!doctype html>
<html lang="${language.language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
${dark}
</head>
<body class="page" style="margin:0;padding:0;background:#f4f4f7;color:#17171c">
<table role="presentation" lang="${language.language}" dir="${direction}" width="100%" cellspacing="16" cellpadding="0" border="0" align="center" style="max-width:560px;margin:0 auto;table-layout:fixed;border-collapse:separate;border-spacing:16px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;overflow-wrap:anywhere;word-break:break-word">
<tr><td><p style="margin:8px 0 0">${words.greeting}</p><p style="margin:8px 0 0">${words.intro}</p></td></tr>
<tr><td bgcolor="${back}" style="padding:24px;border-radius:16px;background:${back};color:${front}">
${logo === null ? [] : [picture]}
<h1 style="margin:0 0 12px;font-size:22px;line-height:1.25;color:${front}"><span dir="auto">${words.title}</span></h1>
${circles(stamps)}
${words.progress === "" ? [] : [html`<p style="margin:8px 0 0"><strong>${words.progress}</strong></p>`]}
${lines}
<p style="margin:20px 0 0"><a href="${url}" style="display:block;padding:14px 16px;border-radius:12px;background:${front};color:${back};text-align:center;font-weight:600;text-decoration:none">${words.open}</a></p>
</td></tr>
<tr><td class="quiet" style="font-size:13px;color:#5d5d6b">${footer}<p style="margin:8px 0 16px">${words.why}</p></td></tr>
</table>
</body>
</html>
`.text;
}

/** The stamps at a glance, for who sees them: the words beside them say the same. */
function circles(stamps: CardMail["stamps"]): Html[] {
  if (stamps === null || stamps.maxStamps > MAX_CIRCLES) return [];
  const all = "●".repeat(stamps.currentStamps) + "○".repeat(stamps.maxStamps - stamps.currentStamps);
  const lines = all.match(new RegExp(`.{1,${CIRCLES_OF_LINE}}`, "gu")) ?? [];
  const shown = lines.map((line) => html`${line}<br>`);
  return [
    html`<div aria-hidden="true" style="font-size:24px;line-height:1.25;letter-spacing:4px">${shown}</div>`,
  ];
}
