import { refuseOtherVersion } from "../../src/copies.js";
import { failure, isLoyaltyError } from "../../src/errors.js";
import { unfailing } from "../../src/events/event-emitter.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import { templateIdOf } from "../../src/values/join-code.js";
import { bareCode } from "../../src/values/short-link.js";
import { OAuthError } from "../auth/oauth/oauth-error.js";
import { errorAnswer, methodNotAllowedAnswer } from "../http/error-answer.js";
import type { HttpExtension, HttpRequest, HttpResponse } from "../http/index.js";
import { headerValue, partsOf } from "../http/request/message.js";
import { CardHandler, type CardOptions } from "./card-handler.js";
import { PICTURES } from "./drawn-card.js";
import { JoinHandler, type JoinOptions } from "./join-handler.js";
import { type Locale, localeFor } from "./languages/languages.js";
import { MailLinkHandler } from "./mail-link-handler.js";
import { badLinkPage, notFoundPage } from "./page.js";
import { PictureHandler } from "./picture-handler.js";

export interface PagesOptions extends CardOptions, JoinOptions {
  /** Gets the cause of every failure; `console.error` unless given. */
  readonly onError?: (error: unknown) => void;
}

/**
 * The pages for customers, to be given to `createHttpApi` among its `extensions`: the card at `/c/{code}`, for whoever has
 * the code, the form to join by at `/j/{joinCode}` and `/join/{templateId}`, and what the links of mails lead to, below `/m`.
 * `shortLinkBase` must lead to the first.
 * @throws {RangeError} when the limit can't be one. @throws {TypeError} when a badge is no picture.
 * @example
 * import { apiTokens, createHttpApi } from "loyalty-kit/http";
 * import { createPages } from "loyalty-kit/pages";
 *
 * const extensions = [createPages(loyalty)];
 * const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), extensions });
 */
export function createPages(loyalty: LoyaltyService, options: PagesOptions = {}): HttpExtension {
  refuseOtherVersion(loyalty, "LoyaltyService");
  return new Pages(loyalty, options);
}

class Pages implements HttpExtension {
  readonly paths = ["/c/*", "/j/*", "/join/*", "/m/u/*", "/m/c/*"];
  readonly signed = ["/m/u/*", "/m/c/*"];
  private readonly cards: CardHandler;
  private readonly joining: JoinHandler;
  private readonly mails: MailLinkHandler;
  private readonly pictures: PictureHandler;
  private readonly onError: (error: unknown) => void;

  constructor(loyalty: LoyaltyService, options: PagesOptions) {
    this.onError = unfailing(options.onError ?? ((error) => console.error(error)));
    this.mails = new MailLinkHandler(loyalty);
    this.cards = new CardHandler(loyalty, this.mails, options, this.onError);
    this.pictures = new PictureHandler(loyalty);
    this.joining = new JoinHandler(loyalty, options, this.onError);
  }

  async handle(request: HttpRequest): Promise<HttpResponse> {
    const locale = localeFor(headerValue(request.headers, "accept-language"));
    const [, place = "", ...rest] = partsOf(request.url).path.split("/");
    const segments = rest.at(-1) === "" ? rest.slice(0, -1) : rest;
    try {
      return await this.answer(locale, place, segments, request);
    } catch (error) {
      if (error instanceof OAuthError) return errorAnswer(failure("malformed_request"));
      if (isLoyaltyError(error, "resource_not_found")) return notFoundPage(locale);
      this.onError(error);
      return errorAnswer(isLoyaltyError(error, "storage_unavailable") ? error : failure("internal_error"));
    }
  }

  private async answer(
    locale: Locale,
    place: string,
    segments: readonly string[],
    request: HttpRequest,
  ): Promise<HttpResponse> {
    const { method } = request;
    const isRead = method === "GET" || method === "HEAD";
    if (place === "m") {
      const [about, token = "", ...more] = segments;
      if (more.length > 0 || !isName(token)) return badLinkPage(locale);
      if (!isRead && method !== "POST") return methodNotAllowedAnswer(["GET", "POST"]);
      return about === "u"
        ? this.mails.unsubscribe(locale, token, request)
        : this.mails.address(locale, token, request);
    }
    const [id = "", ...more] = segments;
    if (`/${place}/${id}` === PICTURES && more.length === 1) {
      return isRead ? this.pictures.picture(locale, more[0] ?? "", request) : methodNotAllowedAnswer(["GET"]);
    }
    if (more.length > 0) return notFoundPage(locale);
    if (place === "c")
      return isRead ? this.cards.card(locale, bareCode(id), request) : methodNotAllowedAnswer(["GET"]);
    if (!isName(id)) return notFoundPage(locale);
    const templateId = place === "j" ? templateIdOf(id) : id;
    if (templateId === null) return notFoundPage(locale);
    const path = `${request.prefix}/${place}/${id}`;
    if (isRead) return this.joining.form(locale, templateId, request, path);
    return method === "POST"
      ? this.joining.joined(locale, templateId, request, path)
      : methodNotAllowedAnswer(["GET", "POST"]);
  }
}

/** True for what may be an id or a token. */
function isName(text: string): boolean {
  return /^[\w-]{1,100}$/.test(text);
}
