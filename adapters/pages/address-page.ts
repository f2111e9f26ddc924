import { type Html, html } from "../http/html-page.js";
import type { HttpResponse } from "../http/index.js";
import type { Locale } from "./languages/languages.js";
import { pageResponse } from "./page.js";

/** The answers that a customer may give about their email address after following an emailed link. */
export interface AddressChoices {
  /** The URL that the forms post to. */
  readonly action: string;
  /** The code of the card that the forms are shown with; `null` if there is no card. */
  readonly code: string | null;
  readonly mayConfirm: boolean;
  readonly mayRefuse: boolean;
}

/** Renders the forms that confirm or refuse the address, placed below the card. Empty if there is nothing left to answer. */
export function addressForms({ texts }: Locale, choices: AddressChoices): Html[] {
  const { action, code, mayConfirm, mayRefuse } = choices;
  const hidden = (name: string, value: string) => html`<input type="hidden" name="${name}" value="${value}">`;
  const kept = code === null ? [] : [hidden("code", code)];
  const form = (answer: string, label: string) =>
    html`<form method="post" action="${action}">${kept}${hidden("answer", answer)}<button class="plain">${label}</button></form>\n`;
  const forms = [
    ...(mayConfirm ? [form("confirm", texts.myAddress)] : []),
    ...(mayRefuse ? [form("refuse", texts.writeNoMore)] : []),
  ];
  return forms.length === 0
    ? []
    : [html`<section class="address">\n<p class="quiet">${texts.cameByMail}</p>\n${forms}</section>`];
}

/** Renders the page behind the link itself, for visitors who haven't submitted an answer yet. */
export function addressPage(locale: Locale, choices: AddressChoices): HttpResponse {
  const { texts } = locale;
  return pageResponse(locale, {
    title: texts.yourAddress,
    content: html`<h1>${texts.yourAddress}</h1>
${addressForms(locale, choices)}`,
  });
}

/**
 * Renders the page that confirms a submitted answer.
 * @param card the card's URL; `null` if the card is unknown.
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
