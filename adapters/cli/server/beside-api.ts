import type { LoyaltyService } from "../../../src/loyalty-service.js";
import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import { createConsole } from "../../console/index.js";
import type { HttpExtension, RateLimitOptions } from "../../http/index.js";
import type { Wallets } from "../../wallets/index.js";
import { health } from "./health.js";
import { home } from "./home.js";
import { oauthServer } from "./oauth-server.js";

/** What a server is to have beside its API. */
export interface BesideApi {
  readonly storage: StorageAdapter;
  readonly isHttps: boolean;
  readonly rateLimits: RateLimitOptions | false;
  readonly pages: HttpExtension;
  readonly wallets: Pick<Wallets, "http"> | null;
  /** `null` for no OAuth 2.0. */
  readonly oauthIssuer: string | null;
  /** The secret that processes share, if they do. */
  readonly key: string | null;
  readonly onError: (error: unknown) => void;
}

/** All that a server answers beside its API. Nearly all of it is for strangers: docs/security.md tells what each costs. */
export function besideApi(loyalty: LoyaltyService, options: BesideApi): HttpExtension[] {
  const { storage, isHttps, rateLimits, pages, wallets, oauthIssuer, key, onError } = options;
  const secret = key === null ? {} : { key };
  const store = rateLimits === false ? undefined : rateLimits.store;
  return [
    health(storage),
    createConsole(loyalty, { isHttps, rateLimits, onError, ...secret }),
    pages,
    home,
    ...(wallets === null ? [] : [wallets.http]),
    ...(oauthIssuer === null
      ? []
      : [
          oauthServer(loyalty, oauthIssuer, {
            ...secret,
            rateLimits: rateLimits !== false && { ...(store !== undefined && { store }) },
          }),
        ]),
  ];
}
