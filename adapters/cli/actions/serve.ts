import { InFlight } from "../../../src/concurrency/in-flight.js";
import { run } from "../../../src/concurrency/step.js";
import { LoyaltyService } from "../../../src/loyalty-service.js";
import type { OrganizationLimits } from "../../../src/tenant/limits.js";
import { createConsole } from "../../console/index.js";
import {
  type AddressOf,
  type AnswerListener,
  bearerTokens,
  createHttpApi,
  type HttpApi,
  type HttpExtension,
  nodeServer,
  type RateQuota,
} from "../../http/index.js";
import { createMetrics } from "../../metrics/index.js";
import { createPages, type PagesOptions } from "../../pages/index.js";
import { createWallets, type Wallets, type WalletsOptions } from "../../wallets/index.js";
import { createWebhookWorker, type WebhookWorker } from "../../webhook-worker/index.js";
import type { Database } from "../database/database.js";
import { openOptionsOf, type StorageFlags } from "../database/storage-options.js";
import { openWhenUp } from "../database/wait-for-storage.js";
import { Connections } from "../server/connections.js";
import { demoInstructions, seedDemo, tokenInstructions } from "../server/demo.js";
import { health } from "../server/health.js";
import { home } from "../server/home.js";
import { type Address, listen, onThisMachine, urlOf } from "../server/listen.js";
import { type ServerLog, serverLog } from "../server/log.js";
import type { LogFormat } from "../server/log-option.js";
import { type MetricsServer, serveMetrics } from "../server/metrics-server.js";
import { oauthKeyIn } from "../server/oauth-options.js";
import { oauthServer } from "../server/oauth-server.js";
import { publicUrlOf, uselessLinkBase } from "../server/public-url.js";
import type { Kept } from "../server/retention.js";
import { keyErrorOf, secretsKeysIn } from "../server/secrets-keys.js";
import { stopSignal } from "../server/stop-signal.js";
import { tracerOf } from "../server/tracing.js";
import {
  asCommandError,
  type BadgeFlags,
  badgesIn,
  type WalletFlags,
  walletPlan,
} from "../server/wallets.js";
import { type WebhookFlags, webhookPlan } from "../server/webhooks.js";
import type { Output } from "../terminal/output.js";

/** What the command line says of a server. */
export interface ServeOptions extends Address, WebhookFlags, WalletFlags, BadgeFlags, StorageFlags {
  readonly database: Database;
  readonly shortLinkBase?: string;
  readonly formerShortLinkBase: readonly string[];
  readonly rateLimit: RateQuota | false;
  readonly organizationRateLimit?: RateQuota | false;
  readonly limits?: OrganizationLimits;
  readonly keep?: Kept;
  readonly trustedProxy?: AddressOf;
  /** In milliseconds. */
  readonly requestTimeout: number;
  readonly maxConnections: number;
  readonly log: LogFormat;
  readonly metricsPort?: number;
  readonly openTelemetry?: true;
  readonly oauthIssuer?: string;
  readonly demo: boolean;
}

