import type { Organization } from "../../src/organization.js";
import type { Template } from "../../src/resources/template.js";
import { type Html, html } from "../http/html-page.js";
import type { HttpRequest } from "../http/index.js";
import { headerValue } from "../http/request/http-message.js";
import { PICTURES } from "./drawn-card.js";
import { type Locale, localeFor } from "./languages/languages.js";

/** The shop as the pages show it to customers. */
export interface Shop {
  /** `null` if it has none, and its mails have no sender's name. */
  readonly name: string | null;
  /** The hash of a picture; `null` for none. */
  readonly logo: string | null;
  /** The language of its pages where customers ask for none that there is. */
  readonly language: string | null;
}

export async function loadShop({ settings, messageSettings }: Organization): Promise<Shop> {
  const [{ name, logo, language }, { senderName }] = await Promise.all([
    settings.get(),
    messageSettings.get(),
  ]);
  return { name: name ?? senderName, logo, language };
}

/** The language of a page of the shop for who asks for it. */
export function chooseLocale({ language }: Shop, { headers }: HttpRequest): Locale {
  return localeFor(headerValue(headers, "accept-language"), language);
}

/** Returns the path of a page's icon: the logo of the shop, otherwise of the card; `undefined` without either. */
export function buildIconUrl(
  { logo }: Shop,
  { design }: Pick<Template, "design">,
  prefix: string,
): string | undefined {
  const hash = logo ?? design?.logo ?? null;
  return hash === null ? undefined : `${prefix}${PICTURES}/${hash}`;
}

/** Says above a page whose it is. @param prefix the path below which the pages are. */
export function renderShopHeader({ name, logo }: Shop, prefix: string): Html[] {
  const picture = html`<img class="shop-logo" src="${prefix}${PICTURES}/${logo ?? ""}" alt="">`;
  return [
    ...(logo === null ? [] : [picture]),
    ...(name === null ? [] : [html`<p class="shop"><bdi>${name}</bdi></p>`]),
  ];
}
