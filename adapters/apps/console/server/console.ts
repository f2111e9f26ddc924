import { assertSameVersion } from "../../../../src/base/copies.js";
import { createLoyaltyError } from "../../../../src/base/errors.js";
import { scopes as allScopes } from "../../../../src/base/scopes.js";
import { serviceInternals } from "../../../../src/internals.js";
import { type Principal, withCredential } from "../../../../src/kernel/caller-rights.js";
import type { LoyaltyService } from "../../../../src/loyalty-service.js";
import type { ResolveSignedInUser, SignInRedirect } from "../../../http/auth/index.js";
import { OAuthError } from "../../../http/auth/oauth/oauth-error.js";
import { validateSignIn } from "../../../http/auth/oauth/sign-in.js";
import { errorResponse } from "../../../http/error-response.js";
import { icon } from "../../../http/html-page.js";
import {
  authenticateByRequest,
  createHttpApi,
  type HttpApi,
  type HttpExtension,
  type HttpRequest,
  type HttpResponse,
  type RateLimitOptions,
} from "../../../http/index.js";
import { splitUrl } from "../../../http/request/http-message.js";
import { findScreenName } from "../browser/app/addresses.js";
import { Assets } from "./assets.js";
import { BuiltInSignIn } from "./built-in-sign-in.js";
import { type ConsoleLink, consolePage, referencePage } from "./console-page.js";
import type { CredentialedUser } from "./console-user.js";
import { type Language, languages, negotiateLanguage, parseLanguage } from "./language.js";
import {
  type ByMethod,
  handleByMethod,
  jsonResponse,
  pageResponse,
  redirectTo,
  securityHeaders,
} from "./page-response.js";
import { isSameOriginCall } from "./same-origin.js";
import { type ConsoleServer, ServerCheck } from "./server-check.js";
import { wordsIn } from "./words/words.js";

/**
 * Replaces the server's own request object in a call from the console, and so marks the call as authenticated. Only
 * {@link SignedInApi.call} creates one.
 */
class SignedInCall {
  constructor(readonly user: CredentialedUser) {}
}

/** Makes API calls on behalf of signed-in users, with their scopes. */
class SignedInApi {
  private readonly api: HttpApi;

  constructor(
    loyalty: LoyaltyService,
    rateLimits: RateLimitOptions | false,
    onError: ((error: unknown) => void) | undefined,
  ) {
    this.api = createHttpApi(loyalty, {
      authenticate: authenticateByRequest(async ({ source }) =>
        source instanceof SignedInCall ? principalOf(source.user) : null,
      ),
      rateLimits,
      ...(onError && { onError }),
    });
  }

  /**
   * Makes an API call on behalf of a user and resolves to the response.
   * @param request the browser's request. Its method, body, and headers are passed on, except for headers that contain credentials.
   * @param url the URL to call, relative to the API, such as `/v1/contacts`.
   */
  call(request: HttpRequest, user: CredentialedUser, url: string): Promise<HttpResponse> {
    const headers = [...request.headers].filter(([name]) => !/^(authorization|cookie)$/i.test(name));
    return this.api.handle({
      ...request,
      // `signal` is an accessor of the class, which a spread leaves out.
      signal: request.signal,
      url,
      headers,
      source: new SignedInCall(user),
    });
  }
}

function principalOf({
  organizationId,
  scopes = allScopes,
  subject,
  actorId,
  sessionId,
  credential,
}: CredentialedUser): Principal {
  const actor = { kind: "console" as const, ...(actorId !== null && { id: actorId }) };
  const session = sessionId !== null && { session: sessionId };
  const principal = { organizationId, scopes, subject, actor, ...session };
  return credential === undefined ? principal : withCredential(principal, credential);
}

const iconResponse: HttpResponse = {
  status: 200,
  headers: { "content-type": "image/svg+xml", "cache-control": "public, max-age=86400", ...securityHeaders },
  body: icon,
};

/** Files that only other pages need. */
const notForTheTill = /^(?:passkey|reference|till-worker)-/;