/** Serves until it is asked to end. */
export async function serve(options: ServeOptions, output: Output): Promise<void> {
  const { database, formerShortLinkBase, rateLimit, oauthIssuer, demo, ...place } = options;
  const publicUrl = publicUrlOf(options.publicUrl, place);
  const shortLinkBase = options.shortLinkBase ?? (publicUrl === null ? undefined : `${publicUrl}/c`);
  const isHttps = publicUrl?.startsWith("https:") ?? false;
  const log = serverLog(options.log, output);
  const onError = (error: unknown) => log.error(error);
  const webhooks = webhookPlan(options, log);
  const oauthKey = oauthKeyIn(process.env);
  const secretsKeys = secretsKeysIn(process.env);
  const plan = walletPlan(options);
  const tracer = await tracerOf(options.openTelemetry);
  const stop = stopSignal(log);
  const waiting = { patience: options.wait, stop };
  const storage = await openWhenUp(database, openOptionsOf(options), waiting, log);
  if (storage === null) return;
  const loyalty = new LoyaltyService({
    storage,
    webhooks: webhooks.options,
    secretsKeys,
    ...(tracer !== null && { tracer }),
    ...(shortLinkBase !== undefined && { shortLinkBase }),
    formerShortLinkBases: formerShortLinkBase,
    ...(options.limits !== undefined && { limits: options.limits }),
    ...options.keep,
    onError,
  });
  const pages = pagesOf(loyalty, { badges: badgesIn(options), onError });
  try {
    await loyalty.secrets.check();
  } catch (error) {
    await loyalty.close();
    throw keyErrorOf(error);
  }
  const wallets = plan === null ? null : walletsOf(loyalty, plan, log);
  const counters = rateLimit === false ? null : await database.openRateLimits();
  const rateLimits = rateLimit !== false && {
    perToken: rateLimit,
    ...(options.organizationRateLimit !== undefined && { perOrganization: options.organizationRateLimit }),
    ...(counters !== null && { store: counters.store }),
  };
  const metrics = options.metricsPort === undefined ? null : createMetrics(loyalty);
  const api = createHttpApi(loyalty, {
    authenticate: bearerTokens(loyalty),
    rateLimits,
    extensions: [
      health(storage),
      createConsole(loyalty, {
        isHttps,
        rateLimits,
        onError,
        ...(oauthKey !== undefined && { key: oauthKey }),
      }),
      pages,
      home,
      ...(wallets === null ? [] : [wallets.http]),
    ],
    ...(oauthIssuer !== undefined && {
      oauth: oauthServer(loyalty, oauthIssuer, {
        ...(oauthKey !== undefined && { key: oauthKey }),
        rateLimits: rateLimit !== false && { ...(counters !== null && { store: counters.store }) },
      }),
    }),
    ...answersTo([log.request, metrics?.onAnswer]),
    onError,
  });
  const { trustedProxy, requestTimeout, maxConnections } = options;
  const requests = new InFlight();
  const noted: HttpApi = { ...api, handle: (request) => requests.track(api.handle(request)) };
  const server = nodeServer(noted, {
    requestTimeoutMs: requestTimeout,
    maxConnections,
    ...(trustedProxy !== undefined && { addressOf: trustedProxy }),
  });
  const connections = new Connections(server);
  let worker: WebhookWorker | null = null;
  let metricsServer: MetricsServer | null = null;
  try {
    // First the port: a demo token that is made and then not printed could never be seen again.
    const address = await listen(server, place);
    log.result(`loyalty-kit listens on ${urlOf(address)}`);
    if (metrics !== null) {
      metricsServer = await serveMetrics(metrics, { ...place, port: options.metricsPort ?? 0 }, onError);
      log.result(`metrics are at ${urlOf(metricsServer.address)}/metrics`);
    }
    const uselessBase = uselessLinkBase(shortLinkBase);
    if (uselessBase !== null) log.note(`loyalty-kit: QR codes begin with ${uselessBase}: set --public-url`);
    if (webhooks.delivers) worker = createWebhookWorker(loyalty);
    if (demo) {
      const text = (await run(storage.isEmpty()))
        ? demoInstructions(urlOf(onThisMachine(address)), await seedDemo(loyalty, storage))
        : tokenInstructions(database.name);
      output.result(text);
    }
    await stop;
    log.note("loyalty-kit: finishing what is under way");
  } finally {
    await Promise.all([connections.drain(), worker?.close(), wallets?.close(), metricsServer?.close()]);
    // Those whose clients went away go on without a connection, and still ask the counters and the storage.
    await requests.settled();
    await loyalty.close();
    await counters?.close();
  }
}

/** The wallets of a server, whose log has what the doctor finds and what phones complain of. */
function walletsOf(loyalty: LoyaltyService, plan: WalletsOptions, log: ServerLog): Wallets {
  try {
    return createWallets(loyalty, {
      ...plan,
      onFinding: ({ severity, message }) => log.note(`loyalty-kit: wallets: ${severity}: ${message}`),
      onDeviceLog: (line) => log.note(`loyalty-kit: a phone says: ${line}`),
    });
  } catch (error) {
    throw asCommandError(error);
  }
}

function pagesOf(loyalty: LoyaltyService, options: PagesOptions): HttpExtension {
  try {
    return createPages(loyalty, options);
  } catch (error) {
    throw asCommandError(error);
  }
}

/** Tells each of them of answers; without one nobody need observe them. */
function answersTo(listeners: readonly (AnswerListener | undefined)[]): {
  readonly onAnswer?: AnswerListener;
} {
  const present = listeners.filter((listener) => listener !== undefined);
  if (present.length === 0) return {};
  return {
    onAnswer(request) {
      for (const listener of present) listener(request);
    },
  };
}
