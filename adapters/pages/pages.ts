import { wholeTurn } from "../../src/concurrency/event-loop.js";
import { CoalescedCalls } from "../../src/concurrency/in-flight.js";
import { failure, isLoyaltyError } from "../../src/errors.js";
import { unfailing } from "../../src/events/event-emitter.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import type { WalletPass } from "../../src/resources/pass.js";
import { randomBase62 } from "../../src/secrets/token-format.js";
import { errorAnswer } from "../http/error-answer.js";
import type { HttpExtension, HttpRequest, HttpResponse, RateQuota } from "../http/index.js";
import { ClientWindows } from "../http/rate-limits/client-windows.js";
import { assertQuota, secondsLeft } from "../http/rate-limits/store.js";
import { headerValue, partsOf } from "../http/request/message.js";
import { isFromOwnPage } from "../http/request/own-page.js";
import { readForm } from "../oauth/form.js";
import { OAuthError } from "../oauth/oauth-error.js";
import { type Badges, type BadgeUrls, badgeUrls } from "./badges.js";
import { cardPage, type WalletLink } from "./card-page.js";
import { errorsOf, type JoinErrors, type JoinForm, joinFormIn, refusedFields } from "./join-form.js";
import { type JoinPage, joinPage } from "./join-page.js";
import { type JoinRequest, join, type KnownJoiner, knownJoiners } from "./joining.js";
import { type Locale, localeFor } from "./languages/languages.js";
import { notFoundPage } from "./page.js";

export interface PagesOptions {
  /**
   * Sends people whose email or phone the organization knows the links of the cards that they have, when somebody asks for a
   * card with it. The page tells nobody that they are known.
   */
  readonly sendLink?: (known: KnownJoiner) => Promise<void> | void;
  /** Returns the text that people agree to when they join, in the language of the page; a built-in sentence unless given. */
  readonly consent?: (organizationId: string, language: string) => string;
  /** Resolves to the links that add a card to wallets; those of `passes.walletLinks` unless given. */
  readonly walletLinks?: (organizationId: string, passId: string) => Promise<readonly WalletLink[]>;
  /** The badges that link to wallets; plain links unless given. The files are read once. */
  readonly badges?: Badges;
  /**
   * The most that may join from one address, or /64 network of IPv6; 20 in an hour unless given. From all of a /48 it is ten
   * times that, from all of a /32 a thousand times. Every process counts for itself.
   */
  readonly joinLimit?: RateQuota;
  /** Gets the cause of every failure; `console.error` unless given. */
  readonly onError?: (error: unknown) => void;
}

const KEY_LENGTH = 24;

/**
 * The pages for customers, to be given to `createHttpApi` among its `extensions`: the card at `/c/{code}`, for whoever has
 * the code, and the form to join by at `/join/{templateId}`. `shortLinkBase` must lead to the first.
 * @throws {RangeError} when the limit can't be one. @throws {TypeError} when a badge is no picture.
 */
export function createPages(loyalty: LoyaltyService, options: PagesOptions = {}): HttpExtension {
  return new Pages(loyalty, options);
}

class Pages implements HttpExtension {
  readonly paths = ["/c/*", "/join/*"];
  private readonly windows: ClientWindows;
  /** The forms under way: one that is sent twice at once is handled once. */
  private readonly joins = new CoalescedCalls<WalletPass>();
  private readonly badges: BadgeUrls;
  private readonly onError: (error: unknown) => void;

  constructor(
    private readonly loyalty: LoyaltyService,
    private readonly options: PagesOptions,
  ) {
    const joinLimit = options.joinLimit ?? { requests: 20, seconds: 3_600 };
    assertQuota(joinLimit);
    this.badges = badgeUrls(options.badges ?? {});
    this.windows = new ClientWindows(() => loyalty.now(), joinLimit);
    this.onError = unfailing(options.onError ?? ((error) => console.error(error)));
  }

  async handle(request: HttpRequest): Promise<HttpResponse> {
    const locale = localeFor(headerValue(request.headers, "accept-language"));
    const [, place = "", id = "", ...more] = partsOf(request.url).path.split("/");
    const isRead = request.method === "GET" || request.method === "HEAD";
    try {
      if (more.join("") !== "" || !/^[\w-]{1,100}$/.test(id)) return notFoundPage(locale);
      if (place === "c") return isRead ? await this.card(locale, id) : notAllowed("GET");
      if (isRead) return await this.joinForm(locale, id);
      return request.method === "POST" ? await this.joined(locale, id, request) : notAllowed("GET, POST");
    } catch (error) {
      if (error instanceof OAuthError) return errorAnswer(failure("malformed_request"));
      if (isLoyaltyError(error, "resource_not_found")) return notFoundPage(locale);
      this.onError(error);
      return errorAnswer(isLoyaltyError(error, "storage_unavailable") ? error : failure("internal_error"));
    }
  }

