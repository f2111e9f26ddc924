import { hashOfToken, prefixOfToken } from "../../../../src/base/secrets/token-format.js";
import { serviceInternals } from "../../../../src/internals.js";
import type { LoyaltyService } from "../../../../src/loyalty-service.js";
import { readForm } from "../../../http/auth/oauth/form.js";
import type { Html } from "../../../http/html-page.js";
import type { HttpRequest, HttpResponse } from "../../../http/index.js";
import { FixedWindows } from "../../../http/rate-limits/fixed-windows.js";
import { getSecondsLeft } from "../../../http/rate-limits/store.js";
import { isSameOrigin } from "../../../http/request/same-origin.js";
import type { Assets } from "./assets.js";
import type { CredentialedUser } from "./console-user.js";
import { pageResponse, redirectTo } from "./page-response.js";
import { PasskeyRoutes } from "./passkeys/passkey-routes.js";
import { PasskeySignIn } from "./passkeys/passkey-sign-in.js";
import { PeopleRoutes } from "./people-routes.js";
import { PersonSignIn } from "./person-sign-in.js";
import { NAME, sessionCookie, sessionIn } from "./session-cookie.js";
import { type SignInError, signInPage } from "./sign-in-page.js";
import { TokenCookie } from "./token-cookie.js";

const SESSION_SECONDS = 12 * 60 * 60;

/** Maximum number of sessions that one token may start per hour in this process. Ending a session early may store a row. */
const MAX_BEGUN = 100;

const BEGUN_SECONDS = 3_600;

/** Maximum number of tokens that are counted separately. */
const MAX_WINDOWS = 10_000;

/** The new session's cookie. If the token has started too many sessions, the number of seconds to wait before signing in again. */
type SignInOutcome = { readonly cookie: string } | { readonly waitSeconds: number };

/** A session and the user that its token signed in. */
interface TokenUserSession {
  readonly id: string;
  readonly user: CredentialedUser & { readonly actorId: string };
}

/** Signs users in to the console with an API token of their organization, for hosts that have no user accounts of their own. */
class TokenSignIn {
  private readonly cookie: TokenCookie;
  private readonly begun: FixedWindows;

  /** @param key a secret shared by all processes. If it is `undefined`, a session is valid only in the process that started it. */
  constructor(
    private readonly loyalty: LoyaltyService,
    key: string | undefined,
  ) {
    this.cookie = new TokenCookie(loyalty, { name: NAME, seconds: SESSION_SECONDS, key });
    this.begun = new FixedWindows(() => serviceInternals(loyalty).now(), MAX_WINDOWS);
  }

  /**
   * Resolves to the signed-in user, or to `null` if no user is signed in. Verifies the token on each call, so the session ends when
   * the token expires or is revoked.
   */
  async signedIn(request: HttpRequest): Promise<CredentialedUser | null> {
    return (await this.session(request))?.user ?? null;
  }

  /**
   * Starts a session with an API token. Resolves to the session's cookie or the number of seconds to wait, or to `null` if the
   * token is invalid or isn't allowed to be used from the client's address.
   */
  async signIn(token: string, request: HttpRequest): Promise<SignInOutcome | null> {
    const principal = await this.cookie.verifyPrincipal(token, request.address);
    if (principal === null) return null;
    const { organizationId, actor } = principal;
    const window = this.begun.count(`${actor?.id ?? hashOfToken(token)} ${organizationId}`, BEGUN_SECONDS);
    if (window.requests > MAX_BEGUN) return { waitSeconds: getSecondsLeft(window) };
    const tokenId = actor?.id ?? null;
    if (tokenId !== null)
      await serviceInternals(this.loyalty).signIns.recordTokenSession(organizationId, tokenId);
    return { cookie: sessionCookie(await this.cookie.seal(token), this.cookie.seconds, request) };
  }

  /**
   * Ends the request's session, so its cookie is no longer accepted by any process. Resolves to a `Set-Cookie` value that deletes
   * the cookie.
   */
  async signOut(request: HttpRequest): Promise<string> {
    const session = await this.session(request);
    if (session !== null)
      await serviceInternals(this.loyalty).endedSessions.end(session.user.organizationId, session.id);
    return sessionCookie("", 0, request);
  }

  /**
   * Ends all sessions that were started with the same token, on every device. Resolves to a `Set-Cookie` value that deletes this
   * session's cookie.
   */
  async signOutEverywhere(request: HttpRequest): Promise<string> {
    const session = await this.session(request);
    if (session !== null) {
      const { organizationId, actorId } = session.user;
      await serviceInternals(this.loyalty).endedSessions.endAllOfToken(organizationId, actorId);
    }
    return sessionCookie("", 0, request);
  }

  private async session(request: HttpRequest): Promise<TokenUserSession | null> {
    const session = await this.cookie.openSession(sessionIn(request));
    const principal =
      session === null ? null : await this.cookie.verifyPrincipal(session.token, request.address);
    if (session === null || principal === null) return null;
    const { organizationId, scopes, actor } = principal;
    const { endedSessions } = serviceInternals(this.loyalty);
    const tokenId = actor?.id ?? hashOfToken(session.token);
    if (await endedSessions.wasEnded(organizationId, session.id)) return null;
    if (await endedSessions.wasEndedWithToken(organizationId, tokenId, session.begunAt)) return null;
    const { id, begunAt } = session;
    const user = {
      organizationId,
      scopes,
      subject: prefixOfToken(session.token),
      actorId: tokenId,
      sessionId: null,
      credential: { hash: hashOfToken(session.token), session: { id, begunAt } },
      person: null,
    };
    return { id, user };
  }
}

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

  async signedIn(request: HttpRequest): Promise<CredentialedUser | null> {
    return (await this.people.signedIn(request)) ?? (await this.tokens.signedIn(request));
  }

  /**
   * Handles a request under `/console/people`.
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
   * Starts a session with the API token from the sign-in form. The form is posted to the requested page's URL, and the response
   * redirects back to that URL.
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
