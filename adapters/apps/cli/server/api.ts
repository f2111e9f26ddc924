import { TaskTracker } from "../../../../src/base/concurrency/task-tracker.js";
import type { LoyaltyService } from "../../../../src/loyalty-service.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import type { Wallets } from "../../../delivery/wallets/index.js";
import { bearerTokens, createHttpApi, type HttpApi, type ResponseListener } from "../../../http/index.js";
import type { ConsoleServer } from "../../console/index.js";
import { createPages } from "../../pages/index.js";
import type { Database } from "../database/database.js";
import { UntrustedProxyWarning } from "./connections.js";
import { createServerExtensions } from "./extensions.js";
import { createOperatorTest } from "./operators.js";
import type { ServerPlan } from "./plan.js";
import { createPart, type ServerContext } from "./server-context.js";
import type { ServerSettings } from "./settings.js";

/** What a server's API needs to answer requests. */
interface ApiDependencies {
  readonly loyalty: LoyaltyService;
  readonly storage: StorageAdapter;
  readonly database: Database;
  readonly wallets: Wallets | null;
  /** Checks the server as the doctor does. */
  readonly check: ConsoleServer["check"];
  /** Called for each response, in addition to the log. */
  readonly onResponse: ResponseListener | undefined;
}

/**
 * Creates a server's HTTP API together with its extensions.
 * @throws {CommandError} if an option is invalid.
 */
export async function openApi(
  { loyalty, storage, database, wallets, check, onResponse }: ApiDependencies,
  settings: ServerSettings,
  { publicUrl, passkeys, demo, oauthKey }: ServerPlan,
  { log, shutdown, onError }: ServerContext,
): Promise<HttpApi> {
  const { rateLimit, organizationRateLimit, organizationTime, trustedProxy } = settings;
  const { appleBadge: apple, googleBadge: google } = settings;
  const badges = { ...(apple !== undefined && { apple }), ...(google !== undefined && { google }) };
  const counters = rateLimit === false ? null : await database.openRateLimits();
  shutdown.addResource(() => counters?.close());
  const rateLimits = rateLimit !== false && {
    perToken: rateLimit,
    ...(organizationRateLimit !== undefined && { perOrganization: organizationRateLimit }),
    timePerOrganization: organizationTime,
    ...(counters !== null && { store: counters.store }),
  };
  const isListedOperator = createOperatorTest(settings.operators ?? []);
  const extensions = createPart(() =>
    createServerExtensions(loyalty, {
      ...{ storage, rateLimits, wallets, passkeys, onError },
      pages: createPages(loyalty, { badges, onError }),
      server: { isOperator: (user) => isListedOperator(user) || demo?.isOwner(user) === true, check },
      links: demo?.links ?? [],
      demoPages: demo?.pages ?? [],
      isHttps: publicUrl?.startsWith("https:") ?? false,
      oauthIssuer: settings.oauthIssuer ?? null,
      key: oauthKey ?? null,
    }),
  );
  const authenticate = bearerTokens(loyalty);
  const listener = combineListeners([log.request, onResponse]);
  const api = createHttpApi(loyalty, { authenticate, rateLimits, extensions, ...listener, onError });
  const requests = new TaskTracker();
  // Requests whose clients have disconnected keep running without a connection, and still use the counters and the storage.
  shutdown.addResource(() => requests.whenIdle());
  const proxyWarning = trustedProxy === undefined ? new UntrustedProxyWarning(log.note) : null;
  return {
    ...api,
    handle(request) {
      proxyWarning?.checkRequest(request);
      return requests.track(api.handle(request));
    },
  };
}

/** Combines listeners for responses. If there are none, responses aren't observed. */
function combineListeners(listeners: readonly (ResponseListener | undefined)[]): {
  readonly onResponse?: ResponseListener;
} {
  const activeListeners = listeners.filter((listener) => listener !== undefined);
  if (activeListeners.length === 0) return {};
  return {
    onResponse(request) {
      for (const listener of activeListeners) listener(request);
    },
  };
}
