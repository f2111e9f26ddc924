import { assertSameVersion } from "../../../src/base/copies.js";
import { createLoyaltyError, isLoyaltyError } from "../../../src/base/errors.js";
import { bareCode, decodeJoinCode } from "../../../src/base/values/short-link.js";
import { serviceInternals } from "../../../src/internals.js";
import { guardListener } from "../../../src/kernel/events/event-emitter.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import { type Locale, negotiateLocale } from "../../delivery/languages/languages.js";
import { PICTURES_PATH } from "../../delivery/mail/mail-sender.js";
import { createPictureCache, type FindPicture } from "../../delivery/wallets/picture-cache.js";
import { pictureResponse } from "../../delivery/wallets/responses.js";
import { OAuthError } from "../../http/auth/oauth/oauth-error.js";
import { errorResponse, methodNotAllowedResponse } from "../../http/error-response.js";
import type { HttpExtension, HttpRequest, HttpResponse } from "../../http/index.js";
import { getHeaderValue, splitUrl } from "../../http/request/http-message.js";
import { CardHandler, type CardOptions } from "./card-handler.js";
import { MailLinkHandler } from "./mail-link-handler.js";
import { renderBadLinkPage, renderNotFoundPage } from "./page.js";
import { SignUpHandler, type SignUpOptions } from "./sign-up-handler.js";

export interface PagesOptions extends CardOptions, SignUpOptions {
  /** Called with the underlying error when a page fails. Default: `console.error`. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Creates the customer-facing pages as an extension for `createHttpApi`. `/c/{code}` shows a card to anyone who has its code.
 * `/j/{joinCode}` and `/join/{templateId}` show the sign-up form. Emailed links lead to pages below `/m`. The service's
 * `shortLinkBase` must point to the card page.
 * @throws {RangeError} if a limit is invalid.
 * @throws {TypeError} if a badge isn't a valid image.
 * @example
 * import { apiTokens, createHttpApi } from "loyalty-kit/http";
 * import { createPages } from "loyalty-kit/pages";
 *
 * const extensions = [createPages(loyalty)];
 * const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), extensions });
 */
export function createPages(loyalty: LoyaltyService, options: PagesOptions = {}): HttpExtension {
  assertSameVersion(loyalty, "LoyaltyService");
  return new Pages(loyalty, options);
}

class Pages implements HttpExtension {
  readonly paths = ["/c/*", "/j/*", "/join/*", "/m/u/*", "/m/c/*"];
  readonly signed = ["/m/u/*", "/m/c/*"];
  private readonly cardHandler: CardHandler;
  private readonly signUpHandler: SignUpHandler;
  private readonly mailLinkHandler: MailLinkHandler;
  private readonly pictureHandler: PictureHandler;
  private readonly onError: (error: unknown) => void;

  constructor(loyalty: LoyaltyService, options: PagesOptions) {
    this.onError = guardListener(options.onError ?? ((error) => console.error(error)));
    this.mailLinkHandler = new MailLinkHandler(loyalty);
    this.cardHandler = new CardHandler(loyalty, this.mailLinkHandler, options, this.onError);
    this.pictureHandler = new PictureHandler(loyalty);
    this.signUpHandler = new SignUpHandler(loyalty, options, this.onError);
  }

  async handle(request: HttpRequest): Promise<HttpResponse> {
    const locale = negotiateLocale(getHeaderValue(request.headers, "accept-language"));
    const [, firstSegment = "", ...remainingSegments] = splitUrl(request.url).path.split("/");
    const segments = remainingSegments.at(-1) === "" ? remainingSegments.slice(0, -1) : remainingSegments;
    try {
      return await this.respond(locale, firstSegment, segments, request);
    } catch (error) {
      if (error instanceof OAuthError) return errorResponse(createLoyaltyError("malformed_request"));
      if (isLoyaltyError(error, "resource_not_found")) return renderNotFoundPage(locale);
      this.onError(error);
      return errorResponse(
        isLoyaltyError(error, "storage_unavailable") ? error : createLoyaltyError("internal_error"),
      );
    }
  }

  private async respond(
    locale: Locale,
    firstSegment: string,
    segments: readonly string[],
    request: HttpRequest,
  ): Promise<HttpResponse> {
    const { method } = request;
    const isRead = method === "GET" || method === "HEAD";
    if (firstSegment === "m") {
      const [linkKind, token = "", ...more] = segments;
      if (more.length > 0 || !mayBeIdOrToken(token)) return renderBadLinkPage(locale);
      if (!isRead && method !== "POST") return methodNotAllowedResponse(["GET", "POST"]);
      return linkKind === "u"
        ? this.mailLinkHandler.handleUnsubscribe(locale, token, request)
        : this.mailLinkHandler.handleAddress(locale, token, request);
    }
    const [id = "", ...more] = segments;
    if (`/${firstSegment}/${id}` === PICTURES_PATH && more.length === 1) {
      return isRead
        ? this.pictureHandler.servePicture(locale, more[0] ?? "", request)
        : methodNotAllowedResponse(["GET"]);
    }
    if (more.length > 0) return renderNotFoundPage(locale);
    if (firstSegment === "c")
      return isRead
        ? this.cardHandler.serveCard(locale, bareCode(id), request)
        : methodNotAllowedResponse(["GET"]);
    if (!mayBeIdOrToken(id)) return renderNotFoundPage(locale);
    const templateId = firstSegment === "j" ? decodeJoinCode(id) : id;
    if (templateId === null) return renderNotFoundPage(locale);
    const path = `${request.prefix}/${firstSegment}/${id}`;
    if (isRead) return this.signUpHandler.serveForm(locale, templateId, request, path);
    return method === "POST"
      ? this.signUpHandler.handleForm(locale, templateId, request, path)
      : methodNotAllowedResponse(["GET", "POST"]);
  }
}

/** Returns whether the text may be an id or a token. */
function mayBeIdOrToken(text: string): boolean {
  return /^[\w-]{1,100}$/.test(text);
}

/** Serves the pictures in card designs to browsers. */
class PictureHandler {
  private readonly pictures: FindPicture;

  constructor(loyalty: LoyaltyService) {
    this.pictures = createPictureCache((hash) => serviceInternals(loyalty).findPicture(hash));
  }

  async servePicture(locale: Locale, hash: string, { method }: HttpRequest): Promise<HttpResponse> {
    const picture = /^[0-9a-f]{64}$/.test(hash) ? await this.pictures(hash) : null;
    if (picture === null) return renderNotFoundPage(locale);
    const response = pictureResponse(picture.bytes, picture.type);
    return method === "HEAD" ? { ...response, body: null } : response;
  }
}