  private async card(locale: Locale, code: string): Promise<HttpResponse> {
    const organizationId = await this.loyalty.organizationOfCode(code);
    if (organizationId === null) return notFoundPage(locale);
    const organization = this.loyalty.organization(organizationId);
    const pass = await organization.passes.lookup(code);
    const [state, walletLinks] = await Promise.all([
      pass.stampProgress === null ? null : organization.stamps.state(pass.id),
      this.walletLinks(organizationId, pass.id),
    ]);
    return cardPage(locale, { pass, state, walletLinks, badges: this.badges });
  }

  /** Resolves to no links when they can't be had: the card is shown without them. */
  private async walletLinks(organizationId: string, passId: string): Promise<readonly WalletLink[]> {
    try {
      if (this.options.walletLinks !== undefined)
        return await this.options.walletLinks(organizationId, passId);
      const { apple, google } = await this.loyalty.organization(organizationId).passes.walletLinks(passId);
      return [
        ...(apple === null ? [] : [{ wallet: "apple" as const, url: apple }]),
        ...(google === null ? [] : [{ wallet: "google" as const, url: google }]),
      ];
    } catch (error) {
      this.onError(error);
      return [];
    }
  }

  private async joinForm(locale: Locale, templateId: string): Promise<HttpResponse> {
    const asked = await this.asked(locale, templateId);
    if (asked === null) return notFoundPage(locale);
    const form: JoinForm = { name: "", email: "", phone: "", consents: false, key: newKey() };
    return joinPage(locale, { ...asked, form, errors: {} });
  }

  private async joined(locale: Locale, templateId: string, request: HttpRequest): Promise<HttpResponse> {
    const asked = await this.asked(locale, templateId);
    if (asked === null) return notFoundPage(locale);
    const { organizationId, ...page } = asked;
    const { language, texts } = locale;
    const form = joinFormIn(await readForm(request), newKey);
    const again = (errors: JoinErrors, more: Partial<JoinPage>) =>
      joinPage(locale, { ...page, form, errors, ...more });
    const isOwn = isFromOwnPage(request);
    const errors = errorsOf(form, texts);
    if (Object.keys(errors).length > 0 || !isOwn) return again(errors, { status: isOwn ? 422 : 403 });
    const full = this.windows.count(request.address);
    if (full !== null) {
      const headers = { "retry-after": String(secondsLeft(full)) };
      return again({}, { status: 429, notice: texts.tooMany, headers });
    }
    const joining: JoinRequest = { organizationId, templateId, form, consent: page.consent, language };
    try {
      const pass = await this.joins.run(JSON.stringify(joining), () => this.join(joining));
      const code = pass.qrCodeValue.slice(pass.qrCodeValue.lastIndexOf("/") + 1);
      return {
        status: 303,
        headers: { location: `${request.prefix}/c/${code}`, "cache-control": "no-store" },
        body: null,
      };
    } catch (error) {
      // The form was sent before, or is being sent, with other contents.
      if (
        isLoyaltyError(error, "idempotency_key_reused") ||
        isLoyaltyError(error, "idempotency_key_in_use")
      ) {
        return again({}, { form: { ...form, key: newKey() }, status: 409, notice: texts.failed });
      }
      return again(refusedFields(error, texts), { status: 422 });
    }
  }

  private async join(joining: JoinRequest): Promise<WalletPass> {
    const pass = await join(this.loyalty, joining);
    // Nobody waits for it, so that an answer takes no longer where someone is known.
    void this.sendLinks(joining, pass);
    return pass;
  }

  private async asked(locale: Locale, templateId: string) {
    const organizationId = await this.loyalty.organizationOfTemplate(templateId);
    if (organizationId === null) return null;
    const { templates } = this.loyalty.organization(organizationId);
    const { name, reward } = await templates.get(templateId);
    const consent = this.options.consent?.(organizationId, locale.language) ?? locale.texts.consent;
    return { organizationId, card: name, reward, consent };
  }

  private async sendLinks(joining: JoinRequest, pass: WalletPass): Promise<void> {
    const { sendLink } = this.options;
    if (sendLink === undefined) return;
    await wholeTurn();
    try {
      for (const known of await knownJoiners(this.loyalty, joining, pass)) await sendLink(known);
    } catch (error) {
      this.onError(error);
    }
  }
}

function newKey(): string {
  return randomBase62(KEY_LENGTH);
}

function notAllowed(allow: string): HttpResponse {
  return errorAnswer(failure("method_not_allowed"), { allow });
}
