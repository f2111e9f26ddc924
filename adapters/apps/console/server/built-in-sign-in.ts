import type { LoyaltyService } from "../../../../src/loyalty-service.js";
import { readForm } from "../../../http/auth/oauth/form.js";
import type { Html } from "../../../http/html-page.js";
import type { HttpRequest, HttpResponse } from "../../../http/index.js";
import { isSameOrigin } from "../../../http/request/same-origin.js";
import type { Assets } from "./assets.js";
import type { ConsoleUser } from "./console-user.js";
import { pageResponse, redirectTo } from "./page-response.js";
import { PasskeyRoutes } from "./passkeys/passkey-routes.js";
import { PasskeySignIn } from "./passkeys/passkey-sign-in.js";
import { PeopleRoutes } from "./people-routes.js";
import { PersonSignIn } from "./person-sign-in.js";
import { type SignInError, signInPage } from "./sign-in-page.js";
import { TokenSignIn } from "./token-sign-in.js";

interface OwnSignInOptions {
  readonly key?: string;
  /** The origin at which staff can sign in with passkeys. Default: passkeys are disabled. */
  readonly passkeys?: string;
  readonly onError?: (error: unknown) => void;
}

/** Signs users in to the console with an API token or a staff account. Used when the host doesn't handle sign-in itself. */
export class BuiltInSignIn {
  private readonly tokens: TokenSignIn;
  private readonly people: PersonSignIn;
  private readonly passkeys: PasskeySignIn | null;
  private readonly answers: PeopleRoutes;

  /**
   * @throws {TypeError} under the same conditions as `createConsole`.
   * @throws {PackageMissing} under the same conditions as `createConsole`.
   */
  constructor(
    loyalty: LoyaltyService,
    { key, passkeys: origin, onError = console.error }: OwnSignInOptions,
    private readonly assetsFor: (request: HttpRequest) => Assets,
  ) {
    this.tokens = new TokenSignIn(loyalty, key);
    this.people = new PersonSignIn(loyalty, onError);
    this.passkeys = origin === undefined ? null : new PasskeySignIn(loyalty, this.people, { origin, key });
    this.answers = new PeopleRoutes(
      assetsFor,
      this.people,
      this.passkeys && new PasskeyRoutes(this.passkeys, this.people),
      (request, why) => this.page(request, why),
    );
  }

  /** The origin where staff can sign in with passkeys, or `null` if passkeys are disabled. */
  get passkeyOrigin(): string | null {
    return this.passkeys?.site.origin ?? null;
  }

  async signedIn(request: HttpRequest): Promise<ConsoleUser | null> {
    return (await this.people.signedIn(request)) ?? (await this.tokens.signedIn(request));
  }

  /**
   * Handles a request below `/console/people`.
   * @param path the URL's path, including `/console/people`.
   */
  handlePeople(request: HttpRequest, path: string): Promise<HttpResponse> {
    return this.answers.handle(request, path);
  }

  async page(request: HttpRequest, why: SignInError | null): Promise<Html> {
    const asksForEmail = await this.people.asksForEmail();
    const passkeys = this.passkeys && (await this.people.hasPeople()) ? this.passkeyOrigin : null;
    return signInPage(this.assetsFor(request), request.prefix, why, { asksForEmail, passkeys });
  }

  /**
   * Starts a session with the API token from the sign-in form. The form is posted to the URL of the page that the user requested,
   * and the response redirects back to that URL.
   */
  async begin(request: HttpRequest): Promise<HttpResponse> {
    // Refuses forms from other sites, which could otherwise make a user work in someone else's organization without noticing.
    const token = (await readForm(request)).find("token")?.trim() ?? "";
    const isOwn = isSameOrigin(request);
    const begun = isOwn ? await this.tokens.signIn(token, request) : null;
    if (begun !== null && "cookie" in begun) {
      await this.people.signOut(request);
      return redirectTo(`${request.prefix}${request.url}`, { "set-cookie": begun.cookie });
    }
    if (begun !== null) {
      const answer = pageResponse(await this.page(request, "too often"), 429);
      return { ...answer, headers: { ...answer.headers, "retry-after": String(begun.waitSeconds) } };
    }
    const answer = pageResponse(await this.page(request, isOwn ? "no token" : "not our page"), 401);
    return { ...answer, headers: { ...answer.headers, "www-authenticate": "Bearer" } };
  }

  /** Ends the request's session. If `where` is `everywhere`, ends all sessions for the same token or staff member. */
  async end(request: HttpRequest, where: "here" | "everywhere"): Promise<HttpResponse> {
    const { prefix } = request;
    if (!isSameOrigin(request)) return redirectTo(`${prefix}/console`);
    const { people, tokens } = this;
    if (where === "here") await people.signOut(request);
    else await people.signOutEverywhere(request);
    const cookie = where === "here" ? await tokens.signOut(request) : await tokens.signOutEverywhere(request);
    // The browser drops the console's cached pages and responses. The till's queue stays.
    const cleared = { "clear-site-data": '"cache"' };
    return redirectTo(`${prefix}/console`, { "set-cookie": cookie, ...cleared });
  }
}
