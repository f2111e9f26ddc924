import { type Html, html } from "../http/html-page.js";
import type { HttpResponse } from "../http/index.js";
import { earned } from "./card-page.js";
import type { JoinErrors, JoinForm } from "./join-form.js";
import { filled, type Locale } from "./languages/languages.js";
import { pageAnswer } from "./page.js";

export interface JoinPage {
  /** The name of the card. */
  readonly card: string;
  /** What a full card earns, in words; `null` where that is not said. */
  readonly reward: string | null;
  /** The text that people agree to. */
  readonly consent: string;
  /** The text of the box for news; `null` for no such box. */
  readonly news: string | null;
  readonly form: JoinForm;
  readonly errors: JoinErrors;
  /** An error of the whole form. */
  readonly notice?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The form to join by, which is sent to the URL of the page. */
export function joinPage(
  locale: Locale,
  { card, reward, consent, news, form, errors, notice, ...rest }: JoinPage,
): HttpResponse {
  const { texts } = locale;
  const title = filled(texts.join, { card });
  return pageAnswer(locale, {
    ...rest,
    title,
    content: html`<h1>${title}</h1>
${earned(locale, reward)}
${notice === undefined ? [] : [html`<p class="notice" role="alert">${notice}</p>`]}
<form method="post" novalidate>
<input type="hidden" name="key" value="${form.key}">
<input type="hidden" name="language" value="${locale.language}">
${field("name", texts.name, form.name, errors.name, html`autocomplete="name" maxlength="150"`)}
${field("email", texts.email, form.email, errors.email, html`type="email" autocomplete="email" maxlength="254"`)}
${field("phone", texts.phone, form.phone, errors.phone, html`type="tel" autocomplete="tel" maxlength="20"`)}
<p class="quiet">${texts.emailOrPhone}</p>
<div>
${box("consent", "yes", consent, form.consents, errors.consent)}
${complaint("consent", errors.consent)}
</div>
${news === null ? [] : [box("news", "on", news, form.wantsNews)]}
<button>${texts.submit}</button>
</form>`,
  });
}

function field(
  name: string,
  label: string,
  value: string,
  error: string | undefined,
  attributes: Html,
): Html {
  return html`<div>
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" value="${value}" ${attributes}${invalid(name, error)}>
${complaint(name, error)}
</div>`;
}

function box(name: string, value: string, label: string, isTicked: boolean, error?: string): Html {
  return html`<div class="check">
<input id="${name}" name="${name}" value="${value}" type="checkbox"${isTicked ? [html` checked`] : []}${invalid(name, error)}>
<label for="${name}">${label}</label>
</div>`;
}

function invalid(name: string, error: string | undefined): Html[] {
  return error === undefined ? [] : [html` aria-invalid="true" aria-describedby="${name}-wrong"`];
}

function complaint(name: string, error: string | undefined): Html[] {
  return error === undefined ? [] : [html`<p class="wrong" id="${name}-wrong" role="alert">${error}</p>`];
}
