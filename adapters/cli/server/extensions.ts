import { createLoyaltyError } from "../../../src/errors.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import { type ConsoleLink, createConsole } from "../../console/index.js";
import { errorResponse, methodNotAllowedResponse } from "../../http/error-response.js";
import type { HttpExtension, RateLimitOptions } from "../../http/index.js";
import { headerValue } from "../../http/request/http-message.js";
import type { Wallets } from "../../wallets/index.js";
import { createHealthExtension } from "./health.js";
import { createOAuthServer } from "./oauth-server.js";

/** The parts of a server that answer beside its API. */
interface ExtensionOptions {
  readonly storage: StorageAdapter;
  readonly isHttps: boolean;
  readonly rateLimits: RateLimitOptions | false;
  readonly pages: HttpExtension;
  readonly wallets: Pick<Wallets, "http"> | null;
  /** Links of a demo for the console, which may change. */
  readonly links?: readonly ConsoleLink[];
  /** The pages of a demo: its mails and its first look. */
  readonly demoPages?: readonly HttpExtension[];
  /** The origin at which people sign in by passkeys; `null` for no passkeys. */
  readonly passkeys: string | null;
  /** `null` for no OAuth 2.0. */
  readonly oauthIssuer: string | null;
  /** The secret that processes share, if they do. */
  readonly key: string | null;
  readonly onError: (error: unknown) => void;
}

/** Makes all that a server answers beside its API. Nearly all of it is for strangers: docs/security.md tells what each costs. */
export function serverExtensions(loyalty: LoyaltyService, options: ExtensionOptions): HttpExtension[] {
  const { storage, isHttps, rateLimits, pages, wallets, passkeys, oauthIssuer, key, onError } = options;
  const { links = [], demoPages = [] } = options;
  const secret = key === null ? {} : { key };
  const store = rateLimits === false ? undefined : rateLimits.store;
  const extensions = [
    createHealthExtension(storage),
    createConsole(loyalty, {
      isHttps,
      rateLimits,
      links,
      onError,
      ...(passkeys !== null && { passkeys }),
      ...secret,
    }),
    pages,
    homeRedirect,
    ...demoPages,
  ];
  if (wallets !== null) extensions.push(wallets.http);
  if (oauthIssuer !== null) {
    const limits = rateLimits !== false && { ...(store !== undefined && { store }) };
    extensions.push(createOAuthServer(loyalty, oauthIssuer, { ...secret, rateLimits: limits }));
  }
  return extensions;
}

/**
 * Redirects clients that accept a page at `/` to the console: browsers, and tools that accept anything, such as curl. A program
 * that accepts JSON only gets 404.
 */
export const homeRedirect: HttpExtension = {
  paths: ["/"],
  async handle({ method, headers }) {
    if (method !== "GET" && method !== "HEAD") {
      return methodNotAllowedResponse(["GET"]);
    }
    if (!takesPage(headerValue(headers, "accept") ?? "")) {
      return errorResponse(createLoyaltyError("resource_not_found"), { vary: "accept" });
    }
    return { status: 303, headers: { location: "/console", vary: "accept" }, body: null };
  },
};

/** The media ranges of a page, the most exact first (RFC 9110, section 12.5.1). */
const ranges = ["text/html", "text/*", "*/*"];

function takesPage(accept: string): boolean {
  // A client without the header accepts anything.
  if (accept.trim() === "") return true;
  const weights = new Map(
    accept.split(",").map((part) => {
      const [range = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
      return [range, weight === undefined ? 1 : Number(weight)];
    }),
  );
  const known = ranges.find((range) => weights.has(range));
  return known !== undefined && (weights.get(known) ?? 0) > 0;
}
