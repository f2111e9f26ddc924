import { isolateBidi } from "../../../src/base/values/display-text.js";
import { fillPlaceholders, type Locale } from "../../delivery/languages/languages.js";
import { type Html, html } from "../../http/html-page.js";
import type { HttpResponse } from "../../http/index.js";
import { type ShopLook, shopPageResponse } from "./shop.js";

/** The choices to offer a customer who followed an emailed link: confirming or rejecting the email address, and the news. */
export interface AddressChoices {
  /** The URL that the forms post to. */
  readonly action: string;
  /** The code of the card whose page contains the forms, or `null` if the forms aren't on a card page. */
  readonly code: string | null;
  readonly mayConfirm: boolean;
  /** Whether confirming the address also confirms news by email, which the customer asked for when signing up. */
  readonly isNewsPending: boolean;
  readonly mayRefuse: boolean;
}

/** Renders the form that confirms the news a customer asked for. Returns an empty array if there is nothing to confirm. */
export function renderNewsForm({ texts }: Locale, choices: AddressChoices): Html[] {
  if (!choices.mayConfirm || !choices.isNewsPending) return [];
  const button = html`<button>${texts.sendNews}</button>`;
  return [
    html`<section class="news">\n<p>${texts.newsAsked}</p>\n${renderForm(choices, "confirm", button)}</section>\n`,
  ];
}

/**
 * Renders the forms for confirming or rejecting the customer's email address, without what {@link renderNewsForm} renders. Returns an
 * empty array if neither is possible.
 */
export function renderAddressForms({ texts }: Locale, choices: AddressChoices): Html[] {
  const { mayConfirm, isNewsPending, mayRefuse } = choices;
  const forms = [
    ...(mayConfirm && !isNewsPending
      ? [renderForm(choices, "confirm", html`<button class="plain">${texts.myAddress}</button>`)]
      : []),
    ...(mayRefuse
      ? [renderForm(choices, "refuse", html`<button class="plain">${texts.writeNoMore}</button>`)]
      : []),
  ];
  return forms.length === 0
    ? []
    : [html`<section class="address">\n<p class="quiet">${texts.cameByMail}</p>\n${forms}</section>`];
}

function renderForm({ action, code }: AddressChoices, answer: "confirm" | "refuse", button: Html): Html {
  const renderHidden = (name: string, value: string) =>
    html`<input type="hidden" name="${name}" value="${value}">`;
  const hiddenFields = code === null ? [] : [renderHidden("code", code)];
  return html`<form method="post" action="${action}">${hiddenFields}${renderHidden("answer", answer)}${button}</form>\n`;
}

/**
 * Renders the page where a visitor confirms or rejects an email address. The page is opened from the confirmation link in an email.
 */
export function renderAddressPage(locale: Locale, look: ShopLook, choices: AddressChoices): HttpResponse {
  return shopPageResponse(locale, look, {
    title: locale.texts.yourAddress,
    content: html`${renderAddressForms(locale, choices)}`,
  });
}

interface Confirmation {
  readonly answer: "confirm" | "refuse";
  /** Whether the customer gets news by email from now on. */
  readonly getsNews: boolean;
  /** The URL of the card page to link to, or `null` for no link. */
  readonly card: string | null;
}

/** Renders the page that a customer sees after confirming or rejecting their address. */
export function renderConfirmationPage(
  locale: Locale,
  look: ShopLook,
  { answer, getsNews, card }: Confirmation,
): HttpResponse {
  const { texts } = locale;
  const { title, text } = texts.answered[answer];
  const shop = look.shop.name;
  const news =
    shop === null ? texts.newsComes : fillPlaceholders(texts.newsComesFrom, { shop: isolateBidi(shop) });
  return shopPageResponse(locale, look, {
    title,
    content: html`<p>${text}</p>
${getsNews ? [html`<p>${news}</p>`] : []}
${card === null ? [] : [html`<p><a href="${card}">${texts.toCard}</a></p>`]}`,
  });
}