export interface ConsoleOptions {
  /**
   * Resolves to the user who is signed in to the host, or to a redirect to the host's sign-in page if no user is signed in. If
   * omitted, users sign in to the console with an API token or a staff account.
   */
  readonly signedIn?: ResolveSignedInUser;
  /** The URL where users sign out of the host. Use it only together with `signedIn`. */
  readonly signOut?: string;
  /**
   * A secret of at least 32 bytes for encrypting the session cookies of users who sign in with an API token. All processes must use
   * the same key. If omitted, each process generates its own random key, so a session is valid only in the process that started it.
   */
  readonly key?: string;
  /**
   * Whether browsers can reach the console only over HTTPS. If true, the console's cookies are never sent over HTTP. If omitted, a
   * cookie is restricted to HTTPS only if the request that set it is known to have arrived over HTTPS.
   */
  readonly isHttps?: boolean;
  /**
   * The origin, such as `https://shop.example`, where browsers reach the console and staff can sign in with passkeys. Passkeys are
   * permanently bound to the origin's host name. Requires the package `@simplewebauthn/server`, and also {@link key} if the console
   * runs in several processes. Can't be combined with `signedIn`. If omitted, passkeys are disabled.
   */
  readonly passkeys?: string;
  /** Links to the host's own pages to add to the console's navigation. Default: none. */
  readonly links?: readonly ConsoleLink[];
  /**
   * The operators of the server, and a check of its setup. Operators see a page in the settings with the findings and with
   * instructions for email and wallets. Default: no user is an operator.
   */
  readonly server?: ConsoleServer;
  /** Rate limits per user, or `false` for no limits. Defaults to the limits for an API token. */
  readonly rateLimits?: RateLimitOptions | false;
  /** Called with the error behind each 500 or 503 response. Default: `console.error`. */
  readonly onError?: (error: unknown) => void;
}

const KEY_BYTES = 32;

const ASSETS = "/console/assets/";
const NAMES = "/console/people/names";
const SERVER_CHECK = "/console/server/check";

/** The sessions that each sign-out path ends. */
const signOuts: ReadonlyMap<string, "here" | "everywhere"> = new Map([
  ["/console/sign-out", "here"],
  ["/console/sign-out/everywhere", "everywhere"],
]);

/** Number of staff members per read. */
const PEOPLE = 200;

/**
 * Creates an extension for `createHttpApi` that serves the console at `/console` and the API reference at `/reference`. The console
 * is an ordinary API client that reads and writes all data through `/v1`, with the signed-in user's scopes.
 * @throws {TypeError} if the key is too short, if browsers can't create passkeys for the given origin, or if `passkeys` is combined
 *   with `signedIn`.
 * @throws {PackageMissing} if `passkeys` is set but `@simplewebauthn/server` isn't installed.
 * @example
 * import { createConsole } from "loyalty-kit/console";
 * import { apiTokens, createHttpApi } from "loyalty-kit/http";
 *
 * const extensions = [createConsole(loyalty)];
 * const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), extensions });
 */
export function createConsole(loyalty: LoyaltyService, options: ConsoleOptions = {}): HttpExtension {
  assertSameVersion(loyalty, "LoyaltyService");
  return new Console(loyalty, options);
}

class Console implements HttpExtension {
  readonly paths = ["/console", "/console/*", "/reference"];
  readonly authenticated = [
    "/console/api/*",
    NAMES,
    "/console/people/me",
    "/console/people/me/*",
    SERVER_CHECK,
  ];
  private readonly assets: Readonly<Record<Language, Assets>> = {
    en: new Assets("en"),
    de: new Assets("de"),
  };
  private readonly own: BuiltInSignIn | null;
  private readonly hostSignedIn: ResolveSignedInUser | null;
  private readonly signOut: string | null;
  private readonly isHttps: boolean;
  private readonly links: readonly ConsoleLink[];
  private readonly api: SignedInApi;
  private readonly isOperator: ConsoleServer["isOperator"];
  private readonly serverCheck: ServerCheck | null;

  constructor(
    private readonly loyalty: LoyaltyService,
    options: ConsoleOptions,
  ) {
    const { signedIn, signOut, key, isHttps = false, passkeys, links, server, rateLimits, onError } = options;
    if (key !== undefined && Buffer.byteLength(key) < KEY_BYTES) {
      throw new TypeError(`key must have at least ${KEY_BYTES} bytes`);
    }
    if (signedIn !== undefined && passkeys !== undefined) {
      throw new TypeError(
        "passkeys can't be given with signedIn: the host signs people in, so no one has a passkey",
      );
    }
    this.hostSignedIn = signedIn ?? null;
    this.own =
      signedIn === undefined
        ? new BuiltInSignIn(loyalty, options, (request) => this.assetsFor(request))
        : null;
    this.signOut = signOut ?? null;
    this.isHttps = isHttps;
    this.links = links ?? [];
    this.api = new SignedInApi(loyalty, rateLimits ?? {}, onError);
    this.isOperator = server === undefined ? () => false : server.isOperator;
    this.serverCheck =
      server === undefined ? null : new ServerCheck(server.check, () => serviceInternals(loyalty).now());
  }

