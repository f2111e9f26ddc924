import { CoalescedCalls } from "../../../src/base/concurrency/task-tracker.js";
import { linkTo } from "../../../src/base/values/short-link.js";
import { serviceInternals } from "../../../src/internals.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import type { MailBackend } from "../../../src/messages/mail-backend.js";
import type { Locale } from "../../delivery/languages/languages.js";
import type { HttpRequest, HttpResponse } from "../../http/index.js";
import { type AddressChoices, addressPage, confirmationPage } from "./address-page.js";
import { type MailForm, readMailForm } from "./mail-form.js";
import { badLinkPage } from "./page.js";
import { channelsToEnd, type MailChannels, unsubscribedPage, unsubscribePage } from "./unsubscribe-page.js";

/** Maximum length of a token; an emailed link has at most 200 characters. */
const MAX_TOKEN = 120;

/**
 * Handles requests for emailed links. The link's token is the visitor's only credential. Because there is no session, a form on
 * another site can't do anything that its author couldn't already do with the token.
 */
export class MailLinkHandler {
  private readonly backend: Pick<MailBackend, "verifyLink" | "unsubscribe" | "confirm" | "suppressAddress">;
  /** Running changes, keyed by link, so that concurrent requests for a link make only one change. */
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

  /**
   * Serves the page that lets a customer confirm or refuse their address. If the request contains a valid answer, applies it.
   * Otherwise, shows the forms without changing anything.
   */
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

  /**
   * Determines whether a customer can confirm or refuse their address when they open a card's page with the token from an emailed
   * link. Resolves to `null` if the token isn't valid for the card's owner.
   */
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

/** The response for mail clients. They must not be redirected (RFC 8058, section 3.1), and show nothing of the response. */
const emptyAnswer: HttpResponse = { status: 200, headers: { "cache-control": "no-store" }, body: null };
