import { randomUUID } from "node:crypto";
import { FairSemaphore } from "../../../src/base/concurrency/fair-semaphore.js";
import { isolateBidi } from "../../../src/base/values/display-text.js";
import type { Clock } from "../../../src/index.js";
import type { ErrorListener } from "../../../src/kernel/events/event-emitter.js";
import type { SignInMail } from "../../../src/messages/mail-backend.js";
import { html } from "../../http/html-page.js";
import { backgroundTimer, CancellableDelay, type SetTimer } from "../jobs/timers.js";
import { filled } from "../languages/languages.js";
import { mailLanguage } from "./languages/mail-language.js";
import type { MailTexts } from "./languages/texts.js";
import { mailButton, mailPage } from "./mail-page.js";
import { addressFields, joinBlocks, type MailIdentity } from "./mail-sender.js";
import type { MailTransport, OutgoingMail } from "./outgoing-mail.js";
import { MailSendError } from "./send-error.js";

/** Maximum number of sign-in emails that wait or are being sent, per organization and in total. Further emails are refused. */
const MOST_OF_ONE = 100;
const MOST = 2_000;

/** Number of emails sent concurrently, and an organization's share of the free slots. */
const AT_ONCE = 4;
const SHARE = 0.5;

/** Delays before each retry, in milliseconds. They are short, because a link may be valid for only 15 minutes. */
const PAUSES = [10_000, 60_000, 300_000];

export interface SignInMailsOptions {
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
  private readonly slots = new FairSemaphore(AT_ONCE, SHARE);
  private readonly pauses = new Set<CancellableDelay>();
  private readonly underWay = new Set<Promise<void>>();
  /** Number of emails in progress, keyed by organization. An email with links for several organizations counts for each of them. */
  private readonly countByOrganization = new Map<string, number>();
  private isClosed = false;

  constructor(private readonly options: SignInMailsOptions) {}

  readonly hasRoom = (organizationId: string): boolean =>
    !this.isClosed &&
    this.underWay.size < MOST &&
    (this.countByOrganization.get(organizationId) ?? 0) < MOST_OF_ONE;

  /**
   * Queues an email to be sent as soon as possible.
   * @returns whether the email was accepted. It is rejected if too many emails are already pending or the mailer is closed.
   */
  readonly send = (mail: SignInMail): boolean => {
    const organizations = mail.links.map(({ organizationId }) => organizationId);
    if (!organizations.every(this.hasRoom)) return false;
    for (const each of organizations)
      this.countByOrganization.set(each, (this.countByOrganization.get(each) ?? 0) + 1);
    const sending = this.deliver(mail).finally(() => {
      this.underWay.delete(sending);
      for (const each of organizations) this.release(each);
    });
    this.underWay.add(sending);
    return true;
  };

  private release(organizationId: string): void {
    const remaining = (this.countByOrganization.get(organizationId) ?? 1) - 1;
    if (remaining === 0) this.countByOrganization.delete(organizationId);
    else this.countByOrganization.set(organizationId, remaining);
  }

  /** Resolves when no email is being sent or waiting for a retry. */
  async whenIdle(): Promise<void> {
    await Promise.all(this.underWay);
  }

  /** Stops starting new attempts. Resolves when the attempts in progress have finished. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const pause of this.pauses) pause.cancel();
    await this.whenIdle();
  }

  private async deliver(mail: SignInMail): Promise<void> {
    const id = randomUUID();
    const key = mail.links[0]?.organizationId ?? "";
    for (const pause of [0, ...PAUSES]) {
      if (pause > 0) await this.wait(pause);
      if (this.isClosed && pause > 0) return;
      const isOver = await this.slots.run(key, () => this.attempt(mail, id));
      if (isOver) return;
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
    const pause = new CancellableDelay(this.options.after ?? backgroundTimer);
    this.pauses.add(pause);
    await pause.wait(ms);
    this.pauses.delete(pause);
  }
}

/**
 * Builds a sign-in email with one link for each of the staff member's shops.
 * @param id the ID for the email's `Message-ID`.
 * @param date the time of this attempt.
 */
function buildSignInMail(mail: SignInMail, id: string, sender: MailIdentity, date: Date): OutgoingMail {
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