  async handle(request: HttpRequest, onError: (error: unknown) => void): Promise<HttpResponse> {
    try {
      return await this.answer(this.isHttps ? sentByHttps(request) : request);
    } catch (error) {
      if (error instanceof OAuthError)
        return errorResponse(createLoyaltyError("malformed_request"), securityHeaders);
      onError(error);
      return errorResponse(createLoyaltyError("internal_error"), securityHeaders);
    }
  }

  private async answer(request: HttpRequest): Promise<HttpResponse> {
    const { path, query } = splitUrl(request.url);
    if (path.startsWith("/console/api/")) {
      return this.answerCall(
        request,
        `${path.slice("/console/api".length)}${query === null ? "" : `?${query}`}`,
      );
    }
    if (this.own !== null && path.startsWith("/console/people/") && path !== NAMES)
      return this.own.handlePeople(request, path);
    const served = this.servedAt(path, request);
    return served === null
      ? errorResponse(createLoyaltyError("resource_not_found"), securityHeaders)
      : handleByMethod(request, served);
  }

  private servedAt(path: string, request: HttpRequest): ByMethod | null {
    const { own } = this;
    if (path === NAMES) return { GET: () => this.answerNames(request) };
    if (path === SERVER_CHECK) return { GET: () => this.answerServerCheck(request) };
    const where = signOuts.get(path);
    if (where !== undefined) {
      const home = () => redirectTo(`${request.prefix}/console`);
      return { GET: home, POST: () => own?.end(request, where) ?? home() };
    }
    // The browser sends the session cookie only to paths below the console.
    if (path === "/reference")
      return { GET: () => pageResponse(referencePage(this.assetsFor(request), request.prefix, null)) };
    if (path.startsWith(ASSETS)) {
      const asset = this.assetAt(path.slice(ASSETS.length), request);
      return asset && { GET: () => asset };
    }
    const file = this.fileAt(path, request);
    if (file !== null) return { GET: () => file };
    return { GET: () => this.screenAt(path, request), ...(own && { POST: () => own.begin(request) }) };
  }

  private assetsFor(request: HttpRequest): Assets {
    return this.assets[negotiateLanguage(request)];
  }

  private fileAt(path: string, request: HttpRequest): HttpResponse | null {
    if (path === "/console/icon.svg") return iconResponse;
    if (path === "/console/manifest.webmanifest") {
      return manifestResponse(request.prefix, negotiateLanguage(request));
    }
    if (path === "/console/till-worker.js") {
      const requestedLanguage = new URLSearchParams(splitUrl(request.url).query ?? "").get("language");
      return tillWorkerResponse(this.assets[parseLanguage(requestedLanguage)], request.prefix);
    }
    return null;
  }

  private assetAt(name: string, request: HttpRequest): HttpResponse | null {
    const language = languages.find((each) => name.startsWith(`${each}/`));
    return language === undefined
      ? null
      : this.assets[language].serve(name.slice(`${language}/`.length), request);
  }

  private async screenAt(path: string, request: HttpRequest): Promise<HttpResponse> {
    const user = await this.findUser(request);
    if (user !== null && "redirect" in user) return redirectTo(user.redirect);
    const { prefix } = request;
    const assets = this.assetsFor(request);
    if (user === null) {
      const page = await this.own?.page(request, null);
      return page === undefined
        ? errorResponse(createLoyaltyError("unauthorized"), securityHeaders)
        : pageResponse(page);
    }
    const screen = findScreenName(path.slice("/console".length) || "/");
    const { scopes = allScopes } = user;
    const { channels, publicUrl } = serviceInternals(this.loyalty);
    const { email: hasMail, wallet: hasWallets } = channels;
    // Customers see the shop's name everywhere, and the till counts by its days, so reading them needs no scope.
    const organization = this.loyalty.organization(user.organizationId);
    const { name: shopName, logo: shopLogo, timeZone } = await organization.settings.get();
    const maySee = scopes.includes("settings:read");
    const wallets = maySee ? serviceInternals(this.loyalty).findWalletSetup(user.organizationId) : null;
    const { signOut } = this;
    const links = this.links.filter(({ isShownTo = () => true }) => isShownTo(user));
    const passkeys = this.own?.passkeyOrigin ?? null;
    const isOperator = this.isOperator(user);
    const session = {
      user,
      shopName,
      shopLogo,
      timeZone,
      scopes,
      signOut,
      links,
      hasMail,
      hasWallets,
      wallets,
      publicUrl,
      passkeys,
      isOperator,
    };
    if (path === "/console/reference") return pageResponse(referencePage(assets, prefix, session));
    const page = consolePage(assets, { prefix, ...session }, screen === "overview");
    return pageResponse(page, screen === null ? 404 : 200);
  }

