import { randomInt } from "node:crypto";
import { serviceInternals } from "../../../src/internals.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import type { SessionStart, SignInBrowser } from "../../../src/people/person-sessions.js";
import type { SignInLinkHolder } from "../../../src/people/sign-ins.js";
import { scopesOfRole } from "../../../src/roles.js";
import { describeDevice } from "../../../src/values/describe-device.js";
import type { HttpRequest } from "../../http/index.js";
import { ClientWindows } from "../../http/rate-limits/client-windows.js";
import { secondsLeft } from "../../http/rate-limits/store.js";
import { acceptedLanguages } from "../../http/request/accepted-languages.js";
import { headerValue } from "../../http/request/http-message.js";
import type { ConsoleUser } from "./console-user.js";
import { sessionCookie, sessionIn } from "./session-cookie.js";

/** How many mails with links one client may request in an hour, for any addresses. */
const MAILS = { requests: 20, seconds: 3_600 };

/** How many links one client may open in a quarter of an hour. */
const LINKS = { requests: 100, seconds: 900 };

/** How many addresses may wait to be looked up. Further requests are refused, for known and unknown addresses. */
const MOST_ASKED = 1_000;

/** An address is looked up at a random moment within this many milliseconds. */
const LOOKED_FOR_WITHIN_MS = 1_000;

/** How long it is remembered that there are people. */
const PEOPLE_KNOWN_MS = 60_000;

/** A request that is done, or the seconds until it may be. */
export type RequestOutcome =
  | { readonly isDone: true }
  | { readonly isDone: false; readonly waitSeconds: number };

/** Signs people in to the console by links. A host or a passkey may sign them in instead. */
export class PersonSignIn {
  private readonly mails: ClientWindows;
  private readonly links: ClientWindows;
  private asked = 0;
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

  /** Resolves to whether any person of any organization could be mailed a link. */
  async asksForEmail(): Promise<boolean> {
    return serviceInternals(this.loyalty).signIns.mailsLinks && (await this.hasPeople());
  }

  /**
   * Resolves to whether any organization has a person. `true` is remembered for a minute. Concurrent calls share one look-up;
   * `false` if it fails.
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

  /** Resolves to the signed-in person, with the current scopes of their role; `null` if no person is signed in. */
  async signedIn(request: HttpRequest): Promise<ConsoleUser | null> {
    const person = await serviceInternals(this.loyalty).signIns.signedIn(this.readSecret(request));
    if (person === null) return null;
    const { organizationId, id, role, sessionId } = person;
    return { organizationId, scopes: scopesOfRole[role], subject: id, actorId: id, sessionId, person };
  }

  /**
   * Mails a link to an address that belongs to a person. The address is looked up after the response, at a random moment. So neither
   * the response, nor its timing, nor the timing of the next request shows whether the address is known.
   */
  requestLink(email: string, { headers, address }: HttpRequest): RequestOutcome {
    const full = this.mails.count(address);
    if (full !== null) return { isDone: false, waitSeconds: secondsLeft(full) };
    if (this.asked >= MOST_ASKED) return { isDone: false, waitSeconds: 60 };
    const [language = null] = acceptedLanguages(headerValue(headers, "accept-language"));
    this.asked += 1;
    setTimeout(() => {
      serviceInternals(this.loyalty)
        .signIns.mailLinks(email, language)
        .catch(this.onError)
        .finally(() => {
          this.asked -= 1;
        });
    }, randomInt(LOOKED_FOR_WITHIN_MS));
    return { isDone: true };
  }

  open(token: string): Promise<SignInLinkHolder | null> {
    return serviceInternals(this.loyalty).signIns.open(token);
  }

  /** Counts a look at a link. */
  countLinkView({ address }: HttpRequest): RequestOutcome {
    const full = this.links.count(address);
    return full === null ? { isDone: true } : { isDone: false, waitSeconds: secondsLeft(full) };
  }

  /** Resolves to the cookie of a new session; `null` for a link that is used, void or over. */
  begin(token: string, isLong: boolean, request: HttpRequest): Promise<string | null> {
    return this.beginBy(
      (browser) => serviceInternals(this.loyalty).signIns.begin(token, browser),
      isLong,
      request,
    );
  }

  /**
   * Resolves to the cookie of a new session, whichever way it begins; `null` if it does not. A session that the browser had ends.
   */
  async beginBy(
    way: (browser: SignInBrowser) => Promise<SessionStart | null>,
    isLong: boolean,
    request: HttpRequest,
  ): Promise<string | null> {
    const device = describeDevice(headerValue(request.headers, "user-agent"));
    const begun = await way({ device, isLong });
    if (begun === null) return null;
    await serviceInternals(this.loyalty).signIns.end(this.readSecret(request));
    return sessionCookie(begun.token, begun.seconds, request);
  }

  /** The secret of the session that a request brings; empty for none. */
  readSecret(request: HttpRequest): string {
    return sessionIn(request) ?? "";
  }

  /** Ends the session of a request, in all processes. @returns false when it is none of a person. */
  signOut(request: HttpRequest): Promise<boolean> {
    return serviceInternals(this.loyalty).signIns.end(this.readSecret(request));
  }

  /** Ends all sessions of the person of a request. @returns false when it is none of a person. */
  signOutEverywhere(request: HttpRequest): Promise<boolean> {
    return serviceInternals(this.loyalty).signIns.endAll(this.readSecret(request));
  }

  /** Resolves to the account of the signed-in person; `null` if no person is signed in. */
  own(request: HttpRequest) {
    return serviceInternals(this.loyalty).signIns.own(this.readSecret(request));
  }

  /** Ends one of the person's own sessions. @returns false if there is none. */
  endOwn(sessionId: string, request: HttpRequest): Promise<boolean> {
    return serviceInternals(this.loyalty).signIns.end(this.readSecret(request), sessionId);
  }
}
