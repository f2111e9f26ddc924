import { CoalescedCalls } from "../../src/concurrency/task-tracker.js";
import { serviceInternals } from "../../src/internals.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import type { MailBackend } from "../../src/messages/mail-backend.js";
import { linkTo } from "../../src/values/short-link.js";
import type { HttpRequest, HttpResponse } from "../http/index.js";
import { type AddressChoices, addressPage, confirmationPage } from "./address-page.js";
import type { Locale } from "./languages/languages.js";
import { type MailForm, readMailForm } from "./mail-form.js";
import { badLinkPage } from "./page.js";
import { channelsToEnd, type MailChannels, unsubscribedPage, unsubscribePage } from "./unsubscribe-page.js";

/** The longest token; a link in a mail has at most 200 characters. */
const MAX_TOKEN = 120;

/**
 * Answers who comes by a link of a mail. The link alone is who they are: there is no session, so a form of another site
 * does nothing that its sender could not do.
 */
export class MailLinkHandler {
  private readonly backend: Pick<MailBackend, "verifyLink" | "unsubscribe" | "confirm" | "suppressAddress">;
  /** Running changes by link: concurrent requests for one link make one change. */
  private readonly changes = new CoalescedCalls<boolean>();

  constructor(private readonly loyalty: LoyaltyService) {
    this.backend = serviceInternals(loyalty).mailBackend();
  }

  async unsubscribe(locale: Locale, token: string, request: HttpRequest): Promise<HttpResponse> {
    const link = await this.verifyLink(token);
    if (link === null || link.purpose === "confirm" || link.purpose === "refuse") return badLinkPage(locale);
    const own = link.purpose;
    if (request.method !== "POST") {
      const { settings, messageSettings } = this.loyalty.organization(link.organizationId);
      const [{ name }, { senderName }] = await Promise.all([settings.get(), messageSettings.get()]);
      return unsubscribePage(locale, own, senderName ?? name);
    }
    const { channel, isOneClick } = await readMailForm(request);
    const ending: MailChannels = isOneClick ? own : channelsToEnd(own, channel);
    const isKnown = await this.changes.run(`${ending} ${token}`, () =>
      this.backend.unsubscribe(token, ending),
    );
    if (!isKnown) return badLinkPage(locale);
    return isOneClick ? emptyAnswer : unsubscribedPage(locale, ending);
  }

  /** Takes what a form says about the address. A form that says neither of the two changes nothing, and gets the forms again. */
  async address(locale: Locale, token: string, request: HttpRequest): Promise<HttpResponse> {
    const link = await this.verifyLink(token);
    if (link === null || link.purpose === "email" || link.purpose === "wallet") return badLinkPage(locale);
    const { answer, code } = request.method === "POST" ? await readMailForm(request) : unsaid;
    if (answer === null) {
      const action = `${request.prefix}/m/c/${token}`;
      return addressPage(locale, { action, code, mayConfirm: link.purpose === "confirm", mayRefuse: true });
    }
    const change = () =>
      answer === "confirm" ? this.backend.confirm(token) : this.backend.suppressAddress(token);
    const isTaken = await this.changes.run(`${answer} ${token}`, change);
    if (!isTaken) return badLinkPage(locale);
    return confirmationPage(
      locale,
      answer,
      code === null ? null : `${linkTo(`${request.prefix}/c`, code)}?m=${token}`,
    );
  }

  /** Resolves to what may still be said of the address; `null` for a token that is not of the card's owner. */
  async choicesFor(
    token: string,
    card: { readonly organizationId: string; readonly userId: string; readonly code: string },
    prefix: string,
  ): Promise<AddressChoices | null> {
    const link = await this.verifyLink(token);
    if (link === null || link.organizationId !== card.organizationId || link.userId !== card.userId)
      return null;
    if (link.purpose === "email" || link.purpose === "wallet") return null;
    const { suppressed, emailConfirmedAt } = await this.loyalty
      .organization(card.organizationId)
      .subscriptions.get(card.userId);
    return {
      action: `${prefix}/m/c/${token}`,
      code: card.code,
      mayConfirm: link.purpose === "confirm" && emailConfirmedAt === null && suppressed === null,
      mayRefuse: suppressed === null,
    };
  }

  private verifyLink(token: string) {
    return token.length <= MAX_TOKEN ? this.backend.verifyLink(token) : null;
  }
}

const unsaid: Pick<MailForm, "answer" | "code"> = { answer: null, code: null };

/** RFC 8058, section 3.1: mail programs are sent nowhere else, and nothing of the answer is shown. */
const emptyAnswer: HttpResponse = { status: 200, headers: { "cache-control": "no-store" }, body: null };