  private async findUser(request: HttpRequest): Promise<CredentialedUser | SignInRedirect | null> {
    if (this.own !== null) return this.own.signedIn(request);
    if (this.hostSignedIn === null) return null;
    const user = validateSignIn(await this.hostSignedIn(request));
    return "redirect" in user ? user : { ...user, actorId: null, sessionId: null, person: null };
  }

  /** Resolves to the calling user; `null` for calls from other sites, which can send neither the header nor the cookie. */
  private async findCaller(request: HttpRequest): Promise<CredentialedUser | null> {
    const user = isSameOriginCall(request) ? await this.findUser(request) : null;
    return user === null || "redirect" in user ? null : user;
  }

  /**
   * Responds with the names of the organization's staff members. Every signed-in user may read them, because screens show who did
   * something. For a staff member without a name, users who manage staff get the email address, and all other users get an empty
   * string.
   */
  private async answerNames(request: HttpRequest): Promise<HttpResponse> {
    const user = await this.findCaller(request);
    if (user === null) return errorResponse(createLoyaltyError("unauthorized"), securityHeaders);
    const { people } = this.loyalty.organization(user.organizationId);
    const maySeeEmails = user.scopes?.includes("people:manage") ?? true;
    const names: Record<string, string> = {};
    for await (const { id, name, email } of people.list({ size: PEOPLE }))
      names[id] = name ?? (maySeeEmails ? email : "");
    return jsonResponse(names);
  }

  /** Responds to operators with the findings of a check. For all other users, the path doesn't exist. */
  private async answerServerCheck(request: HttpRequest): Promise<HttpResponse> {
    const user = await this.findCaller(request);
    if (user === null) return errorResponse(createLoyaltyError("unauthorized"), securityHeaders);
    if (this.serverCheck === null || !this.isOperator(user))
      return errorResponse(createLoyaltyError("resource_not_found"), securityHeaders);
    return jsonResponse(await this.serverCheck.read());
  }

  private async answerCall(request: HttpRequest, url: string): Promise<HttpResponse> {
    const user = await this.findCaller(request);
    if (user === null) return errorResponse(createLoyaltyError("unauthorized"), securityHeaders);
    const answer = await this.api.call(request, user, url);
    return { ...answer, headers: { ...answer.headers, ...securityHeaders, "cache-control": "no-store" } };
  }
}

function sentByHttps(request: HttpRequest): HttpRequest {
  // `signal` is an accessor of the class, which a spread leaves out.
  return { ...request, signal: request.signal, isHttps: true };
}

/**
 * Returns the script of the service worker that stores the till's files on a device for offline use. When one of these files
 * changes, the script changes too, which makes browsers update the worker.
 */
function tillWorkerResponse(assets: Assets, prefix: string): HttpResponse {
  const files = assets.names
    .filter((name) => !notForTheTill.test(name))
    .map((name) => `${prefix}/console/assets/${assets.language}/${name}`);
  const till = { page: `${prefix}/console/till`, files: [`${prefix}/console/icon.svg`, ...files] };
  return {
    status: 200,
    headers: {
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "no-cache",
      ...securityHeaders,
    },
    body: `const till = ${JSON.stringify(till)};\n${assets.readText("till-worker.js")}`,
  };
}

/** Returns a response with the web app manifest, which lets users install the till on a phone. */
function manifestResponse(prefix: string, language: Language): HttpResponse {
  const { till } = wordsIn[language];
  const manifest = {
    id: `${prefix}/console/till`,
    lang: language,
    name: till.name,
    short_name: till.shortName,
    description: till.description,
    start_url: `${prefix}/console/till`,
    scope: `${prefix}/console`,
    display: "standalone",
    background_color: "#0f1115",
    theme_color: "#4338ca",
    icons: [
      { src: `${prefix}/console/icon.svg`, sizes: "any", type: "image/svg+xml", purpose: "any maskable" },
    ],
  };
  return {
    status: 200,
    headers: { "content-type": "application/manifest+json", "cache-control": "no-cache", ...securityHeaders },
    body: JSON.stringify(manifest),
  };
}
