import type { Template } from "../../../src/cards/schema.js";
import type { CardPoints } from "../../../src/points/card-points.js";
import { fillPlaceholders, formatReward, type Locale } from "../../delivery/languages/languages.js";
import { describePoints } from "../../delivery/languages/point-words.js";
import { PICTURES_PATH } from "../../delivery/mail/mail-sender.js";
import { type CardPictures, drawCard } from "../../delivery/wallets/card-picture.js";
import type { StampCounts } from "../../delivery/wallets/card-texts.js";
import { Html, html } from "../../http/html-page.js";

/** The `img-src` source that a page's content security policy must include to show a card's pictures. */
export const pictureSource = "'self'";

/** What a card collects. Both are `null` if it collects nothing. */
interface CardCounts {
  readonly stamps: StampCounts | null;
  readonly points: CardPoints | null;
}

/** Renders a card as wallets display it, with a text description for screen readers. */
export function renderCard(
  locale: Locale,
  { name, reward, design }: Pick<Template, "name" | "reward" | "design">,
  { stamps, points }: CardCounts,
  prefix: string,
): Html {
  const { texts, language } = locale;
  const progress =
    stamps === null
      ? points === null
        ? []
        : [describePoints(points, language).balance]
      : [
          fillPlaceholders(texts.progress, {
            stamps: String(stamps.currentStamps),
            most: String(stamps.maxStamps),
          }),
        ];
  const label = [name, ...progress, ...(reward === null ? [] : [formatReward(locale, reward)])].join(". ");
  const buildPictureUrl = (hash: string | null) => hash && `${prefix}${PICTURES_PATH}/${hash}`;
  const pictures: CardPictures = {
    logo: buildPictureUrl(design?.logo ?? null),
    strip: buildPictureUrl(design?.strip ?? null),
    filled: buildPictureUrl(design?.stamps.filled ?? null),
    empty: buildPictureUrl(design?.stamps.empty ?? null),
  };
  const { svg } = drawCard({ name, reward, design }, stamps, pictures, language, points);
  return html`<div class="card" role="img" aria-label="${label}">${new Html(svg)}</div>`;
}
