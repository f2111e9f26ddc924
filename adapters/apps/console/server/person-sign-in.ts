import { randomInt } from "node:crypto";
import { scopesOfRole } from "../../../../src/base/scopes.js";
import { describeDevice } from "../../../../src/base/values/describe-device.js";
import { serviceInternals } from "../../../../src/internals.js";
import type { LoyaltyService } from "../../../../src/loyalty-service.js";
import type { SessionStart, SignInBrowser } from "../../../../src/people/person-sessions.js";
import type { SignInLinkHolder } from "../../../../src/people/sign-ins.js";
import type { HttpRequest } from "../../../http/index.js";
import { ClientWindows } from "../../../http/rate-limits/client-windows.js";
import { getSecondsLeft } from "../../../http/rate-limits/store.js";
import { parseAcceptedLanguages } from "../../../http/request/accepted-languages.js";
import { getHeaderValue } from "../../../http/request/http-message.js";
import type { ConsoleUser } from "./console-user.js";
import { sessionCookie, sessionIn } from "./session-cookie.js";

/** Maximum number of emailed links that one client may request per hour, for any addresses. */
const MAILS = { requests: 20, seconds: 3_600 };

/** Maximum number of links that one client may open in 15 minutes. */
const LINKS = { requests: 100, seconds: 900 };

/** Maximum number of addresses waiting to be looked up. Further requests are refused, for known and unknown addresses alike. */
const MOST_ASKED = 1_000;

/** Each address is looked up after a random delay of up to this many milliseconds. */
const LOOKED_FOR_WITHIN_MS = 1_000;

/** How long to remember that there are staff, in milliseconds. */
const PEOPLE_KNOWN_MS = 60_000;

/** Whether a request was allowed and, if it wasn't, how many seconds to wait before retrying. */
export type RequestOutcome =
  | { readonly isDone: true }
  | { readonly isDone: false; readonly waitSeconds: number };

/** Signs staff in to the console with emailed links. Also manages all of their sessions, including those started with a passkey. */
export class PersonSignIn {
  private readonly mails: ClientWindows;
  private readonly links: ClientWindows;
  private runningRequests = 0;
  private peopleKnownUntil = 0;
  private lookingForPeople: Promise<boolean> | null = null;

  constructor(
    private readonly loyalty: LoyaltyService,
    private readonly onError: (error: unknown) => void,
  ) {
    const clock = () => serviceInternals(loyalty).now();
    this.mails = new ClientWindows(clock, MAILS);
    this.links = new ClientWindows(clock, LINKS);
  }

  /**
   * Resolves to whether the sign-in page should ask for an email address. It should if the service can send sign-in links and at
   * least one organization has staff.
   */
  async asksForEmail(): Promise<boolean> {
    return serviceInternals(this.loyalty).signIns.canMailLinks && (await this.hasPeople());
  }

  /**
   * Resolves to `true` if any organization has staff, or to `false` if none does or the lookup fails. Concurrent calls share one
   * lookup. A result of `true` is cached for a minute.
   */
  async hasPeople(): Promise<boolean> {
    if (serviceInternals(this.loyalty).now() < this.peopleKnownUntil) return true;
    this.lookingForPeople ??= serviceInternals(this.loyalty)
      .signIns.hasPeople()
      .then((has) => {
        if (has) this.peopleKnownUntil = serviceInternals(this.loyalty).now() + PEOPLE_KNOWN_MS;
        return has;
      })
      .catch((error: unknown) => {
        this.onError(error);
        return false;
      })
      .finally(() => {
        this.lookingForPeople = null;
      });
    return this.lookingForPeople;
  }

  /** Resolves to the signed-in staff member with the current scopes of their role, or to `null` if no staff member is signed in. */
  async signedIn(request: HttpRequest): Promise<ConsoleUser | null> {
    const person = await serviceInternals(this.loyalty).signIns.findSignedInPerson(this.readSecret(request));
    if (person === null) return null;
    const { organizationId, id, role, sessionId } = person;
    return { organizationId, scopes: scopesOfRole[role], subject: id, actorId: id, sessionId, person };
  }

