import type { Template } from "../../../src/cards/schema.js";
import { earnedText, filled, type Locale } from "../../delivery/languages/languages.js";
import { type CardPictures, cardPicture } from "../../delivery/wallets/card-picture.js";
import type { StampCounts } from "../../delivery/wallets/card-texts.js";
import { Html, html } from "../../http/html-page.js";

/** The path where design pictures are served. Each picture's file name is its hash. */
export const PICTURES = "/j/pictures";

/** The `img-src` source that a page's content security policy must include to show a card's pictures. */
export const pictureSource = "'self'";

/** Renders a card as wallets display it, with a text description for screen readers. */
export function renderCard(
  locale: Locale,
  { name, reward, design }: Pick<Template, "name" | "reward" | "design">,
  stamps: StampCounts | null,
  prefix: string,
): Html {
  const { texts, language } = locale;
  const progress =
    stamps === null
      ? []
      : [filled(texts.progress, { stamps: String(stamps.currentStamps), most: String(stamps.maxStamps) })];
  const label = [name, ...progress, ...(reward === null ? [] : [earnedText(locale, reward)])].join(". ");
  const urlOf = (hash: string | null) => hash && `${prefix}${PICTURES}/${hash}`;
  const pictures: CardPictures = {
    logo: urlOf(design?.logo ?? null),
    strip: urlOf(design?.strip ?? null),
    filled: urlOf(design?.stamps.filled ?? null),
    empty: urlOf(design?.stamps.empty ?? null),
  };
  const { svg } = cardPicture({ name, reward, design }, stamps, pictures, language);
  return html`<div class="card" role="img" aria-label="${label}">${new Html(svg)}</div>`;
}
