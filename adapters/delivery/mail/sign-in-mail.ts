import { isolateBidi } from "../../../src/base/values/display-text.js";
import type { SignInMail } from "../../../src/messages/mail-backend.js";
import { html } from "../../http/html-page.js";
import { filled } from "../languages/languages.js";
import { mailLanguage } from "./languages/mail-language.js";
import type { MailTexts } from "./languages/texts.js";
import { mailButton, mailPage } from "./mail-page.js";
import { addressFields, joinBlocks, type MailIdentity } from "./mail-sender.js";
import type { OutgoingMail } from "./outgoing-mail.js";

/**
 * Builds a sign-in email with one link for each of the staff member's shops.
 * @param id the ID for the email's `Message-ID`.
 * @param date the time of this attempt.
 */
export function buildSignInMail(
  mail: SignInMail,
  id: string,
  sender: MailIdentity,
  date: Date,
): OutgoingMail {
  const language = mailLanguage([mail.language]);
  const { mail: texts } = language;
  const nameless = sender.from.name ?? sender.host;
  const links = mail.links.map(({ shop, path }) => ({
    shop: shop ?? nameless,
    url: sender.publicUrl + path,
  }));
  const shops = { shop: isolateBidi(links.map(({ shop }) => shop).join(", ")) };
  const { subject, intro, why } = buildMailTexts(mail.kind, texts, shops);
  const labeled = links.map(({ shop, url }) => ({ url, label: `${texts.signIn}: ${shop}` }));
  const look = { design: null, logo: null };
  const settings = { senderName: null, replyTo: null };
  return {
    ...addressFields({ delivery: { id }, to: mail.to, settings }, sender, date),
    subject,
    text: joinBlocks([
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

function buildMailTexts(kind: SignInMail["kind"], texts: MailTexts, shops: { readonly shop: string }) {
  switch (kind) {
    case "invitation":
      return {
        subject: filled(texts.invitationSubject, shops),
        intro: filled(texts.invitation, shops),
        why: filled(texts.linkOnce, { time: texts.threeDays }),
      };
    case "sign_in":
      return {
        subject: texts.signInSubject,
        intro: texts.signInAsked,
        why: filled(texts.linkOnce, { time: texts.fifteenMinutes }),
      };
    case "passkey_added":
      return {
        subject: filled(texts.passkeySubject, shops),
        intro: filled(texts.passkeyAdded, shops),
        why: texts.passkeyUnknown,
      };
  }
}
