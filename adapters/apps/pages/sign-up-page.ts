import type { Template } from "../../../src/cards/schema.js";
import { filled, type Locale } from "../../delivery/languages/languages.js";
import type { Texts } from "../../delivery/languages/texts.js";
import { type Html, html } from "../../http/html-page.js";
import type { HttpResponse } from "../../http/index.js";
import { pictureSource, renderCard } from "./drawn-card.js";
import { pageResponse } from "./page.js";
import { buildIconUrl, renderShopHeader, type Shop } from "./shop.js";
import type { SignUpErrors, SignUpForm } from "./sign-up-form.js";

export interface SignUpPage {
  /** The template that the customer's card will be issued from. */
  readonly card: Template;
  readonly shop: Shop;
  /** The path prefix under which the pages are mounted. */
  readonly prefix: string;
  /** The code of the card that the customer's phone remembers, or `null` if it doesn't remember one. */
  readonly known: string | null;
  readonly consent: string;
  /** The label for the checkbox for news and offers, or `null` to omit the checkbox. */
  readonly news: string | null;
  readonly form: SignUpForm;
  readonly errors: SignUpErrors;
  /** An error message about the form as a whole, shown in addition to the fields' error messages. */
  readonly notice?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Renders the sign-up form. The form posts to the page's URL. */
export function signUpPage(
  locale: Locale,
  { card, shop, prefix, known, consent, news, form, errors, notice, ...rest }: SignUpPage,
): HttpResponse {
  const { texts } = locale;
  const title = filled(texts.join, { card: card.name });
  return pageResponse(locale, {
    ...rest,
    title,
    pictures: pictureSource,
    icon: buildIconUrl(shop, card, prefix),
    content: html`${renderShopHeader(shop, prefix)}
<h1>${title}</h1>
${renderCard(locale, card, emptyCard(card), prefix)}
${known === null ? [] : [ownCard(texts, `${prefix}/c/${known}`)]}
${notice === undefined ? [] : [html`<p class="notice" role="alert">${notice}</p>`]}
<form method="post" novalidate>
<input type="hidden" name="key" value="${form.key}">
<input type="hidden" name="language" value="${locale.language}">
${field("name", texts.name, form.name, errors.name, html`autocomplete="name" maxlength="150"`)}
${field("email", texts.email, form.email, errors.email, html`type="email" autocomplete="email" maxlength="254"`)}
${field("phone", texts.phone, form.phone, errors.phone, html`type="tel" autocomplete="tel" maxlength="60"`)}
<p class="quiet">${texts.emailOrPhone}</p>
<div>
${box("consent", "yes", consent, form.consents, errors.consent)}
${complaint("consent", errors.consent)}
</div>
${news === null ? [] : [box("news", "on", news, form.wantsNews)]}
${box("remember", "on", texts.remember, form.remembers)}
<button>${texts.submit}</button>
</form>`,
  });
}

function emptyCard({ maxStamps }: Template) {
  return maxStamps === null ? null : { maxStamps, currentStamps: 0, rewardsAvailable: 0 };
}

/** Renders a link to the card that the phone remembers, without revealing anything about the card. */
function ownCard(texts: Texts, href: string): Html {
  return html`<section class="known">
<p>${texts.known}</p>
<a class="button" href="${href}">${texts.openCard}</a>
<form method="post"><button class="plain" name="forget" value="on">${texts.forgetCard}</button></form>
<p>${texts.orAnother}</p>
</section>`;
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