  /**
   * Schedules a task that emails a sign-in link to the address if it belongs to a staff member. The task runs after the response,
   * with a random delay, so that neither the response nor its timing reveals whether the address is known.
   * @returns whether the request was allowed.
   */
  requestLink(email: string, { headers, address }: HttpRequest): RequestOutcome {
    const full = this.mails.count(address);
    if (full !== null) return { isDone: false, waitSeconds: getSecondsLeft(full) };
    if (this.runningRequests >= MOST_ASKED) return { isDone: false, waitSeconds: 60 };
    const [language = null] = parseAcceptedLanguages(getHeaderValue(headers, "accept-language"));
    this.runningRequests += 1;
    setTimeout(() => {
      serviceInternals(this.loyalty)
        .signIns.mailLinks(email, language)
        .catch(this.onError)
        .finally(() => {
          this.runningRequests -= 1;
        });
    }, randomInt(LOOKED_FOR_WITHIN_MS));
    return { isDone: true };
  }

  open(token: string): Promise<SignInLinkHolder | null> {
    return serviceInternals(this.loyalty).signIns.findLinkHolder(token);
  }

  /** Counts a view of a sign-in link's page toward the client's rate limit, and returns whether the view is allowed. */
  countLinkView({ address }: HttpRequest): RequestOutcome {
    const full = this.links.count(address);
    return full === null ? { isDone: true } : { isDone: false, waitSeconds: getSecondsLeft(full) };
  }

  /**
   * Starts a session with the token from a sign-in link. Resolves to the session's cookie, or to `null` if the link has expired or
   * has been used or revoked.
   * @param isLong whether the user asked to stay signed in.
   */
  begin(token: string, isLong: boolean, request: HttpRequest): Promise<string | null> {
    return this.beginBy(
      (browser) => serviceInternals(this.loyalty).signIns.startSession(token, browser),
      isLong,
      request,
    );
  }

  /**
   * Starts a session by calling the given function, and ends the browser's previous session. Resolves to the new session's cookie.
   * If the function doesn't start a session, resolves to `null` and leaves the previous session unchanged.
   */
  async beginBy(
    way: (browser: SignInBrowser) => Promise<SessionStart | null>,
    isLong: boolean,
    request: HttpRequest,
  ): Promise<string | null> {
    const device = describeDevice(getHeaderValue(request.headers, "user-agent"));
    const begun = await way({ device, isLong });
    if (begun === null) return null;
    await serviceInternals(this.loyalty).signIns.end(this.readSecret(request));
    return sessionCookie(begun.token, begun.seconds, request);
  }

  /** Returns the session secret from a request's cookie, or an empty string if there is no cookie. */
  readSecret(request: HttpRequest): string {
    return sessionIn(request) ?? "";
  }

  /**
   * Ends the request's session. The session's cookie is no longer accepted by any process.
   * @returns whether the request belonged to a staff member's session.
   */
  signOut(request: HttpRequest): Promise<boolean> {
    return serviceInternals(this.loyalty).signIns.end(this.readSecret(request));
  }

  /**
   * Ends all of the signed-in staff member's sessions.
   * @returns whether the request belonged to a staff member's session.
   */
  signOutEverywhere(request: HttpRequest): Promise<boolean> {
    return serviceInternals(this.loyalty).signIns.endAll(this.readSecret(request));
  }

  /** Resolves to the signed-in staff member's account, or to `null` if no staff member is signed in. */
  own(request: HttpRequest) {
    return serviceInternals(this.loyalty).signIns.findAccount(this.readSecret(request));
  }

  /**
   * Ends one of the signed-in staff member's sessions.
   * @returns whether the session existed.
   */
  endOwn(sessionId: string, request: HttpRequest): Promise<boolean> {
    return serviceInternals(this.loyalty).signIns.end(this.readSecret(request), sessionId);
  }
}
