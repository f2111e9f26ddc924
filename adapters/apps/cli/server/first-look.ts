import { createLoyaltyError } from "../../../../src/base/errors.js";
import { scopes } from "../../../../src/base/scopes.js";
import { isSameSecret, randomBase62 } from "../../../../src/base/secrets/token-format.js";
import type { LoyaltyService } from "../../../../src/loyalty-service.js";
import { negotiateLocale } from "../../../delivery/languages/languages.js";
import { errorResponse, methodNotAllowedResponse } from "../../../http/error-response.js";
import { HtmlLayout, html } from "../../../http/html-page.js";
import type { HttpExtension, HttpResponse } from "../../../http/index.js";
import { getHeaderValue, type HttpRequest, splitUrl } from "../../../http/request/http-message.js";
import { isSameOrigin } from "../../../http/request/same-origin.js";
import type { ConsoleLink } from "../../console/index.js";
import { style } from "../../pages/style.js";
import { DEMO_ORGANIZATION_ID } from "./demo.js";
import { type FirstLookTexts, getFirstLookTexts } from "./first-look-texts.js";

const KEY_LENGTH = 24;

/** Organization that starts out empty. */
const EMPTY_ORGANIZATION = "shop";

const layout = new HtmlLayout(`${style}
main { max-width: 34rem; }
ol { margin: 1.5rem 0; padding: 0; list-style: none; display: grid; gap: .75rem; }
ol li { padding: 1rem; border-radius: .75rem; background: #fff; }
h2 { margin: 0 0 .25rem; font-size: 1rem; }
li p { margin: 0 0 .5rem; }
li a { display: inline-block; padding: .375rem 0; font-weight: 600; }
form + form { margin-top: 1rem; }
form p { margin: 0; }
code { font: 600 1rem/1.5 ui-monospace, monospace; }
@media (prefers-color-scheme: dark) { ol li { background: #1b1f27; } }
`);

/** The shop that the first look shows. */
interface Shop {
  readonly loyalty: LoyaltyService;
  /** Token with which the first step signs in to the shop. */
  readonly token: string;
  /** Template whose sign-up page is shown. */
  readonly templateId: string;
}

interface Page {
  readonly language: string;
  readonly texts: FirstLookTexts;
  readonly prefix: string;
}

/** A guided tour of the demo's shop in five steps. While the tour is open, anyone who has its URL can view the steps. */
export class FirstLook {
  readonly http: HttpExtension = {
    paths: ["/demo/first-look/*"],
    handle: (request) => this.handle(request),
  };
  private readonly key = randomBase62(KEY_LENGTH);
  /**
   * Returns whether a signed-in user has all scopes for one of the demo's organizations. Only these users see the demo's links,
   * because the links give access to all of the demo's emails and to a token with all scopes.
   */
  readonly isOwner: NonNullable<ConsoleLink["isShownTo"]> = ({ organizationId, scopes: granted = scopes }) =>
    this.organizations.has(organizationId) && scopes.every((scope) => granted.includes(scope));
  private readonly organizations = new Set([DEMO_ORGANIZATION_ID]);
  private readonly link: ConsoleLink = {
    text: "First look",
    url: `/demo/first-look/${this.key}`,
    isShownTo: this.isOwner,
  };
  private shop: Shop | null = null;

  /**
   * @param links the console's links. A link to the first look is added to this array when the first look opens, and removed when
   *   it closes.
   */
  constructor(private readonly links: ConsoleLink[]) {}

  /**
   * Opens the first look and adds its link to the console.
   * @returns the path of the first look's page.
   */
  open(shop: Shop): string {
    this.shop = shop;
    this.links.unshift(this.link);
    return this.link.url;
  }

  private async handle(request: HttpRequest): Promise<HttpResponse> {
    const { method, prefix, headers, url } = request;
    const [, , , key = "", action = "", ...extraSegments] = splitUrl(url).path.split("/");
    const { shop } = this;
    if (shop === null || !isSameSecret(key, this.key) || extraSegments.length > 0)
      return errorResponse(createLoyaltyError("resource_not_found"));
    const { language } = negotiateLocale(getHeaderValue(headers, "accept-language"));
    const page = { language, texts: getFirstLookTexts(language), prefix };
    if (action === "" && (method === "GET" || method === "HEAD")) return this.renderStepsPage(shop, page);
    if (action === "") return methodNotAllowedResponse(["GET"]);
    if (action !== "close" && action !== "empty")
      return errorResponse(createLoyaltyError("resource_not_found"));
    if (method !== "POST") return methodNotAllowedResponse(["POST"]);
    if (!isSameOrigin(request)) return errorResponse(createLoyaltyError("resource_not_found"));
    return action === "close" ? this.close(prefix) : this.renderEmptyShop(shop, page);
  }

  private close(prefix: string): HttpResponse {
    this.shop = null;
    this.links.splice(this.links.indexOf(this.link), 1);
    return { status: 303, headers: { location: `${prefix}/console` }, body: null };
  }

  private async renderEmptyShop({ loyalty }: Shop, page: Page): Promise<HttpResponse> {
    this.organizations.add(EMPTY_ORGANIZATION);
    const { apiTokens } = loyalty.organization(EMPTY_ORGANIZATION);
    const { token } = await apiTokens.create({ name: "first look", scopes: [...scopes] });
    const { texts, prefix } = page;
    return renderPage(
      page,
      texts.emptied,
      html`<h1>${texts.emptied}</h1>
<p>${texts.emptiedText}</p>
<p><code>${token}</code></p>
${renderSignInForm(prefix, token, texts.open)}
<p><a href="${prefix}${this.link.url}">${texts.back}</a></p>`,
    );
  }

  private renderStepsPage({ token, templateId }: Shop, page: Page): HttpResponse {
    const { texts, prefix } = page;
    const [overview, ...otherSteps] = texts.steps;
    // Customers' pages have no way back to the tour, so they open beside it.
    const newTabAttributes = html` target="_blank" rel="noopener"`;
    const urls = [`join/${templateId}`, "console/till", "console/segments", "console/messages"];
    const base = `${prefix}${this.link.url}`;
    return renderPage(
      page,
      texts.title,
      html`<h1>${texts.title}</h1>
<p>${texts.intro}</p>
<ol>
<li><h2>1. ${overview.title}</h2><p>${overview.text}</p>${renderSignInForm(prefix, token, texts.go)}</li>
${otherSteps.map(
  ({ title, text }, index) =>
    html`<li><h2>${String(index + 2)}. ${title}</h2><p>${text}</p><a href="${prefix}/${urls[index] ?? "console"}" aria-label="${texts.go}: ${title}"${index === 0 ? [newTabAttributes] : []}>${texts.go}</a></li>
`,
)}</ol>
<form method="post" action="${base}/empty"><p>${texts.emptyText}</p><button>${texts.empty}</button></form>
<form method="post" action="${base}/close"><button class="plain">${texts.close}</button></form>
<p><a href="${prefix}/console">${texts.toConsole}</a></p>`,
    );
  }
}

function renderSignInForm(prefix: string, token: string, text: string) {
  return html`<form method="post" action="${prefix}/console"><input type="hidden" name="token" value="${token}"><button>${text}</button></form>`;
}

function renderPage({ language }: Page, title: string, content: ReturnType<typeof html>): HttpResponse {
  const headers = { vary: "accept-language", "x-robots-tag": "noindex" };
  return layout.renderResponse(
    { title, content, headers, formAction: "'self'" },
    { language, direction: "ltr" },
  );
}
