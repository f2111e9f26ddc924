import { createLoyaltyError } from "../../../../src/base/errors.js";
import type { SignInLinkHolder } from "../../../../src/people/sign-ins.js";
import { readForm } from "../../../http/auth/oauth/form.js";
import { errorResponse } from "../../../http/error-response.js";
import { type Html, html } from "../../../http/html-page.js";
import type { HttpRequest, HttpResponse } from "../../../http/index.js";
import { isSameOrigin } from "../../../http/request/same-origin.js";
import type { Assets } from "./assets.js";
import {
  type ByMethod,
  handleByMethod,
  jsonResponse,
  pageResponse,
  redirectTo,
  securityHeaders,
} from "./page-response.js";
import type { PasskeyRoutes } from "./passkeys/passkey-routes.js";
import type { PersonSignIn, RequestOutcome } from "./person-sign-in.js";
import { isSameOriginCall } from "./same-origin.js";
import { type SignInError, signInFrame } from "./sign-in-page.js";
import { wordsIn } from "./words/words.js";

const LINK = "/console/people/link/";
const OWN_SESSION = "/console/people/me/sessions/";

/** Handles requests below `/console/people`, where staff sign in and manage their own accounts. */
export class PeopleRoutes {
  /** @param passkeys the handler for passkeys, or `null` if passkeys are disabled. */
  constructor(
    private readonly assetsFor: (request: HttpRequest) => Assets,
    private readonly people: PersonSignIn,
    private readonly passkeys: PasskeyRoutes | null,
    private readonly signInPage: (request: HttpRequest, why: SignInError) => Promise<Html>,
  ) {}

  async handle(request: HttpRequest, path: string): Promise<HttpResponse> {
    const served = this.servedAt(request, path) ?? this.passkeys?.servedAt(request, path) ?? null;
    return served === null
      ? errorResponse(createLoyaltyError("resource_not_found"), securityHeaders)
      : handleByMethod(request, served);
  }

  private servedAt(request: HttpRequest, path: string): ByMethod | null {
    if (path === "/console/people/link") {
      return {
        GET: () => redirectTo(`${request.prefix}/console`),
        POST: () => this.sendLink(request),
      };
    }
    if (path.startsWith(LINK)) {
      const token = path.slice(LINK.length);
      return {
        GET: () => this.withLinkLimit(request, () => this.openLink(request, token)),
        POST: () => this.withLinkLimit(request, () => this.useLink(request, token)),
      };
    }
    if (path === "/console/people/me") return { GET: () => this.own(request) };
    if (!path.startsWith(OWN_SESSION)) return null;
    return { DELETE: () => this.endOwn(request, path.slice(OWN_SESSION.length)) };
  }

  private async sendLink(request: HttpRequest): Promise<HttpResponse> {
    const email = (await readForm(request)).find("email")?.trim() ?? "";
    if (!isSameOrigin(request)) return this.signInAgain(request, "not our page", 401);
    const mailRequest = this.people.requestLink(email, request);
    if (!mailRequest.isDone)
      return tooOften(await this.signInAgain(request, "too many mails", 429), mailRequest);
    return pageResponse(linkSentPage(this.assetsFor(request), request.prefix));
  }

  /** Counts requests to sign-in links against the client's limit. */
  private async withLinkLimit(
    request: HttpRequest,
    work: () => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    const linkView = this.people.countLinkView(request);
    return linkView.isDone
      ? work()
      : tooOften(await this.signInAgain(request, "too many mails", 429), linkView);
  }

  /** Shows a sign-in link's page without using the link up. Only the page's button does that, because mail scanners open links. */
  private async openLink(request: HttpRequest, token: string): Promise<HttpResponse> {
    const { prefix } = request;
    const opened = await this.people.open(token);
    if (opened === null) return pageResponse(linkOverPage(this.assetsFor(request), prefix), 410);
    return pageResponse(linkPage(this.assetsFor(request), prefix, opened));
  }

  private async useLink(request: HttpRequest, token: string): Promise<HttpResponse> {
    const { prefix } = request;
    const isLong = (await readForm(request)).find("stay") === "on";
    // Refuses forms from other sites, which could otherwise make a staff member work in someone else's organization.
    if (!isSameOrigin(request)) return this.signInAgain(request, "not our page", 401);
    const cookie = await this.people.begin(token, isLong, request);
    if (cookie === null) return pageResponse(linkOverPage(this.assetsFor(request), prefix), 410);
    return redirectTo(`${prefix}/console`, { "set-cookie": cookie });
  }

  private async own(request: HttpRequest): Promise<HttpResponse> {
    if (!isSameOriginCall(request)) return unauthorized;
    const own = await this.people.own(request);
    return own === null ? unauthorized : jsonResponse(own);
  }

  private async endOwn(request: HttpRequest, sessionId: string): Promise<HttpResponse> {
    if (!isSameOriginCall(request) || (await this.people.signedIn(request)) === null) return unauthorized;
    if (!(await this.people.endOwn(sessionId, request)))
      return errorResponse(createLoyaltyError("resource_not_found"), securityHeaders);
    return { status: 204, headers: securityHeaders, body: null };
  }

  private async signInAgain(
    request: HttpRequest,
    why: "not our page" | "too many mails",
    status: number,
  ): Promise<HttpResponse> {
    return pageResponse(await this.signInPage(request, why), status);
  }
}

const unauthorized = errorResponse(createLoyaltyError("unauthorized"), securityHeaders);

function tooOften(
  answer: HttpResponse,
  { waitSeconds }: Extract<RequestOutcome, { isDone: false }>,
): HttpResponse {
  return { ...answer, headers: { ...answer.headers, "retry-after": String(waitSeconds) } };
}

/**
 * Returns the page that confirms the request for a sign-in link. The page is the same for known and unknown addresses so that it
 * doesn't reveal which addresses belong to staff members.
 */
function linkSentPage(assets: Assets, prefix: string): Html {
  const { sent } = wordsIn[assets.language];
  const content = html`<h1>${sent.title}</h1>
<p>${sent.text}</p>
<p class="quiet">${sent.nothing} <a href="${prefix}/console">${sent.again}</a></p>`;
  return signInFrame(assets, prefix, sent.title, content);
}

/**
 * Returns the page that a sign-in link opens. The user must click a button on the page to sign in, because mail scanners open links
 * but don't click buttons.
 */
function linkPage(assets: Assets, prefix: string, { email, shop }: SignInLinkHolder): Html {
  const { signIn, link } = wordsIn[assets.language];
  const content = html`<h1>${signIn}</h1>
<dl class="facts">
${
  shop === null
    ? []
    : [
        html`<div><dt>${link.shop}</dt><dd><bdi>${shop}</bdi></dd></div>
`,
      ]
}<div><dt>${link.you}</dt><dd><bdi>${email}</bdi></dd></div>
</dl>
<form method="post">
<label class="check"><input type="checkbox" name="stay"><span>${link.stay}<br><span class="hint">${link.stayHint}</span></span></label>
<button class="button primary">${signIn}</button>
</form>`;
  return signInFrame(assets, prefix, signIn, content);
}

/** Returns the page for a sign-in link that is no longer valid because it was used, expired, or was replaced by a newer link. */
function linkOverPage(assets: Assets, prefix: string): Html {
  const { over } = wordsIn[assets.language];
  const content = html`<h1>${over.title}</h1>
<p>${over.text}</p>
<p><a class="button" href="${prefix}/console">${over.again}</a></p>`;
  return signInFrame(assets, prefix, over.title, content);
}
