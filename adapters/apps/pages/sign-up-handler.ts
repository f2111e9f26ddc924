import { waitForLoopIteration } from "../../../src/base/concurrency/event-loop.js";
import { CoalescedCalls } from "../../../src/base/concurrency/shared-calls.js";
import { isLoyaltyError } from "../../../src/base/errors.js";
import { randomBase62 } from "../../../src/base/secrets/token-format.js";
import { bareCode } from "../../../src/base/values/short-link.js";
import type { WalletPass } from "../../../src/cards/pass-schema.js";
import type { Template } from "../../../src/cards/schema.js";
import { serviceInternals } from "../../../src/internals.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import { fillPlaceholders, findLocale, type Locale } from "../../delivery/languages/languages.js";
import { createEmptyPoints } from "../../delivery/languages/point-words.js";
import type { Texts } from "../../delivery/languages/texts.js";
import { Parameters, readForm } from "../../http/auth/oauth/form.js";
import { type Html, html } from "../../http/html-page.js";
import type { HttpRequest, HttpResponse, RateQuota } from "../../http/index.js";
import { ClientWindows } from "../../http/rate-limits/client-windows.js";
import { assertQuota, getSecondsLeft } from "../../http/rate-limits/store.js";
import { getCookie, getHeaderValue } from "../../http/request/http-message.js";
import { isSameOrigin } from "../../http/request/same-origin.js";
import { NEWS_MAILED_PARAMETER } from "./card-handler.js";
import { renderCard } from "./drawn-card.js";
import { renderNotFoundPage } from "./page.js";
import { chooseLocale, loadShop, type Shop, shopPageResponse } from "./shop.js";
import { type ExistingCustomer, findExistingCustomers, type SignUpRequest, signUp } from "./sign-up.js";
import {
  parseSignUpForm,
  type SignUpErrors,
  type SignUpForm,
  toFormErrors,
  validateForm,
} from "./sign-up-form.js";

export interface SignUpOptions {
  /**
   * Sends an existing customer the links to their cards. Called after someone has signed up with that customer's email or phone.
   * The page doesn't reveal that the customer exists. By default, the customer receives an email, provided that email is
   * configured.
   */
  readonly sendLink?: (customer: ExistingCustomer) => Promise<void> | void;
  /**
   * Returns the consent text that customers agree to by pressing the button, in the page's language. The page shows it above the
   * button. Defaults to a built-in sentence.
   */
  readonly consent?: (organizationId: string, language: string) => string;
  /**
   * Returns the label of the news and offers checkbox, in the page's language. The checkbox appears if email or wallets are
   * configured, and is initially unchecked. Defaults to a built-in sentence.
   */
  readonly news?: (organizationId: string, language: string) => string;
  /**
   * Maximum number of sign-ups from one IPv4 address or IPv6 /64 network. The limit is 10 times as high for a /48 network and 1,000
   * times as high for a /32 network. Each process counts separately. Default: 20 per hour.
   */
  readonly joinLimit?: RateQuota;
}

const KEY_LENGTH = 24;

/** Serves the sign-up page and handles submitted forms. */
export class SignUpHandler {
  private readonly windows: ClientWindows;
  /** Running sign-ups, so that a form submitted twice concurrently is handled only once. */
  private readonly signUps = new CoalescedCalls<WalletPass>();

  /** @throws {RangeError} if the sign-up limit is invalid. */
  constructor(
    private readonly loyalty: LoyaltyService,
    private readonly options: SignUpOptions,
    private readonly onError: (error: unknown) => void,
  ) {
    const joinLimit = options.joinLimit ?? { requests: 20, seconds: 3_600 };
    assertQuota(joinLimit);
    this.windows = new ClientWindows(() => serviceInternals(loyalty).now(), joinLimit);
  }

  /**
   * Responds with the sign-up form, or with a 404 page if no organization has the template.
   * @param path the page's path as browsers see it.
   */
  async serveForm(
    locale: Locale,
    templateId: string,
    request: HttpRequest,
    path: string,
  ): Promise<HttpResponse> {
    const offer = await this.loadCardOffer(request, templateId, null);
    if (offer === null) return renderNotFoundPage(locale);
    const form = parseSignUpForm(new Parameters([]), createKey);
    const code = readCardCookie(request);
    const isKnown = code !== null && (await isCardOfTemplate(this.loyalty, { ...offer, templateId }, code));
    const cookieReset = code !== null && !isKnown && { headers: buildForgetCardHeaders(request, path) };
    const { prefix } = request;
    return renderSignUpPage(offer.locale, {
      ...offer,
      ...cookieReset,
      prefix,
      rememberedCardCode: isKnown ? code : null,
      form,
      errors: {},
    });
  }

