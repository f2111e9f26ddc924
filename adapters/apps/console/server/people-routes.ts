import { createLoyaltyError } from "../../../../src/base/errors.js";
import { readForm } from "../../../http/auth/oauth/form.js";
import { errorResponse } from "../../../http/error-response.js";
import type { Html } from "../../../http/html-page.js";
import type { HttpRequest, HttpResponse } from "../../../http/index.js";
import { isSameOrigin } from "../../../http/request/same-origin.js";
import type { Assets } from "./assets.js";
import { type ByMethod, handleByMethod } from "./by-method.js";
import { linkOverPage, linkPage, linkSentPage } from "./link-pages.js";
import { jsonResponse, pageResponse, redirectTo, securityHeaders } from "./page-response.js";
import type { PasskeyRoutes } from "./passkeys/passkey-routes.js";
import type { PersonSignIn, RequestOutcome } from "./person-sign-in.js";
import { isSameOriginCall } from "./same-origin.js";
import type { SignInError } from "./sign-in-page.js";

const LINK = "/console/people/link/";
const OWN_SESSION = "/console/people/me/sessions/";

/** Handles requests below `/console/people`, for staff who sign in and manage their own accounts. */
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
    const asked = this.people.requestLink(email, request);
    if (!asked.isDone) return tooOften(await this.signInAgain(request, "too many mails", 429), asked);
    return pageResponse(linkSentPage(this.assetsFor(request), request.prefix));
  }

  /** Counts requests to sign-in links against the client's limit. */
  private async withLinkLimit(
    request: HttpRequest,
    work: () => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    const asked = this.people.countLinkView(request);
    return asked.isDone ? work() : tooOften(await this.signInAgain(request, "too many mails", 429), asked);
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
