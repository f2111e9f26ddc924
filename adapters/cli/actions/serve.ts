import { InFlight } from "../../../src/concurrency/in-flight.js";
import { run } from "../../../src/concurrency/step.js";
import { LoyaltyService } from "../../../src/loyalty-service.js";
import type { OrganizationLimits } from "../../../src/tenant/limits.js";
import {
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
import { createWallets, pictureDecoder, type Wallets, type WalletsOptions } from "../../wallets/index.js";
import { createWebhookWorker } from "../../webhook-worker/index.js";
import type { Database } from "../database/database.js";
import { migrated, type Versions } from "../database/migration-words.js";
import { openOptionsOf, type StorageFlags } from "../database/storage-options.js";
import { openWhenUp } from "../database/wait-for-storage.js";
import { Begun } from "../server/begun.js";
import { besideApi } from "../server/beside-api.js";
import { Connections } from "../server/connections.js";
import { demoInstructions, seedDemo, tokenInstructions } from "../server/demo.js";
import { KeyWatch } from "../server/key-watch.js";
import { type Address, listen, onThisMachine, urlOf } from "../server/listen.js";
import { type ServerLog, serverLog } from "../server/log.js";
import type { LogFormat } from "../server/log-option.js";
import { serveMetrics } from "../server/metrics-server.js";
import { oauthKeyIn } from "../server/oauth-options.js";
import { publicUrlOf, uselessLinkBase } from "../server/public-url.js";
import { refusedConnections, UnnamedProxy } from "../server/refused-connections.js";
import type { Kept } from "../server/retention.js";
import { keyErrorOf, secretsKeysIn } from "../server/secrets-keys.js";
import { startErrorOf } from "../server/start-error.js";
import { stopSignal } from "../server/stop-signal.js";
import { tracerOf } from "../server/tracing.js";
import type { TrustedProxies } from "../server/trusted-proxy.js";
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
  readonly trustedProxy?: TrustedProxies;
  /** In milliseconds. */
  readonly requestTimeout: number;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  readonly log: LogFormat;
  readonly metricsPort?: number;
  readonly openTelemetry?: true;
  readonly oauthIssuer?: string;
  readonly demo: boolean;
}

/** For how long what a server has begun may take to end when the start failed, in milliseconds. */
const END_MS = 5_000;

/**
 * Serves until it is asked to end.
 * @param stop resolves when it is.
 * @throws {CommandError} why it can't start, when all that it had begun was ended again, or that took too long.
 */
export async function serve(
  options: ServeOptions,
  output: Output,
  stop: (log: ServerLog) => Promise<void> = stopSignal,
): Promise<void> {
  const log = serverLog(options.log, output);
  const begun = new Begun((error) => log.error(error));
  const stopped = stop(log);
  try {
    if (!(await begin(options, { log, output, begun, stopped }))) return;
  } catch (error) {
    let late: NodeJS.Timeout | undefined;
    await Promise.race([
      begun.end(),
      new Promise((resolve) => {
        late = setTimeout(resolve, END_MS);
      }),
    ]);
    clearTimeout(late);
    throw startErrorOf(error);
  }
  await stopped;
  log.note("loyalty-kit: finishing what is under way");
  await begun.end();
}

interface Beginning {
  readonly log: ServerLog;
  readonly output: Output;
  readonly begun: Begun;
  readonly stopped: Promise<void>;
}

