import { createHash } from "node:crypto";
import { withTimeout } from "../../../src/base/concurrency/timeout.js";
import {
  isolateBidi,
  toDisplayLine,
  toDisplayLines,
  toDisplayText,
} from "../../../src/base/values/display-text.js";
import { asciiUrl } from "../../../src/base/values/url.js";
import type { Design } from "../../../src/index.js";
import type { ErrorListener } from "../../../src/kernel/events/event-emitter.js";
import type { MailedMessage } from "../../../src/messages/claimed-messages.js";
import type { MailJob } from "../../../src/messages/mail-claim.js";
import type { MailResult } from "../../../src/messages/mail-outcome.js";
import { type Html, html } from "../../http/html-page.js";
import { fillPlaceholders } from "../languages/languages.js";
import { buildCardWords, type CardWords, type PassMailJob, removeLinks } from "./card-words.js";
import { type MailLanguage, pickMailLanguage } from "./languages/mail-language.js";
import { splitLinkedParts } from "./linked-parts.js";
import { type MailBranding, renderMailButton, renderMailPage } from "./mail-page.js";
import {
  type AddressedMailJob,
  buildAddressFields,
  buildLogoUrl,
  joinBlocks,
  type MailIdentity,
} from "./mail-sender.js";
import type { MailTransport, OutgoingMail, SendReply } from "./outgoing-mail.js";
import { MailSendError } from "./send-error.js";

/** Maximum number of characters in a subject, after placeholders are filled in. */
const MAX_SUBJECT_LENGTH = 250;

/** Maximum number of circles that a reader takes in at a glance. */
const MAX_CIRCLES = 20;

const CIRCLES_PER_LINE = 10;

/** Maximum duration of an attempt, in milliseconds. The result must be recorded before the claim ends. */
const ATTEMPT_TIMEOUT_MS = 50_000;

/** Settings that all attempts share. */
export interface MailAttemptSettings {
  readonly sender: MailIdentity;
  readonly transport: Pick<MailTransport, "send">;
  /** Called with errors that indicate a bug in the transport or in this package. */
  readonly onError: ErrorListener;
}

/**
 * Builds and sends the email for a claimed delivery.
 * @param now the time of the attempt.
 * @returns a promise that resolves to the result and never rejects.
 */
export async function attemptSend(
  job: MailJob,
  settings: MailAttemptSettings,
  now: number,
): Promise<MailResult> {
  const { sender, transport, onError } = settings;
  let mail: OutgoingMail;
  try {
    mail = buildMail(job, sender, new Date(now));
  } catch (error) {
    onError(error);
    return { kind: "refused", fault: "message", isPermanent: false, code: null, answer: null };
  }
  const sending = transport
    .send(mail)
    .then(toAcceptedResult, (error: unknown) => toFailedResult(error, onError));
  return withTimeout(ATTEMPT_TIMEOUT_MS, sending, "").catch(() => noReplyResult);
}

const noReplyResult: MailResult = {
  kind: "refused",
  fault: "message",
  isPermanent: false,
  isUncertain: true,
  code: null,
  answer: "sending the email took too long",
};

function toAcceptedResult({ code, answer }: SendReply): MailResult {
  return { kind: "accepted", code, answer };
}

function buildMail(job: MailJob, sender: MailIdentity, date: Date): OutgoingMail {
  const { delivery, pass, message, unsubscribe } = job;
  const { id, kind } = delivery;
  if (message !== null && unsubscribe !== null)
    return buildMessageMail({ ...job, message, unsubscribe }, sender, date);
  if (pass === null || (kind !== "pass" && kind !== "link"))
    throw new TypeError(`there is no email for a ${kind} delivery`);
  return buildPassMail({ ...job, delivery: { id, kind }, pass }, sender, date);
}

function toFailedResult(error: unknown, onError: ErrorListener): MailResult {
  if (error instanceof MailSendError) {
    const { fault, isPermanent, isUncertain, code, answer } = error;
    if (fault === "transport") return { kind: "transport", isUncertain, code, answer };
    return { kind: "refused", fault, isPermanent, isUncertain, code, answer };
  }
  onError(error);
  // It is unknown whether the email was sent.
  return { kind: "transport", isUncertain: true, code: null, answer: null };
}

/**
 * Builds the email for a card. It shows the card's state at the time of the attempt.
 * @param date the time of this attempt.
 */
export function buildPassMail(passMailJob: PassMailJob, sender: MailIdentity, date: Date): OutgoingMail {
  const job = passMailJob.isConfirmed
    ? passMailJob
    : removeLinks(passMailJob, sender.from.name ?? sender.host);
  const { design } = job.pass.template;
  const language = pickMailLanguage([job.language, design?.texts[0]?.language, job.settings.language]);
  const words = buildCardWords(job, language);
  const url = sender.publicUrl + job.link;
  const subject = fillPlaceholders(language.mail.subject, { card: isolateBidi(words.title) });
  const logo = buildLogoUrl(design, job.settings, sender);
  return {
    ...buildAddressFields(job, sender, date),
    subject,
    text: renderPlainText(words, url),
    html: renderCardMailPage({ language, subject, words, url, design, logo, stamps: job.stampCard }),
    language: language.language,
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
  };
}

