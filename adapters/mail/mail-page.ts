import type { Design } from "../../src/index.js";
import { Html, html } from "../http/html-page.js";
import type { MailLanguage } from "./languages/mail-language.js";

/** The look of an organization's mails. */
export interface MailBranding {
  /** `null` for the colors of the pages. */
  readonly design: Pick<Design, "backgroundColor" | "foregroundColor"> | null;
  /** The URL of a picture. */
  readonly logo: string | null;
}

/** The parts of the HTML of a mail, from top to bottom. */
export interface MailPage extends MailBranding {
  readonly language: MailLanguage;
  readonly subject: string;
  /** Stands above the panel. */
  readonly intro?: Html;
  /** The panel has the colors of the design, and begins with its logo. A title alone stands where its writing begins. */
  readonly title: string;
  /** The language of the title. Default: the language of the page. */
  readonly titleLanguage?: string;
  readonly panel?: readonly Html[];
  /** Stands below the panel. */
  readonly body?: Html;
  /** The organization's own lines. */
  readonly footer: readonly string[];
  /** It says why the mail came, and what to do when it is not wanted. */
  readonly why: readonly Html[];
}

const plain = { backgroundColor: "#3730a3", foregroundColor: "#ffffff" };

/** Programs for mail know little: styles stand at what they style, and these are for those that know a dark theme. */
const dark = new Html(`<style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
.page { background: #0f1115 !important; color: #f0f1f4 !important; }
.quiet { color: #a3a9b7 !important; }
}
</style>`);

/** The HTML part of a mail. */
export function mailPage(page: MailPage): string {
  const { language, subject, logo, title, intro, panel = [], body, why } = page;
  const { titleLanguage = language.language } = page;
  const { backgroundColor: back, foregroundColor: front } = page.design ?? plain;
  const { direction } = language.texts;
  const picture = html`<img src="${logo ?? ""}" alt="" height="48" style="display:block;height:48px;max-width:100%;margin:0 0 16px">`;
  const footer = page.footer.map((line) => html`<span dir="auto">${line}</span><br>`);
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
${intro === undefined ? [] : [html`<tr><td>${intro}</td></tr>\n`]}<tr><td bgcolor="${back}" style="padding:24px;border-radius:16px;background:${back};color:${front}">
${logo === null ? [] : [picture]}
<h1 lang="${titleLanguage}"${panel.length === 0 ? [html` dir="auto"`] : []} style="margin:0;font-size:22px;line-height:1.25;color:${front}"><span dir="auto">${title}</span></h1>
${panel}
</td></tr>
${body === undefined ? [] : [html`<tr><td>${body}</td></tr>\n`]}<tr><td class="quiet" style="font-size:13px;color:#5d5d6b">${footer}${why}</td></tr>
</table>
</body>
</html>
`.text;
}

/** The button of a mail. @param on the panel, whose colors it has exchanged, or the page, on which it looks like the panel. */
export function mailButton({ design }: MailBranding, on: "panel" | "page", label: string, url: string): Html {
  const { backgroundColor: back, foregroundColor: front } = design ?? plain;
  const [surface, letters] = on === "panel" ? [front, back] : [back, front];
  // A panel as dark as the page of a dark theme has an edge all the same.
  const edge = on === "panel" ? "" : `border:1px solid ${letters};`;
  return html`<p style="margin:20px 0 0"><a href="${url}" style="display:block;padding:14px 16px;${edge}border-radius:12px;background:${surface};color:${letters};text-align:center;font-weight:600;text-decoration:none">${label}</a></p>`;
}
