import { type Html, html } from "../http/html-page.js";
import type { HttpResponse } from "../http/index.js";
import type { Locale } from "./languages/languages.js";
import { pageResponse } from "./page.js";

/** The answers about an address that its owner may give who came by the link of a mail. */
export interface AddressChoices {
  /** The URL that the forms are sent to. */
  readonly action: string;
  /** The code of the card that they are shown with; `null` for none. */
  readonly code: string | null;
  readonly mayConfirm: boolean;
  readonly mayRefuse: boolean;
}

/** Two forms that stand back behind the card; nothing where there is nothing left to be said. */
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

/** The page of the link itself, for who comes to it other than by a form. */
export function addressPage(locale: Locale, choices: AddressChoices): HttpResponse {
  const { texts } = locale;
  return pageResponse(locale, {
    title: texts.yourAddress,
    content: html`<h1>${texts.yourAddress}</h1>
${addressForms(locale, choices)}`,
  });
}

/** @param card the URL of the card; `null` if unknown. */
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
