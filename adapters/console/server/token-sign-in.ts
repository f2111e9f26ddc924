import { serviceInternals } from "../../../src/internals.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import { hashOfToken, prefixOfToken } from "../../../src/secrets/token-format.js";
import type { HttpRequest } from "../../http/index.js";
import { FixedWindows } from "../../http/rate-limits/fixed-windows.js";
import { secondsLeft } from "../../http/rate-limits/store.js";
import type { ConsoleUser } from "./console-user.js";
import { NAME, sessionCookie, sessionIn } from "./session-cookie.js";
import { TokenCookie } from "./token-cookie.js";

const SESSION_SECONDS = 12 * 60 * 60;

/** The most sessions that one token may begin in an hour, in this process: each may leave a row behind when it is ended early. */
const MAX_BEGUN = 100;
const BEGUN_SECONDS = 3_600;

/** The most tokens that are counted apart. */
const MAX_WINDOWS = 10_000;

/** The cookie of a session that may begin, or the seconds until one may. */
export type SignInOutcome = { readonly cookie: string } | { readonly waitSeconds: number };

/** A session with who is signed in, and by which token. */
interface TokenUserSession {
  readonly id: string;
  readonly user: ConsoleUser & { readonly actorId: string };
}

/** Signs people in at the console by an API token of their organization, for servers without users of their own. */
export class TokenSignIn {
  private readonly cookie: TokenCookie;
  private readonly begun: FixedWindows;

  /**
   * @param key that processes share; without one, only this process knows its sessions.
   */
  constructor(
    private readonly loyalty: LoyaltyService,
    key: string | undefined,
  ) {
    this.cookie = new TokenCookie(loyalty, { name: NAME, seconds: SESSION_SECONDS, key });
    this.begun = new FixedWindows(() => serviceInternals(loyalty).now(), MAX_WINDOWS);
  }

  /** Resolves to the signed-in user; `null` without one. The token is verified each time, so the session ends with it. */
  async signedIn(request: HttpRequest): Promise<ConsoleUser | null> {
    return (await this.session(request))?.user ?? null;
  }

  /** Resolves to a new session; `null` if that is no valid token, or none for this address. */
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

  /** Ends the session of a request, in all processes. Resolves to the cookie that takes its place. */
  async signOut(request: HttpRequest): Promise<string> {
    const session = await this.session(request);
    if (session !== null)
      await serviceInternals(this.loyalty).endedSessions.end(session.user.organizationId, session.id);
    return sessionCookie("", 0, request);
  }

  /** Ends all sessions that began by the token of this one, on whichever device. Resolves to the cookie that takes its place. */
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
