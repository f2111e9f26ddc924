import { HOUR_MS } from "../../../src/base/values/clock.js";
import { serviceInternals } from "../../../src/internals.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import type { Locale } from "../../delivery/languages/languages.js";
import type { HttpRequest, HttpResponse } from "../../http/index.js";
import { getHeaderValue, splitUrl } from "../../http/request/http-message.js";
import type { AddressChoices } from "./address-page.js";
import { type Badges, type BadgeUrls, loadBadgeUrls } from "./badges.js";
import { renderCardPage, type WalletLink } from "./card-page.js";
import type { MailLinkHandler } from "./mail-link-handler.js";
import { renderNotFoundPage } from "./page.js";
import { chooseLocale, loadShop } from "./shop.js";

/**
 * The query parameter of a card page that was opened by signing up with an email and the box for news. It depends on the form alone,
 * so that the page doesn't reveal whether the email belongs to an existing customer.
 */
export const NEWS_MAILED_PARAMETER = "news";

export interface CardOptions {
  /** Returns the links that add a card to a wallet. Defaults to the links from `passes.walletLinks`. */
  readonly walletLinks?: (organizationId: string, passId: string) => Promise<readonly WalletLink[]>;
  /**
   * The badges to show as links for adding a card to a wallet. The files are read once, when the pages are created. If omitted,
   * text links are shown.
   */
  readonly badges?: Badges;
}

/** Serves the card page to anyone who has the card's code. */
export class CardHandler {
  private readonly badges: BadgeUrls;

  /**
   * Creates the handler and loads the badge files.
   * @throws {TypeError} if a badge file can't be read, is too large, or isn't a PNG or SVG image.
   */
  constructor(
    private readonly loyalty: LoyaltyService,
    private readonly mailLinkHandler: MailLinkHandler,
    private readonly options: CardOptions,
    private readonly onError: (error: unknown) => void,
  ) {
    this.badges = loadBadgeUrls(options.badges ?? {});
  }

  /**
   * Responds with the card page, or with a 404 page if no organization has a card with this code.
   * @throws {LoyaltyError} `resource_not_found` if the code has been revoked.
   */
  async serveCard(locale: Locale, code: string, request: HttpRequest): Promise<HttpResponse> {
    const organizationId = await serviceInternals(this.loyalty).findOrganizationByCode(code);
    if (organizationId === null) return renderNotFoundPage(locale);
    const organization = this.loyalty.organization(organizationId);
    const pass = await organization.passes.lookup(code);
    const [shop, state, points, message, walletLinks, address] = await Promise.all([
      loadShop(organization),
      pass.stampProgress === null ? null : organization.stamps.state(pass.id),
      pass.pointCard === null ? null : serviceInternals(this.loyalty).findCardPoints(organizationId, pass.id),
      serviceInternals(this.loyalty).findCardMessage(organizationId, pass.id),
      // The first request for a pass's links creates them, and HEAD must not change anything.
      request.method === "HEAD" ? [] : this.createWalletLinks(organizationId, pass.id),
      this.findAddressChoices(request, { organizationId, userId: pass.userId, code }),
    ]);
    const age = serviceInternals(this.loyalty).now() - Date.parse(pass.createdAt);
    const page = renderCardPage(chooseLocale(shop, request), {
      ...{ shop, pass, state, points, message, address },
      // The URL may be saved, but the email is soon found or lost.
      isNewsMailed: readQuery(request).has(NEWS_MAILED_PARAMETER) && age < HOUR_MS,
      walletLinks: filterWalletLinks(getHeaderValue(request.headers, "user-agent") ?? "", walletLinks),
      badges: this.badges,
      prefix: request.prefix,
    });
    return request.method === "HEAD" ? { ...page, body: null } : page;
  }

  /** Resolves to `null` if the customer didn't follow an emailed link, or if the link belongs to another customer. */
  private findAddressChoices(
    request: HttpRequest,
    card: { readonly organizationId: string; readonly userId: string; readonly code: string },
  ): Promise<AddressChoices | null> | null {
    const token = readQuery(request).get("m");
    return token === null ? null : this.mailLinkHandler.findAddressChoices(token, card, request.prefix);
  }

  /** Resolves to an empty list if the links aren't available, so that the card is shown anyway. */
  private async createWalletLinks(organizationId: string, passId: string): Promise<readonly WalletLink[]> {
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
}

function readQuery({ url }: HttpRequest): URLSearchParams {
  return new URLSearchParams(splitUrl(url).query ?? "");
}

/** Removes the link to the wallet that a phone doesn't have. Unrecognized devices get all links. */
function filterWalletLinks(userAgent: string, links: readonly WalletLink[]): readonly WalletLink[] {
  const deviceWallet = /\b(?:iPhone|iPad|iPod)\b/.test(userAgent)
    ? "apple"
    : /\bAndroid\b/.test(userAgent)
      ? "google"
      : null;
  const matchingLinks = links.filter(({ wallet }) => deviceWallet === null || wallet === deviceWallet);
  return matchingLinks.length > 0 ? matchingLinks : links;
}