function renderPlainText(
  { greeting, intro, title, progress, lines, open, news, footer, why }: CardWords,
  url: string,
): string {
  const card = [title, progress, ...lines].filter((line) => line !== "");
  return joinBlocks([
    [greeting],
    [intro],
    card,
    [open, url],
    news === null ? [] : [news.text],
    footer,
    [why],
  ]);
}

interface CardMail extends MailBranding {
  readonly language: MailLanguage;
  readonly subject: string;
  readonly words: CardWords;
  /** The URL of the card page. Every link in the email leads there, because mail gateways follow links. */
  readonly url: string;
  readonly stamps: PassMailJob["stampCard"];
}

function renderCardMailPage({ language, subject, words, url, design, logo, stamps }: CardMail): string {
  const { greeting, intro, title, progress, footer, why, open, news } = words;
  const branding = { design, logo };
  const lines = words.lines.map((line) => html`<p style="margin:8px 0 0">${line}</p>\n`);
  return renderMailPage({
    ...{ language, subject, ...branding, title, footer },
    intro: html`<p style="margin:8px 0 0">${greeting}</p><p style="margin:8px 0 0">${intro}</p>`,
    panel: [
      ...renderCircles(stamps),
      ...(progress === "" ? [] : [html`<p style="margin:8px 0 0"><strong>${progress}</strong></p>\n`]),
      ...lines,
      renderMailButton(branding, "panel", open, url),
    ],
    ...(news !== null && {
      body: html`<p style="margin:8px 0 0">${news.text}</p>${renderMailButton(branding, "page", news.button, url)}`,
    }),
    why: [html`<p style="margin:8px 0 16px">${why}</p>`],
  });
}

/** Renders the stamps as circles. They are hidden from screen readers, because the text beside them says the same. */
function renderCircles(stamps: CardMail["stamps"]): Html[] {
  if (stamps === null || stamps.maxStamps > MAX_CIRCLES) return [];
  const circles = "●".repeat(stamps.currentStamps) + "○".repeat(stamps.maxStamps - stamps.currentStamps);
  const lines = circles.match(new RegExp(`.{1,${CIRCLES_PER_LINE}}`, "gu")) ?? [];
  const renderedLines = lines.map((line) => html`${line}<br>`);
  return [
    html`<div aria-hidden="true" style="margin:12px 0 0;font-size:24px;line-height:1.25;letter-spacing:4px">${renderedLines}</div>\n`,
  ];
}

type MessageDesign = Pick<Design, "backgroundColor" | "foregroundColor" | "logo" | "texts">;

/** A job that emails one of an organization's messages to one customer. */
export interface MessageMailJob extends AddressedMailJob {
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

/**
 * Builds the email for a message. The surrounding text is in the message's language, if that language is supported.
 * @param date the time of this attempt.
 */
export function buildMessageMail(job: MessageMailJob, sender: MailIdentity, date: Date): OutgoingMail {
  const { message, pass, settings } = job;
  const { isTest } = message;
  const design = pass?.template.design ?? null;
  const language = pickMailLanguage([message.language, design?.texts[0]?.language, settings.language]);
  const { mail, texts } = language;
  const title = truncateSubject(toDisplayLine(message.subject));
  const subject = isTest ? `[Test] ${title}` : title;
  const text = formatPlainLines(message.text);
  const branding = { design, logo: buildLogoUrl(design, settings, sender) };
  const button = buildButton(job, sender, mail);
  const footer = toDisplayLines(settings.footer ?? "");
  const why = isTest ? mail.whyTest : mail.whyNews;
  const unsubscribe = asciiUrl(sender.publicUrl + job.unsubscribe);
  return {
    ...buildAddressFields(job, sender, date),
    subject,
    text: joinBlocks([
      text === "" ? [] : [text],
      button === null ? [] : [button.label, button.url],
      footer,
      [why, `${texts.unsubscribe}: ${unsubscribe}`],
    ]),
    html: renderMailPage({
      ...{ language, subject, footer, ...branding },
      // Mail clients show the subject above the email.
      ...(settings.senderName === null
        ? { title, titleLanguage: message.language }
        : { title: toDisplayText(settings.senderName) }),
      body: html`<div lang="${message.language}">${linkify(text)}</div>${button === null ? [] : [renderMailButton(branding, "page", button.label, button.url)]}`,
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
  labels: { readonly open: string; readonly followLink: string },
): { readonly label: string; readonly url: string } | null {
  if (message.link !== null) return { label: labels.followLink, url: asciiUrl(message.link) };
  return pass === null ? null : { label: labels.open, url: publicUrl + link };
}

/**
 * Truncates a subject. A long subject without spaces could exceed the limit of 998 octets per line, and the email would be refused.
 */
function truncateSubject(text: string): string {
  const characters = [...text];
  return characters.length <= MAX_SUBJECT_LENGTH
    ? text
    : `${characters.slice(0, MAX_SUBJECT_LENGTH - 1).join("")}…`;
}

/** Normalizes line breaks, and removes all other control characters. */
function formatPlainLines(text: string): string {
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
  return lines.map((line, index) => html`${linkLine(line)}${index < lines.length - 1 ? [html`<br>`] : []}`);
}

function linkLine(line: string): Html[] {
  return splitLinkedParts(line).map(({ text, target }) =>
    target === null ? html`${text}` : html`<a href="${target}" style="color:inherit">${text}</a>`,
  );
}
