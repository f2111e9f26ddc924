import type { Locale } from "../../delivery/languages/languages.js";
import { type Html, html } from "../../http/html-page.js";
import type { HttpResponse } from "../../http/index.js";
import { pageResponse } from "./page.js";

/** The choices to offer a customer who followed an emailed link: confirming or rejecting the email address. */
export interface AddressChoices {
  /** The URL that the forms post to. */
  readonly action: string;
  /** The code of the card whose page contains the forms, or `null` if the forms aren't on a card page. */
  readonly code: string | null;
  readonly mayConfirm: boolean;
  readonly mayRefuse: boolean;
}

/** Renders the forms for confirming or rejecting the customer's email address. Returns an empty array if neither is possible. */
export function addressForms({ texts }: Locale, choices: AddressChoices): Html[] {
  const { action, code, mayConfirm, mayRefuse } = choices;
  const renderHidden = (name: string, value: string) =>
    html`<input type="hidden" name="${name}" value="${value}">`;
  const hiddenFields = code === null ? [] : [renderHidden("code", code)];
  const renderForm = (answer: string, label: string) =>
    html`<form method="post" action="${action}">${hiddenFields}${renderHidden("answer", answer)}<button class="plain">${label}</button></form>\n`;
  const forms = [
    ...(mayConfirm ? [renderForm("confirm", texts.myAddress)] : []),
    ...(mayRefuse ? [renderForm("refuse", texts.writeNoMore)] : []),
  ];
  return forms.length === 0
    ? []
    : [html`<section class="address">\n<p class="quiet">${texts.cameByMail}</p>\n${forms}</section>`];
}

/**
 * Renders the page where a visitor confirms or rejects an email address. The page is opened from the confirmation link in an email.
 */
export function addressPage(locale: Locale, choices: AddressChoices): HttpResponse {
  const { texts } = locale;
  return pageResponse(locale, {
    title: texts.yourAddress,
    content: html`<h1>${texts.yourAddress}</h1>
${addressForms(locale, choices)}`,
  });
}

/**
 * Renders the page that a customer sees after confirming or rejecting their address.
 * @param card the URL of the card page to link to, or `null` for no link.
 */
export function confirmationPage(
  locale: Locale,
  answer: "confirm" | "refuse",
  card: string | null,
): HttpResponse {
  const { texts } = locale;
  const { title, text } = texts.answered[answer];
  return pageResponse(locale, {
    title,
    content: html`<h1>${title}</h1>
<p>${text}</p>
${card === null ? [] : [html`<p><a href="${card}">${texts.toCard}</a></p>`]}`,
  });
}