/** @returns false when it was asked to end before the database was there. */
async function begin(options: ServeOptions, { log, output, begun, stopped }: Beginning): Promise<boolean> {
  const { database, formerShortLinkBase, rateLimit, oauthIssuer, demo, ...place } = options;
  const publicUrl = publicUrlOf(options.publicUrl, place);
  const shortLinkBase = options.shortLinkBase ?? (publicUrl === null ? undefined : `${publicUrl}/c`);
  const isHttps = publicUrl?.startsWith("https:") ?? false;
  const onError = (error: unknown) => log.error(error);
  const webhooks = webhookPlan(options, log);
  const oauthKey = oauthKeyIn(process.env);
  const secretsKeys = secretsKeysIn(process.env);
  const plan = walletPlan(options);
  const tracer = await tracerOf(options.openTelemetry);
  const waiting = { patience: options.wait, stop: stopped };
  const onMigration = (versions: Versions) => log.note(`loyalty-kit: ${migrated(database.name, versions)}`);
  const storage = await openWhenUp(database, { ...openOptionsOf(options), onMigration }, waiting, log);
  if (storage === null) return false;
  let close = () => storage.close();
  begun.ground(() => close());
  const loyalty = new LoyaltyService({
    storage,
    webhooks: webhooks.options,
    secretsKeys,
    ...(tracer !== null && { tracer }),
    ...(shortLinkBase !== undefined && { shortLinkBase }),
    formerShortLinkBases: formerShortLinkBase,
    pictureDecoder: pictureDecoder(),
    ...(options.limits !== undefined && { limits: options.limits }),
    ...options.keep,
    onError,
  });
  close = () => loyalty.close();
  const pages = pagesOf(loyalty, { badges: badgesIn(options), onError });
  try {
    await loyalty.secrets.check();
  } catch (error) {
    throw keyErrorOf(error);
  }
  const wallets = plan === null ? null : walletsOf(loyalty, plan, log);
  begun.work(() => wallets?.close());
  const counters = rateLimit === false ? null : await database.openRateLimits();
  begun.ground(() => counters?.close());
  const rateLimits = rateLimit !== false && {
    perToken: rateLimit,
    ...(options.organizationRateLimit !== undefined && { perOrganization: options.organizationRateLimit }),
    ...(counters !== null && { store: counters.store }),
  };
  const metrics = options.metricsPort === undefined ? null : createMetrics(loyalty);
  const api = createHttpApi(loyalty, {
    authenticate: bearerTokens(loyalty),
    rateLimits,
    extensions: besideApi(loyalty, {
      ...{ storage, isHttps, rateLimits, pages, wallets, onError },
      oauthIssuer: oauthIssuer ?? null,
      key: oauthKey ?? null,
    }),
    ...answersTo([log.request, metrics?.onAnswer]),
    onError,
  });
  const { trustedProxy, requestTimeout, maxConnections, maxConnectionsPerAddress } = options;
  const requests = new InFlight();
  // Those whose clients went away go on without a connection, and still ask the counters and the storage.
  begun.ground(() => requests.settled());
  const unnamedProxy = trustedProxy === undefined ? new UnnamedProxy(log.note) : null;
  const noted: HttpApi = {
    ...api,
    handle(request) {
      unnamedProxy?.seen(request);
      return requests.track(api.handle(request));
    },
  };
  const server = nodeServer(noted, {
    requestTimeoutMs: requestTimeout,
    maxConnections,
    maxConnectionsPerAddress,
    onRefusedConnection: refusedConnections(log.counted, trustedProxy !== undefined),
    ...trustedProxy,
  });
  const connections = new Connections(server);
  begun.work(() => connections.drain());
  // First the port: a demo token that is made and then not printed could never be seen again.
  const address = await listen(server, place);
  log.result(`loyalty-kit listens on ${urlOf(address)}`);
  if (metrics !== null) {
    const metricsServer = await serveMetrics(metrics, { ...place, port: options.metricsPort ?? 0 }, onError);
    begun.work(() => metricsServer.close());
    log.result(`metrics are at ${urlOf(metricsServer.address)}/metrics`);
  }
  const uselessBase = uselessLinkBase(shortLinkBase);
  if (uselessBase !== null) log.note(`loyalty-kit: QR codes begin with ${uselessBase}: set --public-url`);
  const keyWatch = new KeyWatch(storage, oauthKey, log.note);
  begun.work(() => keyWatch.close());
  keyWatch.start(onError);
  if (webhooks.delivers) {
    const worker = createWebhookWorker(loyalty);
    begun.work(() => worker.close());
  }
  if (demo) {
    const text = (await run(storage.isEmpty()))
      ? demoInstructions(urlOf(onThisMachine(address)), await seedDemo(loyalty, storage))
      : tokenInstructions(database.name);
    output.result(text);
  }
  return true;
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
