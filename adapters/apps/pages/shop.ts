import type { Template } from "../../../src/cards/schema.js";
import type { Organization } from "../../../src/organization.js";
import { type Locale, negotiateLocale } from "../../delivery/languages/languages.js";
import { PICTURES_PATH } from "../../delivery/mail/mail-sender.js";
import { computeContrast, isDark } from "../../delivery/wallets/stamp-drawing/colors.js";
import { type AccentColors, type Html, type HtmlPage, html } from "../../http/html-page.js";
import type { HttpRequest, HttpResponse } from "../../http/index.js";
import { getHeaderValue } from "../../http/request/http-message.js";
import { pictureSource } from "./drawn-card.js";
import { pageResponse } from "./page.js";

/** A shop's details, as shown on the pages. */
export interface Shop {
  /** The shop's name, or the sender name of its emails if the name isn't set. `null` if neither is set. */
  readonly name: string | null;
  /** The hash of the shop's logo, or `null` if it has no logo. */
  readonly logo: string | null;
  /**
   * The language to use if the customer's browser accepts none of the supported languages. `null` if the shop hasn't set a
   * language.
   */
  readonly language: string | null;
}

export async function loadShop({ settings, messageSettings }: Organization): Promise<Shop> {
  const [{ name, logo, language }, { senderName }] = await Promise.all([
    settings.get(),
    messageSettings.get(),
  ]);
  return { name: name ?? senderName, logo, language };
}

/**
 * Chooses the language for one of the shop's pages: the supported language that the browser prefers most, or the shop's language if
 * the browser accepts none of the supported languages.
 */
export function chooseLocale({ language }: Shop, { headers }: HttpRequest): Locale {
  return negotiateLocale(getHeaderValue(headers, "accept-language"), language);
}

/**
 * Returns the path of a page's icon. The icon is the shop's logo, or the logo in the card's design if the shop has none. Returns
 * `undefined` if there is no logo.
 */
export function buildIconUrl(
  { logo }: Shop,
  { design }: Pick<Template, "design">,
  prefix: string,
): string | undefined {
  const hash = logo ?? design?.logo ?? null;
  return hash === null ? undefined : `${prefix}${PICTURES_PATH}/${hash}`;
}

/** Minimum contrast ratio between text and background for WCAG 2.2, level AA. */
const MIN_CONTRAST = 4.5;

/**
 * Chooses the colors of a page's buttons from the card's design: its background where that is dark, else its text color, so that
 * buttons stand out from the page. Returns `undefined` if the design has no readable pair.
 */
export function chooseAccent({ design }: Pick<Template, "design">): AccentColors | undefined {
  if (design === null) return undefined;
  const { backgroundColor, foregroundColor } = design;
  if (computeContrast(backgroundColor, foregroundColor) < MIN_CONTRAST) return undefined;
  return isDark(backgroundColor)
    ? { background: backgroundColor, text: foregroundColor }
    : { background: foregroundColor, text: backgroundColor };
}

/**
 * Renders the shop's logo and name for the top of a page.
 * @param prefix the path prefix under which the pages are mounted.
 */
export function renderShopHeader({ name, logo }: Shop, prefix: string): Html[] {
  const picture = html`<img class="shop-logo" src="${prefix}${PICTURES_PATH}/${logo ?? ""}" alt="">`;
  return [
    ...(logo === null ? [] : [picture]),
    ...(name === null ? [] : [html`<p class="shop"><bdi>${name}</bdi></p>`]),
  ];
}

/** How the pages of a shop look that are about no card in particular. */
export interface ShopLook {
  readonly shop: Shop;
  /** The card whose colors the pages have. */
  readonly card: Pick<Template, "design">;
  /** The path prefix under which the pages are mounted. */
  readonly prefix: string;
}

/** Builds the response for a page with the shop's logo, name, and colors. The title is also the page's heading. */
export function shopPageResponse(
  locale: Locale,
  { shop, card, prefix }: ShopLook,
  { content, ...page }: HtmlPage,
): HttpResponse {
  return pageResponse(locale, {
    ...page,
    pictures: pictureSource,
    icon: buildIconUrl(shop, card, prefix),
    accent: chooseAccent(card),
    content: html`${renderShopHeader(shop, prefix)}
<h1>${page.title}</h1>
${content}`,
  });
}
