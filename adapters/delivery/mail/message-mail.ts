import { createHash } from "node:crypto";
import { toDisplayLine, toDisplayLines } from "../../../src/base/values/display-text.js";
import { asciiUrl } from "../../../src/base/values/url.js";
import type { Design } from "../../../src/index.js";
import type { MailedMessage } from "../../../src/messages/claimed-messages.js";
import { type Html, html } from "../../http/html-page.js";
import type { PassMailJob } from "./card-words.js";
import { mailLanguage } from "./languages/mail-language.js";
import { linkedParts } from "./linked-parts.js";
import { mailButton, mailPage } from "./mail-page.js";
import {
  type Addressing,
  addressFields,
  buildLogoUrl,
  joinBlocks,
  type MailIdentity,
} from "./mail-sender.js";
import type { OutgoingMail } from "./outgoing-mail.js";

type MessageDesign = Pick<Design, "backgroundColor" | "foregroundColor" | "logo" | "texts">;

/** A job that emails one of an organization's messages to one customer. */
export interface MessageMailJob extends Addressing {
  readonly organizationId: string;
  /**
   * The card that the message is about, or any of the customer's cards if the message isn't about a card. `null` if the customer
   * has no card.
   */
  readonly pass: { readonly template: { readonly design: MessageDesign | null } } | null;
  readonly settings: PassMailJob["settings"];
  /** The path and query of the card page, relative to the public URL. */
  readonly link: string;
  /** The path of the unsubscribe page, relative to the public URL. */
  readonly unsubscribe: string;
  readonly message: Omit<MailedMessage, "id">;
}

/** Maximum number of characters in a subject, after placeholders are filled in. */
const MAX_SUBJECT = 250;

/**
 * Builds the email for a message. The surrounding text is in the message's language, if that language is supported.
 * @param date the time of this attempt.
 */
export function buildMessageMail(job: MessageMailJob, sender: MailIdentity, date: Date): OutgoingMail {
  const { message, pass, settings } = job;
  const { isTest } = message;
  const design = pass?.template.design ?? null;
  const language = mailLanguage([message.language, design?.texts[0]?.language, settings.language]);
  const { mail, texts } = language;
  const title = truncateSubject(toDisplayLine(message.subject));
  const subject = isTest ? `[Test] ${title}` : title;
  const text = plainLines(message.text);
  const look = { design, logo: buildLogoUrl(design, settings, sender) };
  const button = buildButton(job, sender, mail);
  const footer = toDisplayLines(settings.footer ?? "");
  const why = isTest ? mail.whyTest : mail.whyNews;
  const unsubscribe = asciiUrl(sender.publicUrl + job.unsubscribe);
  return {
    ...addressFields(job, sender, date),
    subject,
    text: joinBlocks([
      text === "" ? [] : [text],
      button === null ? [] : [button.label, button.url],
      footer,
      [why, `${texts.unsubscribe}: ${unsubscribe}`],
    ]),
    html: mailPage({
      ...{ language, subject, title, footer, ...look },
      titleLanguage: message.language,
      body: html`<div lang="${message.language}">${linkify(text)}</div>${button === null ? [] : [mailButton(look, "page", button.label, button.url)]}`,
      why: [
        html`<p style="margin:8px 0 0">${why}</p>`,
        html`<p style="margin:8px 0 16px"><a href="${unsubscribe}" style="color:inherit">${texts.unsubscribe}</a></p>`,
      ],
    }),
    language: message.language,
    headers: {
      // One-click unsubscribe (RFC 8058).
      "List-Unsubscribe": `<${unsubscribe}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      "List-Id": `<${buildListId(job.organizationId, sender.host)}>`,
      Precedence: "bulk",
      "X-Auto-Response-Suppress": "All",
    },
  };
}

function buildButton(
  { message, pass, link }: MessageMailJob,
  { publicUrl }: MailIdentity,
  words: { readonly open: string; readonly followLink: string },
): { readonly label: string; readonly url: string } | null {
  if (message.link !== null) return { label: words.followLink, url: asciiUrl(message.link) };
  return pass === null ? null : { label: words.open, url: publicUrl + link };
}

/**
 * Truncates a subject. A long subject without spaces could exceed the limit of 998 octets per line, and the email would be refused.
 */
function truncateSubject(text: string): string {
  const characters = [...text];
  return characters.length <= MAX_SUBJECT ? text : `${characters.slice(0, MAX_SUBJECT - 1).join("")}…`;
}

/** Normalizes line breaks, and removes all other control characters. */
function plainLines(text: string): string {
  return text
    .replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, "\n")
    .replaceAll("\t", " ")
    .replaceAll(/[^\P{Cc}\n]/gu, "")
    .trim();
}

/**
 * Builds the `List-Id` (RFC 2919). It is the same for all messages from an organization, so that mailboxes can sort them. The
 * organization's ID is hashed, because a host's IDs may reveal who its customer is.
 */
function buildListId(organizationId: string, host: string): string {
  const label = createHash("sha256").update(organizationId).digest("hex").slice(0, 24);
  return `${label}.messages.${host}`;
}

/**
 * Renders plain text as HTML. Text between blank lines becomes a paragraph, http and https URLs become links, and everything else
 * is escaped.
 */
function linkify(text: string): Html[] {
  return text
    .split(/\n(?:[^\S\n]*\n)+/)
    .filter((paragraph) => paragraph.trim() !== "")
    .map((paragraph) => html`<p dir="auto" style="margin:0 0 16px">${renderLines(paragraph)}</p>\n`);
}

function renderLines(paragraph: string): Html[] {
  const lines = paragraph.split("\n");
  return lines.map((line, at) => html`${linked(line)}${at < lines.length - 1 ? [html`<br>`] : []}`);
}

function linked(line: string): Html[] {
  return linkedParts(line).map(({ text, target }) =>
    target === null ? html`${text}` : html`<a href="${target}" style="color:inherit">${text}</a>`,
  );
}
