import type { SignInMail } from "../../src/messages/mail-backend.js";
import { isolated, shownText } from "../../src/values/shown-text.js";
import { html } from "../http/html-page.js";
import { filled } from "../pages/languages/languages.js";
import { mailLanguage } from "./languages/mail-language.js";
import { mailButton, mailPage } from "./mail-page.js";
import { addressed, type MailSender, plainPart } from "./mail-sender.js";
import type { OutgoingMail } from "./outgoing-mail.js";

/** Makes the mail by which somebody signs in, with a link for each of their shops. @param id of the mail. @param date the time of the attempt. */
export function signInMail(mail: SignInMail, id: string, sender: MailSender, date: Date): OutgoingMail {
  const language = mailLanguage([mail.language]);
  const { mail: texts } = language;
  const isInvitation = mail.kind === "invitation";
  const links = mail.links.map(({ shop, path }) => ({ shop: shownText(shop), url: sender.publicUrl + path }));
  const shops = { shop: isolated(links.map(({ shop }) => shop).join(", ")) };
  const subject = isInvitation ? filled(texts.invitationSubject, shops) : texts.signInSubject;
  const intro = isInvitation ? filled(texts.invitation, shops) : texts.signInAsked;
  const why = filled(texts.linkOnce, { time: isInvitation ? texts.threeDays : texts.fifteenMinutes });
  const labeled = links.map(({ shop, url }) => ({ url, label: `${texts.signIn}: ${shop}` }));
  const look = { design: null, logo: null };
  const settings = { senderName: null, replyTo: null };
  return {
    ...addressed({ delivery: { id }, to: mail.to, settings }, sender, date),
    subject,
    text: plainPart([
      [texts.namelessGreeting],
      [intro],
      ...labeled.map(({ label, url }) => [label, url]),
      [why],
    ]),
    html: mailPage({
      ...{ language, subject, title: subject, footer: [], ...look },
      panel: labeled.map(({ label, url }) => mailButton(look, "panel", label, url)),
      intro: html`<p style="margin:0">${texts.namelessGreeting}</p><p style="margin:12px 0 0">${intro}</p>`,
      why: [html`<p style="margin:8px 0 16px">${why}</p>`],
    }),
    language: language.language,
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
  };
}
