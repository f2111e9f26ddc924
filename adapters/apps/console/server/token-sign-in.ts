import { hashOfToken, prefixOfToken } from "../../../../src/base/secrets/token-format.js";
import { serviceInternals } from "../../../../src/internals.js";
import type { LoyaltyService } from "../../../../src/loyalty-service.js";
import type { HttpRequest } from "../../../http/index.js";
import { FixedWindows } from "../../../http/rate-limits/fixed-windows.js";
import { secondsLeft } from "../../../http/rate-limits/store.js";
import type { ConsoleUser } from "./console-user.js";
import { NAME, sessionCookie, sessionIn } from "./session-cookie.js";
import { TokenCookie } from "./token-cookie.js";

const SESSION_SECONDS = 12 * 60 * 60;

/** Maximum number of sessions that one token may start per hour in this process. Ending a session early may store a row. */
const MAX_BEGUN = 100;
const BEGUN_SECONDS = 3_600;

/** Maximum number of tokens that are counted separately. */
const MAX_WINDOWS = 10_000;

/** The new session's cookie. If the token has started too many sessions, the number of seconds to wait before signing in again. */
export type SignInOutcome = { readonly cookie: string } | { readonly waitSeconds: number };

/** A session and the user that its token signed in. */
interface TokenUserSession {
  readonly id: string;
  readonly user: ConsoleUser & { readonly actorId: string };
}

/** Signs users in to the console with an API token of their organization, for hosts that have no user accounts of their own. */
export class TokenSignIn {
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
  async signedIn(request: HttpRequest): Promise<ConsoleUser | null> {
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
    if (window.requests > MAX_BEGUN) return { waitSeconds: secondsLeft(window) };
    const tokenId = actor?.id ?? null;
    if (tokenId !== null)
      await serviceInternals(this.loyalty).signIns.noteTokenSession(organizationId, tokenId);
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
      await serviceInternals(this.loyalty).endedSessions.endAllOf(organizationId, actorId);
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
    if (await endedSessions.has(organizationId, session.id)) return null;
    if (await endedSessions.hasAllOf(organizationId, tokenId, session.begunAt)) return null;
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
