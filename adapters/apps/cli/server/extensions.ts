import { createLoyaltyError } from "../../../../src/base/errors.js";
import type { LoyaltyService } from "../../../../src/loyalty-service.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import type { Wallets } from "../../../delivery/wallets/index.js";
import { errorResponse, methodNotAllowedResponse } from "../../../http/error-response.js";
import type { HttpExtension, RateLimitOptions } from "../../../http/index.js";
import { getHeaderValue } from "../../../http/request/http-message.js";
import { type ConsoleLink, type ConsoleServer, createConsole } from "../../console/index.js";
import { createOAuthServer } from "./oauth-server.js";
import { probeStorage } from "./outage-watch.js";

const LIVE_PATH = "/health/live";

const READY_PATH = "/health/ready";

/** Options for the parts of a server that answer requests outside its API. */
interface ExtensionOptions {
  readonly storage: StorageAdapter;
  readonly isHttps: boolean;
  readonly rateLimits: RateLimitOptions | false;
  readonly pages: HttpExtension;
  readonly wallets: Pick<Wallets, "http"> | null;
  /** Who runs the server, and the doctor's checks. */
  readonly server?: ConsoleServer;
  /** A demo's links for the console. The list may change later. */
  readonly links?: readonly ConsoleLink[];
  /** A demo's pages: its mailbox and its first look. */
  readonly demoPages?: readonly HttpExtension[];
  /** Origin at which staff sign in with passkeys; `null` to disable passkeys. */
  readonly passkeys: string | null;
  /** Issuer URL for OAuth 2.0; `null` to disable OAuth. */
  readonly oauthIssuer: string | null;
  /** Secret that the processes share, or `null` if there is none. */
  readonly key: string | null;
  readonly onError: (error: unknown) => void;
}

/**
 * Creates the HTTP extensions that a server offers in addition to its API. Most of them accept requests without authentication.
 * docs/security.md lists the cost of each request.
 */
export function createServerExtensions(loyalty: LoyaltyService, options: ExtensionOptions): HttpExtension[] {
  const { storage, isHttps, rateLimits, pages, wallets, passkeys, oauthIssuer, key, onError } = options;
  const { server, links = [], demoPages = [] } = options;
  const keyOption = key === null ? {} : { key };
  const store = rateLimits === false ? undefined : rateLimits.store;
  const extensions = [
    createHealthExtension(storage),
    createConsole(loyalty, {
      isHttps,
      rateLimits,
      links,
      onError,
      ...(server !== undefined && { server }),
      ...(passkeys !== null && { passkeys }),
      ...keyOption,
    }),
    pages,
    homeRedirect,
    ...demoPages,
  ];
  if (wallets !== null) extensions.push(wallets.http);
  if (oauthIssuer !== null) {
    const limits = rateLimits !== false && { ...(store !== undefined && { store }) };
    extensions.push(createOAuthServer(loyalty, oauthIssuer, { ...keyOption, rateLimits: limits }));
  }
  return extensions;
}

/**
 * Redirects requests for `/` to the console if the client accepts HTML. Browsers accept HTML, and so do tools such as curl that
 * accept any content type. A client that accepts only JSON receives a 404 response.
 */
export const homeRedirect: HttpExtension = {
  paths: ["/"],
  async handle({ method, headers }) {
    if (method !== "GET" && method !== "HEAD") {
      return methodNotAllowedResponse(["GET"]);
    }
    if (!acceptsHtml(getHeaderValue(headers, "accept") ?? "")) {
      return errorResponse(createLoyaltyError("resource_not_found"), { vary: "accept" });
    }
    return { status: 303, headers: { location: "/console", vary: "accept" }, body: null };
  },
};

/** Media ranges that match an HTML page, most specific first (RFC 9110, section 12.5.1). */
const htmlRanges = ["text/html", "text/*", "*/*"];

function acceptsHtml(accept: string): boolean {
  // A client that sends no such header accepts anything.
  if (accept.trim() === "") return true;
  const weights = new Map(
    accept.split(",").map((part) => {
      const [range = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
      return [range, weight === undefined ? 1 : Number(weight)];
    }),
  );
  const matchingRange = htmlRanges.find((range) => weights.has(range));
  return matchingRange !== undefined && (weights.get(matchingRange) ?? 0) > 0;
}

/**
 * Creates the extension for health checks. `/health/live` responds with 200 as long as the process can respond. `/health/ready`
 * responds with 200 if the storage contains this release's tables and responds within 2 s.
 */
export function createHealthExtension(storage: StorageAdapter): HttpExtension {
  let pendingCheck: Promise<boolean> | null = null;
  /**
   * Returns whether the storage can work. The endpoint is public, so concurrent requests share one probe, and its failure is logged
   * once.
   */
  const isReady = (onError: (error: unknown) => void) => {
    pendingCheck ??= probeStorage(storage)
      .then(
        () => true,
        (error) => {
          onError(error);
          return false;
        },
      )
      .finally(() => {
        pendingCheck = null;
      });
    return pendingCheck;
  };
  return {
    paths: [LIVE_PATH, READY_PATH],
    async handle({ method, url }, onError) {
      if (method !== "GET" && method !== "HEAD") {
        return { status: 405, headers: { allow: "GET, HEAD" }, body: null };
      }
      if (url.startsWith(LIVE_PATH)) return textResponse(200, "live");
      return (await isReady(onError))
        ? textResponse(200, "ready")
        : textResponse(503, "storage is unavailable");
    },
  };
}

function textResponse(status: number, text: string) {
  const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
  return { status, headers, body: `${text}\n` };
}