  /**
   * Handles a submitted sign-up form. If the form contains errors, responds with the form and the error messages.
   * @param path the page's path as browsers see it.
   */
  async handleForm(
    browserLocale: Locale,
    templateId: string,
    request: HttpRequest,
    path: string,
  ): Promise<HttpResponse> {
    const formFields = await readForm(request);
    if (formFields.find("forget") !== null && isSameOrigin(request)) {
      return seeOtherResponse(path, buildForgetCardHeaders(request, path));
    }
    // The consent is stored in the language in which it was shown.
    const offer = await this.loadCardOffer(request, templateId, findLocale(formFields.find("language")));
    if (offer === null) return renderNotFoundPage(browserLocale);
    const { organizationId, locale, ...page } = offer;
    const { language, texts } = locale;
    const form = parseSignUpForm(formFields, createKey);
    const renderAgain = (errors: SignUpErrors, more: Partial<SignUpPageProps>) =>
      renderSignUpPage(locale, {
        ...page,
        prefix: request.prefix,
        rememberedCardCode: null,
        form,
        errors,
        ...more,
      });
    const isFromSameOrigin = isSameOrigin(request);
    const errors = validateForm(form, texts);
    if (Object.keys(errors).length > 0 || !isFromSameOrigin)
      return renderAgain(errors, { status: isFromSameOrigin ? 422 : 403 });
    const exceededWindow = this.windows.count(request.address);
    if (exceededWindow !== null) {
      const headers = { "retry-after": String(getSecondsLeft(exceededWindow)) };
      return renderAgain({}, { status: 429, notice: texts.tooMany, headers });
    }
    const { consent } = page;
    const news = form.wantsNews ? page.news : null;
    const signUpRequest: SignUpRequest = { organizationId, templateId, form, consent, news, language };
    try {
      const pass = await this.signUps.run(JSON.stringify(signUpRequest), () =>
        this.completeSignUp(signUpRequest),
      );
      const code = bareCode(pass.qrCodeValue);
      const cookieHeader = form.remembersCard && { "set-cookie": createCardCookie(request, path, code) };
      const isNewsMailed =
        news !== null && form.email !== "" && serviceInternals(this.loyalty).channels.email;
      return seeOtherResponse(
        `${request.prefix}/c/${code}${isNewsMailed ? `?${NEWS_MAILED_PARAMETER}` : ""}`,
        {
          ...cookieHeader,
        },
      );
    } catch (error) {
      // The same form was already submitted with other content, or is being submitted now.
      if (
        isLoyaltyError(error, "idempotency_key_reused") ||
        isLoyaltyError(error, "idempotency_key_in_use")
      ) {
        return renderAgain({}, { form: { ...form, key: createKey() }, status: 409, notice: texts.failed });
      }
      return renderAgain(toFormErrors(error, texts), { status: 422 });
    }
  }

  private async completeSignUp(signUpRequest: SignUpRequest): Promise<WalletPass> {
    const pass = await signUp(this.loyalty, signUpRequest, {
      mailExistingCustomer: this.options.sendLink === undefined,
    });
    // Not awaited, so that the response time doesn't reveal an existing customer.
    void this.sendLinks(signUpRequest, pass);
    return pass;
  }

  /**
   * Loads the card and the text for the sign-up page; resolves to `null` if there is no such template.
   * @param pageLocale the language of the submitted form; `null` for a new form.
   */
  private async loadCardOffer(request: HttpRequest, templateId: string, pageLocale: Locale | null) {
    const organizationId = await serviceInternals(this.loyalty).findOrganizationByTemplate(templateId);
    if (organizationId === null) return null;
    const organization = this.loyalty.organization(organizationId);
    const [card, shop] = await Promise.all([organization.templates.get(templateId), loadShop(organization)]);
    const locale = pageLocale ?? chooseLocale(shop, request);
    const { language, texts } = locale;
    const { email, wallet } = serviceInternals(this.loyalty).channels;
    const consent =
      this.options.consent?.(organizationId, language) ??
      (email || wallet ? texts.consentWithNews : texts.consent);
    const news = email || wallet ? (this.options.news?.(organizationId, language) ?? texts.news) : null;
    return { organizationId, locale, card, shop, consent, news };
  }

  private async sendLinks(signUpRequest: SignUpRequest, pass: WalletPass): Promise<void> {
    const { sendLink } = this.options;
    if (sendLink === undefined) return;
    await waitForLoopIteration();
    try {
      for (const customer of await findExistingCustomers(this.loyalty, signUpRequest, pass))
        await sendLink(customer);
    } catch (error) {
      this.onError(error);
    }
  }
}

function seeOtherResponse(location: string, headers: Readonly<Record<string, string>>): HttpResponse {
  return { status: 303, headers: { location, "cache-control": "no-store", ...headers }, body: null };
}

function buildForgetCardHeaders(request: HttpRequest, path: string): Readonly<Record<string, string>> {
  return { "set-cookie": createCardCookie(request, path, null) };
}

function createKey(): string {
  return randomBase62(KEY_LENGTH);
}

const CARD_COOKIE = "loyalty-card";
const YEAR_SECONDS = 31_536_000;

/** Returns the card code stored in the browser's cookie, or `null` if it is missing or malformed. */
function readCardCookie({ headers }: HttpRequest): string | null {
  const code = getCookie(headers, CARD_COOKIE);
  return code !== null && /^[0-9A-Za-z]{12}$/.test(code) ? code : null;
}

