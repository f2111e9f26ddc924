import { randomUUID } from "node:crypto";
import { FairSemaphore } from "../../../src/base/concurrency/fair-semaphore.js";
import { UsageCounter } from "../../../src/base/concurrency/usage-counter.js";
import { isolateBidi } from "../../../src/base/values/display-text.js";
import type { Clock } from "../../../src/index.js";
import type { ErrorListener } from "../../../src/kernel/events/event-emitter.js";
import type { SignInMail } from "../../../src/messages/mail-backend.js";
import { html } from "../../http/html-page.js";
import { backgroundTimer, CancellableDelay, type SetTimer } from "../jobs/timers.js";
import { fillPlaceholders } from "../languages/languages.js";
import { pickMailLanguage } from "./languages/mail-language.js";
import type { MailTexts } from "./languages/texts.js";
import { renderMailButton, renderMailPage } from "./mail-page.js";
import { buildAddressFields, joinBlocks, type MailIdentity } from "./mail-sender.js";
import type { MailTransport, OutgoingMail } from "./outgoing-mail.js";
import { MailSendError } from "./send-error.js";

/** Maximum number of sign-in emails that wait or are being sent, per organization and in total. Further emails are refused. */
const MAX_PENDING_PER_ORGANIZATION = 100;
const MAX_PENDING = 2_000;

/** Number of emails sent concurrently, and an organization's share of the free slots. */
const MAX_CONCURRENT_SENDS = 4;
const ORGANIZATION_SHARE = 0.5;

/** Delays before each retry, in milliseconds. They are short, because a link may be valid for only 15 minutes. */
const RETRY_DELAYS_MS = [10_000, 60_000, 300_000];

export interface SignInMailerOptions {
  readonly sender: MailIdentity;
  readonly transport: Pick<MailTransport, "send">;
  readonly clock: Clock;
  readonly onError: ErrorListener;
  readonly after?: SetTimer;
}

/**
 * Sends sign-in emails. Pending emails are held only in memory, because stored emails would contain links that let anyone sign in.
 * If the process dies, staff members can request the email again.
 */
export class SignInMailer {
  private readonly slots = new FairSemaphore(MAX_CONCURRENT_SENDS, ORGANIZATION_SHARE);
  private readonly delays = new Set<CancellableDelay>();
  private readonly pending = new Set<Promise<void>>();
  /** Number of emails in progress, keyed by organization. An email with links for several organizations counts for each of them. */
  private readonly pendingCounts = new UsageCounter();
  private isClosed = false;

  constructor(private readonly options: SignInMailerOptions) {}

  readonly hasCapacity = (organizationId: string): boolean =>
    !this.isClosed &&
    this.pending.size < MAX_PENDING &&
    this.pendingCounts.get(organizationId) < MAX_PENDING_PER_ORGANIZATION;

  /**
   * Queues an email to be sent as soon as possible.
   * @returns whether the email was accepted. It is rejected if too many emails are already pending or the mailer is closed.
   */
  readonly send = (mail: SignInMail): boolean => {
    const organizations = mail.links.map(({ organizationId }) => organizationId);
    if (!organizations.every(this.hasCapacity)) return false;
    for (const each of organizations) this.pendingCounts.add(each);
    const sending = this.deliver(mail).finally(() => {
      this.pending.delete(sending);
      for (const each of organizations) this.pendingCounts.add(each, -1);
    });
    this.pending.add(sending);
    return true;
  };

  /** Resolves when no email is being sent or waiting for a retry. */
  async whenIdle(): Promise<void> {
    await Promise.all(this.pending);
  }

  /** Stops starting new attempts. Resolves when the attempts in progress have finished. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const delay of this.delays) delay.cancel();
    await this.whenIdle();
  }

  private async deliver(mail: SignInMail): Promise<void> {
    const id = randomUUID();
    const key = mail.links[0]?.organizationId ?? "";
    for (const delayMs of [0, ...RETRY_DELAYS_MS]) {
      if (delayMs > 0) await this.wait(delayMs);
      if (this.isClosed && delayMs > 0) return;
      const isDone = await this.slots.run(key, () => this.attempt(mail, id));
      if (isDone) return;
    }
    this.options.onError(new Error("an email with a sign-in link couldn't be sent"));
  }

  /**
   * Makes one attempt.
   * @returns whether the email needs no further attempt.
   */
  private async attempt(mail: SignInMail, id: string): Promise<boolean> {
    const { sender, transport, clock, onError } = this.options;
    try {
      await transport.send(buildSignInMail(mail, id, sender, new Date(clock())));
      return true;
    } catch (error) {
      if (!(error instanceof MailSendError)) onError(error);
      else if (error.fault !== "transport" && error.isPermanent) return true;
      return false;
    }
  }

  private async wait(ms: number): Promise<void> {
    const delay = new CancellableDelay(this.options.after ?? backgroundTimer);
    this.delays.add(delay);
    await delay.wait(ms);
    this.delays.delete(delay);
  }
}

/**
 * Builds a sign-in email with one link for each of the staff member's shops.
 * @param id the ID for the email's `Message-ID`.
 * @param date the time of this attempt.
 */
function buildSignInMail(mail: SignInMail, id: string, sender: MailIdentity, date: Date): OutgoingMail {
  const language = pickMailLanguage([mail.language]);
  const { mail: texts } = language;
  const fallbackShopName = sender.from.name ?? sender.host;
  const links = mail.links.map(({ shop, path }) => ({
    shop: shop ?? fallbackShopName,
    url: sender.publicUrl + path,
  }));
  const placeholders = { shop: isolateBidi(links.map(({ shop }) => shop).join(", ")) };
  const { subject, intro, why } = buildMailTexts(mail.kind, texts, placeholders);
  const labeledLinks = links.map(({ shop, url }) => ({ url, label: `${texts.signIn}: ${shop}` }));
  const branding = { design: null, logo: null };
  const settings = { senderName: null, replyTo: null };
  return {
    ...buildAddressFields({ delivery: { id }, to: mail.to, settings }, sender, date),
    subject,
    text: joinBlocks([
      [texts.namelessGreeting],
      [intro],
      ...labeledLinks.map(({ label, url }) => [label, url]),
      [why],
    ]),
    html: renderMailPage({
      ...{ language, subject, title: subject, footer: [], ...branding },
      panel: labeledLinks.map(({ label, url }) => renderMailButton(branding, "panel", label, url)),
      intro: html`<p style="margin:0">${texts.namelessGreeting}</p><p style="margin:12px 0 0">${intro}</p>`,
      why: [html`<p style="margin:8px 0 16px">${why}</p>`],
    }),
    language: language.language,
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
  };
}

function buildMailTexts(kind: SignInMail["kind"], texts: MailTexts, placeholders: { readonly shop: string }) {
  switch (kind) {
    case "invitation":
      return {
        subject: fillPlaceholders(texts.invitationSubject, placeholders),
        intro: fillPlaceholders(texts.invitation, placeholders),
        why: fillPlaceholders(texts.linkOnce, { time: texts.threeDays }),
      };
    case "sign_in":
      return {
        subject: texts.signInSubject,
        intro: texts.signInAsked,
        why: fillPlaceholders(texts.linkOnce, { time: texts.fifteenMinutes }),
      };
    case "passkey_added":
      return {
        subject: fillPlaceholders(texts.passkeySubject, placeholders),
        intro: fillPlaceholders(texts.passkeyAdded, placeholders),
        why: texts.passkeyUnknown,
      };
  }
}
