import type { Design } from "../../../src/index.js";
import { Html, html } from "../../http/html-page.js";
import type { MailLanguage } from "./languages/mail-language.js";

/** The colors and logo of an organization's emails. */
export interface MailBranding {
  /** The design that provides the colors, or `null` for the pages' default colors. */
  readonly design: Pick<Design, "backgroundColor" | "foregroundColor"> | null;
  /** The logo's URL, or `null` for no logo. */
  readonly logo: string | null;
}

/** The parts of an email's HTML page, in order from top to bottom. */
export interface MailPage extends MailBranding {
  readonly language: MailLanguage;
  readonly subject: string;
  /** The content above the panel. */
  readonly intro?: Html;
  /**
   * The panel's heading. The panel has the design's colors, with the logo at the top. If the panel contains nothing else, the
   * heading is aligned according to its own writing direction.
   */
  readonly title: string;
  /** The language of the title. Defaults to the page's language. */
  readonly titleLanguage?: string;
  readonly panel?: readonly Html[];
  /** The content below the panel. */
  readonly body?: Html;
  /** The footer lines from the organization's settings. */
  readonly footer: readonly string[];
  /** The lines that say why the recipient is receiving the email and what to do if they don't want it. */
  readonly why: readonly Html[];
}

const defaultColors = { backgroundColor: "#3730a3", foregroundColor: "#ffffff" };

/** Styles for mail clients that support a dark theme. All other styles are inline, because mail clients support little CSS. */
const darkThemeStyle = new Html(`<style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
.page { background: #0f1115 !important; color: #f0f1f4 !important; }
.quiet { color: #a3a9b7 !important; }
}
</style>`);

/** Renders the HTML part of an email. */
export function renderMailPage(page: MailPage): string {
  const { language, subject, logo, title, intro, panel = [], body, why } = page;
  const { titleLanguage = language.language } = page;
  const { backgroundColor: background, foregroundColor: foreground } = page.design ?? defaultColors;
  const { direction } = language.texts;
  const logoImage = html`<img src="${logo ?? ""}" alt="" height="48" style="display:block;height:48px;max-width:100%;margin:0 0 16px">`;
  const footer = page.footer.map((line) => html`<span dir="auto">${line}</span><br>`);
  return html`<!doctype html>
<html lang="${language.language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
${darkThemeStyle}
</head>
<body class="page" style="margin:0;padding:0;background:#f4f4f7;color:#17171c">
<table role="presentation" lang="${language.language}" dir="${direction}" width="100%" cellspacing="16" cellpadding="0" border="0" align="center" style="max-width:560px;margin:0 auto;table-layout:fixed;border-collapse:separate;border-spacing:16px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;overflow-wrap:anywhere;word-break:break-word">
${intro === undefined ? [] : [html`<tr><td>${intro}</td></tr>\n`]}<tr><td bgcolor="${background}" style="padding:24px;border-radius:16px;background:${background};color:${foreground}">
${logo === null ? [] : [logoImage]}
<h1 lang="${titleLanguage}"${panel.length === 0 ? [html` dir="auto"`] : []} style="margin:0;font-size:22px;line-height:1.25;color:${foreground}"><span dir="auto">${title}</span></h1>
${panel}
</td></tr>
${body === undefined ? [] : [html`<tr><td>${body}</td></tr>\n`]}<tr><td class="quiet" style="font-size:13px;color:#5d5d6b">${footer}${why}</td></tr>
</table>
</body>
</html>
`.text;
}

/**
 * Renders a link that looks like a button.
 * @param placement where the button appears. On the panel, it inverts the panel's colors. On the page, it uses the panel's colors.
 */
export function renderMailButton(
  { design }: MailBranding,
  placement: "panel" | "page",
  label: string,
  url: string,
): Html {
  const { backgroundColor: background, foregroundColor: foreground } = design ?? defaultColors;
  const [buttonColor, textColor] =
    placement === "panel" ? [foreground, background] : [background, foreground];
  // The border keeps the button visible if it is as dark as the page in a dark theme.
  const border = placement === "panel" ? "" : `border:1px solid ${textColor};`;
  return html`<p style="margin:20px 0 0"><a href="${url}" style="display:block;padding:14px 16px;${border}border-radius:12px;background:${buttonColor};color:${textColor};text-align:center;font-weight:600;text-decoration:none">${label}</a></p>`;
}
