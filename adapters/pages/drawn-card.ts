import type { Template } from "../../src/resources/template.js";
import { Html, html } from "../http/html-page.js";
import { type CardPictures, cardPicture } from "../wallets/card-picture.js";
import type { StampCounts } from "../wallets/card-texts.js";
import { earnedText, filled, type Locale } from "./languages/languages.js";

/** The path of design pictures, which are named by their hashes. */
export const PICTURES = "/j/pictures";

/** The `img-src` source that a page needs for the pictures on a drawn card. */
export const pictureSource = "'self'";

/** Renders a card the way wallets show it, with a text alternative. */
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
  const said = [name, ...progress, ...(reward === null ? [] : [earnedText(locale, reward)])].join(". ");
  const urlOf = (hash: string | null) => hash && `${prefix}${PICTURES}/${hash}`;
  const pictures: CardPictures = {
    logo: urlOf(design?.logo ?? null),
    strip: urlOf(design?.strip ?? null),
    filled: urlOf(design?.stamps.filled ?? null),
    empty: urlOf(design?.stamps.empty ?? null),
  };
  const { svg } = cardPicture({ name, reward, design }, stamps, pictures, language);
  return html`<div class="card" role="img" aria-label="${said}">${new Html(svg)}</div>`;
}
