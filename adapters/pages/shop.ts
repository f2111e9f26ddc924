import type { Organization } from "../../src/organization.js";
import type { Template } from "../../src/resources/template.js";
import { type Html, html } from "../http/html-page.js";
import type { HttpRequest } from "../http/index.js";
import { headerValue } from "../http/request/http-message.js";
import { PICTURES } from "./drawn-card.js";
import { type Locale, localeFor } from "./languages/languages.js";

/** The shop's details that pages show to customers. */
export interface Shop {
  /** The shop's name, or else the sender name of its emails; `null` if it has neither. */
  readonly name: string | null;
  /** The hash of the shop's logo; `null` if it has none. */
  readonly logo: string | null;
  /** The language to use if the customer's browser accepts no supported language; `null` if the shop has set none. */
  readonly language: string | null;
}

export async function loadShop({ settings, messageSettings }: Organization): Promise<Shop> {
  const [{ name, logo, language }, { senderName }] = await Promise.all([
    settings.get(),
    messageSettings.get(),
  ]);
  return { name: name ?? senderName, logo, language };
}

/** Chooses the language for a page of the shop. */
export function chooseLocale({ language }: Shop, { headers }: HttpRequest): Locale {
  return localeFor(headerValue(headers, "accept-language"), language);
}

/** Returns the path of a page's icon: the shop's logo, or else the card's; `undefined` if there is neither. */
export function buildIconUrl(
  { logo }: Shop,
  { design }: Pick<Template, "design">,
  prefix: string,
): string | undefined {
  const hash = logo ?? design?.logo ?? null;
  return hash === null ? undefined : `${prefix}${PICTURES}/${hash}`;
}

/**
 * Renders the shop's logo and name for the top of a page.
 * @param prefix the path prefix of all pages.
 */
export function renderShopHeader({ name, logo }: Shop, prefix: string): Html[] {
  const picture = html`<img class="shop-logo" src="${prefix}${PICTURES}/${logo ?? ""}" alt="">`;
  return [
    ...(logo === null ? [] : [picture]),
    ...(name === null ? [] : [html`<p class="shop"><bdi>${name}</bdi></p>`]),
  ];
}
