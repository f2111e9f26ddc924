import encodeQR from "qr";
import { findClosestLanguage } from "../../../src/base/values/language-lookup.js";
import { bareCode } from "../../../src/base/values/short-link.js";
import type { WalletPassDetail } from "../../../src/cards/pass-schema.js";
import type { StampCard } from "../../../src/cards/stamps-schema.js";
import type { CardPoints } from "../../../src/points/card-points.js";
import type { IssuedMessage } from "../../../src/wallets/shown-message.js";
import { fillPlaceholders, formatPlural, type Locale } from "../../delivery/languages/languages.js";
import { describePoints } from "../../delivery/languages/point-words.js";
import { type Html, html } from "../../http/html-page.js";
import type { HttpResponse } from "../../http/index.js";
import { type AddressChoices, renderAddressForms, renderNewsForm } from "./address-page.js";
import type { BadgeUrls } from "./badges.js";
import { pictureSource, renderCard } from "./drawn-card.js";
import { pageResponse } from "./page.js";
import { buildIconUrl, chooseAccent, renderShopHeader, type Shop } from "./shop.js";

/** A link on the card page that adds the card to Apple Wallet or Google Wallet. */
export interface WalletLink {
  /** The wallet that the card is added to. It determines which badge the page shows for the link. */
  readonly wallet: "apple" | "google";
  /** The URL that adds the card when opened. */
  readonly url: string;
}

export interface CardPageProps {
  readonly shop: Shop;
  readonly pass: WalletPassDetail;
  /** The card's stamps, or `null` if the card doesn't collect stamps. */
  readonly state: StampCard | null;
  /** The card's points, or `null` if the card doesn't collect points. */
  readonly points: CardPoints | null;
  /** The message to show on the card, or `null` if there is none. */
  readonly message: Pick<IssuedMessage, "texts"> | null;
  readonly walletLinks: readonly WalletLink[];
  /** The badges to show instead of text links to the wallets. */
  readonly badges: BadgeUrls;
  /** The choices to offer for confirming or rejecting the email address, or `null` if the visitor didn't follow an emailed link. */
  readonly address: AddressChoices | null;
  /** Whether to tell the visitor that the news they just asked for must be confirmed in the email with the card. */
  readonly isNewsMailed: boolean;
  /** The path prefix under which the pages are mounted. */
  readonly prefix: string;
}

/**
 * Renders a card's public page, which anyone who has the card's code can see. It shows the card's name, stamps, rewards, points,
 * message, and code, but not its owner or history.
 */
export function renderCardPage(
  locale: Locale,
  { shop, pass, state, points, message, walletLinks, badges, address, isNewsMailed, prefix }: CardPageProps,
): HttpResponse {
  const { texts } = locale;
  const { name } = pass.template;
  const code = bareCode(pass.qrCodeValue);
  const counts =
    state !== null
      ? renderStamps(locale, state)
      : points !== null
        ? renderPoints(locale, points)
        : html`<p>${texts.isMember}</p>`;
  const wallets = html`<ul class="wallets">
${walletLinks.map(({ wallet, url }) => {
  const badge = badges[wallet];
  return badge === undefined
    ? html`<li><a href="${url}">${texts.addTo[wallet]}</a></li>\n`
    : html`<li><a class="badge" href="${url}"><img src="${badge}" alt="${texts.addTo[wallet]}"></a></li>\n`;
})}</ul>`;
  return pageResponse(locale, {
    title: name,
    isLive: true,
    pictures: pictureSource,
    icon: buildIconUrl(shop, pass.template, prefix),
    accent: chooseAccent(pass.template),
    content: html`${renderShopHeader(shop, prefix)}
<h1><bdi>${name}</bdi></h1>
${isNewsMailed ? [html`<p class="news">${fillPlaceholders(texts.newsMailed, { button: texts.sendNews })}</p>\n`] : []}${address === null ? [] : renderNewsForm(locale, address)}${renderCard(locale, pass.template, { stamps: state, points }, prefix)}
<section class="state">
${counts}
</section>
${message === null ? [] : renderMessage(locale, message)}
${walletLinks.length > 0 ? [wallets] : []}
<section class="code">
${renderQrCode(pass.qrCodeValue, texts.qrCode)}
<code>${code}</code>
<p class="quiet">${texts.showAtTill}</p>
</section>
${address === null ? [] : renderAddressForms(locale, address)}`,
  });
}

/** Renders the message in the page's language if available, otherwise in the message's first language. */
function renderMessage({ language }: Locale, { texts }: Pick<IssuedMessage, "texts">): Html[] {
  const localeTexts = findClosestLanguage(texts, language);
  return [html`<p class="message" dir="auto" lang="${localeTexts.language}">${localeTexts.text}</p>`];
}

/** Describes the stamps, and how many are missing until the next reward, for readers who can't see the picture. */
function renderStamps(locale: Locale, { currentStamps, maxStamps, rewardsAvailable }: StampCard): Html {
  const { progress, toGo, rewards } = locale.texts;
  const progressText = fillPlaceholders(progress, { stamps: String(currentStamps), most: String(maxStamps) });
  return html`<p><strong>${progressText}</strong><br>${formatPlural(locale, toGo, maxStamps - currentStamps)}</p>
${rewardsAvailable > 0 ? [html`<p class="reward">${formatPlural(locale, rewards, rewardsAvailable)}</p>`] : []}`;
}

/** Describes the points, which of them expire next, and which become usable next. */
function renderPoints({ language }: Locale, points: CardPoints): Html {
  const { balance, expiry, upcoming, debtLine } = describePoints(points, language);
  const lines = [expiry, upcoming, debtLine].filter((line) => line !== null);
  return html`<p><strong>${balance}</strong>${lines.map((line) => html`<br>${line}`)}</p>`;
}

/** Renders a QR code in black on white, with the quiet zone that scanners need. */
function renderQrCode(text: string, label: string): Html {
  const rows = encodeQR(text, "raw", { border: 2, ecc: "medium" });
  const squares = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  const size = String(rows.length);
  return html`<svg viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}h-${size}z"/><path d="${squares.join("")}"/></svg>`;
}