/**
 * Creates a `Set-Cookie` value that stores a card's code for a year. Browsers send the cookie only to the sign-up page at `path`,
 * and scripts can't read it.
 * @param path the sign-up page's path as the browser sees it.
 * @param code the card's code, or `null` to delete the cookie.
 */
function createCardCookie({ headers }: HttpRequest, path: string, code: string | null): string {
  const isHttps = getHeaderValue(headers, "origin")?.startsWith("https:") ?? false;
  const maxAge = code === null ? "; Max-Age=0" : `; Max-Age=${YEAR_SECONDS}`;
  return `${CARD_COOKIE}=${code ?? ""}; Path=${path}${maxAge}${isHttps ? "; Secure" : ""}; HttpOnly; SameSite=Lax`;
}

/** Returns whether the code still belongs to a card that was issued from the template. */
async function isCardOfTemplate(
  loyalty: LoyaltyService,
  { organizationId, templateId }: { readonly organizationId: string; readonly templateId: string },
  code: string,
): Promise<boolean> {
  if ((await serviceInternals(loyalty).findOrganizationByCode(code)) !== organizationId) return false;
  try {
    const pass = await loyalty.organization(organizationId).passes.lookup(code);
    return pass.templateId === templateId;
  } catch (error) {
    if (isLoyaltyError(error, "resource_not_found")) return false;
    throw error;
  }
}

interface SignUpPageProps {
  /** The template that the customer's card will be issued from. */
  readonly card: Template;
  readonly shop: Shop;
  /** The path prefix under which the pages are mounted. */
  readonly prefix: string;
  /** The code of the card that the customer's phone remembers, or `null` if it doesn't remember one. */
  readonly rememberedCardCode: string | null;
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
function renderSignUpPage(
  locale: Locale,
  { card, shop, prefix, rememberedCardCode, consent, news, form, errors, notice, ...rest }: SignUpPageProps,
): HttpResponse {
  const { texts } = locale;
  const title = fillPlaceholders(texts.join, { card: card.name });
  const counts = { stamps: createEmptyCard(card), points: createEmptyPoints(card.points) };
  const hasOptions = form.name !== "" || form.remembersCard;
  const look = { shop, card, prefix };
  return shopPageResponse(locale, look, {
    ...rest,
    title,
    content: html`${renderCard(locale, card, counts, prefix)}
${rememberedCardCode === null ? [] : [renderRememberedCard(texts, `${prefix}/c/${rememberedCardCode}`)]}
${notice === undefined ? [] : [html`<p class="notice" role="alert">${notice}</p>`]}
<form method="post" novalidate>
<input type="hidden" name="key" value="${form.key}">
<input type="hidden" name="language" value="${locale.language}">
${renderField({ name: "contact", label: texts.contact, value: form.contact, error: errors.contact }, html`inputmode="email" autocomplete="email" autocapitalize="off" spellcheck="false" maxlength="254" required`)}
${news === null ? [] : [renderCheckbox("news", news, form.wantsNews)]}
<details${hasOptions ? [html` open`] : []}>
<summary>${texts.moreOptions}</summary>
${renderField({ name: "name", label: texts.name, value: form.name, error: errors.name }, html`autocomplete="name" maxlength="150"`)}
${renderCheckbox("remember", texts.remember, form.remembersCard)}
</details>
<p class="quiet">${consent}</p>
<button>${texts.submit}</button>
</form>`,
  });
}

function createEmptyCard({ maxStamps }: Template) {
  return maxStamps === null ? null : { maxStamps, currentStamps: 0, rewardsAvailable: 0 };
}

/** Renders a link to the card that the phone remembers, without revealing anything about the card. */
function renderRememberedCard(texts: Texts, href: string): Html {
  return html`<section class="known">
<p>${texts.known}</p>
<a class="button" href="${href}">${texts.openCard}</a>
<form method="post"><button class="plain" name="forget" value="on">${texts.forgetCard}</button></form>
<p>${texts.orAnother}</p>
</section>`;
}

interface TextField {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly error: string | undefined;
}

function renderField({ name, label, value, error }: TextField, attributes: Html): Html {
  return html`<div>
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" value="${value}" ${attributes}${renderInvalid(name, error)}>
${renderError(name, error)}
</div>`;
}

function renderCheckbox(name: string, label: string, isChecked: boolean): Html {
  return html`<div class="check">
<input id="${name}" name="${name}" value="on" type="checkbox"${isChecked ? [html` checked`] : []}>
<label for="${name}">${label}</label>
</div>`;
}

function renderInvalid(name: string, error: string | undefined): Html[] {
  return error === undefined ? [] : [html` aria-invalid="true" aria-describedby="${name}-wrong"`];
}

function renderError(name: string, error: string | undefined): Html[] {
  return error === undefined ? [] : [html`<p class="wrong" id="${name}-wrong" role="alert">${error}</p>`];
}
