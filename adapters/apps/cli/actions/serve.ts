import { runStep } from "../../../../src/base/concurrency/step.js";
import { finishesWithin } from "../../../../src/base/concurrency/timeout.js";
import type { LoyaltyService } from "../../../../src/loyalty-service.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import { createWallets, type Wallets } from "../../../delivery/wallets/index.js";
import { type HttpApi, nodeServer } from "../../../http/index.js";
import { createMetrics } from "../../../observability/index.js";
import { type Database, formatMigration, type OpenOptions, type Versions } from "../database/database.js";
import { openWithRetry } from "../database/wait-for-storage.js";
import { diagnoseClocks } from "../doctor/database.js";
import { diagnose } from "../doctor/diagnose.js";
import { openApi } from "../server/api.js";
import { createRefusalReporter, HttpConnections } from "../server/connections.js";
import { KeyWatch } from "../server/key-watch.js";
import {
  type Address,
  describeUselessLinkBase,
  formatUrl,
  listen,
  toLocalAddress,
} from "../server/listen.js";
import { createServerLog, type ServerLog } from "../server/log.js";
import { describeMail } from "../server/mail.js";
import { MailService } from "../server/mail-service.js";
import { serveMetrics } from "../server/metrics-server.js";
import { OutageWatch } from "../server/outage-watch.js";
import { createServerPlan, type ServerPlan } from "../server/plan.js";
import { createPart, type ServerContext } from "../server/server-context.js";
import { openService, startWorkers } from "../server/service.js";
import type { ServerSettings } from "../server/settings.js";
import { Shutdown, toStartError, waitForStopSignal } from "../server/shutdown.js";
import type { Output } from "../terminal/output.js";

export type ServeOptions = ServerSettings & { readonly database: Database };

/** How long cleanup may take after a failed start, in milliseconds. */
const CLEANUP_TIMEOUT_MS = 5_000;

/**
 * Runs the server until the promise returned by `stop` resolves, and then shuts it down.
 * @param stop a function that is called once, at startup, and returns a promise.
 * @throws {CommandError} if the server can't start. The error states the reason and is thrown only after cleanup has finished or
 *   timed out.
 */
export async function serve(
  options: ServeOptions,
  output: Output,
  stop: (log: ServerLog) => Promise<void> = waitForStopSignal,
): Promise<void> {
  const log = createServerLog(options.log, output);
  const shutdown = new Shutdown(log.error);
  const stopped = stop(log);
  try {
    if (!(await startServer(options, { log, output, shutdown, stopped }))) return;
  } catch (error) {
    await finishesWithin(CLEANUP_TIMEOUT_MS, shutdown.stopAll());
    throw toStartError(error);
  }
  await stopped;
  log.note("loyalty-kit: shutting down once requests and jobs in progress have finished");
  await shutdown.stopAll();
}

interface ServeContext {
  readonly log: ServerLog;
  readonly output: Output;
  readonly shutdown: Shutdown;
  readonly stopped: Promise<void>;
}

/** @returns false if the server was asked to stop before the database was available. */
async function startServer(
  options: ServeOptions,
  { log, output, shutdown, stopped }: ServeContext,
): Promise<boolean> {
  const { database } = options;
  const plan = await createServerPlan(options, process.env);
  const databaseOptions = buildOpenOptions(options, log);
  const storage = await openWithRetry(
    database,
    databaseOptions,
    { timeoutMs: options.wait, stop: stopped },
    log,
  );
  if (storage === null) return false;
  const outages = new OutageWatch(storage, log.note);
  const onError = (error: unknown) => {
    log.error(error);
    outages.onError(error);
  };
  const context: ServerContext = { log, shutdown, onError };
  const loyalty = await openService(storage, options, plan, context);
  shutdown.addWorker(() => outages.close());
  const wallets = openWallets(loyalty, plan, context);
  const mail = new MailService(loyalty, plan, context);
  const metrics = options.metricsPort === undefined ? null : createMetrics(loyalty, { process: true });
  const check = () => diagnose(database, options);
  const apiDependencies = { loyalty, storage, database, wallets, check, onResponse: metrics?.onResponse };
  const api = await openApi(apiDependencies, options, plan, context);
  // Open the port first: a demo token that is created but never printed would be lost.
  const address = await openPort(api, options, context);
  log.result(`loyalty-kit is listening on ${formatUrl(address)}`);
  // No request has arrived yet, and the demo's emails need the port for their links.
  if (plan.demo?.mail) mail.startDemo(plan.demo.mail, address);
  if (metrics !== null) {
    const listenAddress = { host: options.host, port: options.metricsPort ?? 0 };
    const metricsServer = await serveMetrics(metrics, listenAddress, onError);
    shutdown.addWorker(() => metricsServer.close());
    log.result(`metrics are available at ${formatUrl(metricsServer.address)}/metrics`);
  }
  logPlan(plan, options, log);
  await logClock(database, databaseOptions, log);
  const keyWatch = new KeyWatch(storage, plan.oauthKey, log.note);
  shutdown.addWorker(() => keyWatch.close());
  keyWatch.start(onError);
  startWorkers(loyalty, options.webhooks, context);
  const url = formatUrl(toLocalAddress(address));
  if (plan.demo === null) await logFirstSignIn(storage, plan.publicUrl ?? url, log);
  else output.result(await plan.demo.start(loyalty, storage, { database: database.name, url }));
  return true;
}

function buildOpenOptions(options: ServeOptions, log: ServerLog): OpenOptions {
  return {
    poolSize: options.poolSize,
    statementTimeoutMs: options.statementTimeout,
    connectTimeoutMs: options.connectTimeout,
    replicas: options.replicaUrl,
    onMigration: (versions: Versions) =>
      log.note(`loyalty-kit: ${formatMigration(options.database.name, versions)}`),
  };
}

function openWallets(
  loyalty: LoyaltyService,
  { wallets: options }: ServerPlan,
  { log, shutdown }: ServerContext,
): Wallets | null {
  if (options === null) return null;
  const wallets = createPart(() =>
    createWallets(loyalty, {
      ...options,
      onFinding: ({ severity, message }) => log.note(`loyalty-kit: wallets: ${severity}: ${message}`),
      onDeviceLog: (line) => log.note(`loyalty-kit: log message from a phone: ${line}`),
    }),
  );
  shutdown.addWorker(() => wallets.close());
  return wallets;
}

function openPort(api: HttpApi, options: ServeOptions, { log, shutdown }: ServerContext): Promise<Address> {
  const { trustedProxy } = options;
  const server = nodeServer(api, {
    requestTimeoutMs: options.requestTimeout,
    maxConnections: options.maxConnections,
    maxConnectionsPerAddress: options.maxConnectionsPerAddress,
    onRefusedConnection: createRefusalReporter(log.logDeduped, trustedProxy !== undefined),
    ...trustedProxy,
  });
  const connections = new HttpConnections(server);
  shutdown.addWorker(() => connections.drain());
  return listen(server, options);
}

/** Logs where emails go, and warns if customers can't use the links in QR codes. */
function logPlan({ demo, shortLinkBase }: ServerPlan, options: ServeOptions, log: ServerLog): void {
  const note = demo?.mail ? null : describeMail(options);
  if (note !== null) log.note(`loyalty-kit: ${note}`);
  const uselessBase = describeUselessLinkBase(shortLinkBase);
  if (uselessBase !== null)
    log.note(
      `loyalty-kit: QR codes won't work for customers because they link to ${uselessBase}; set --public-url`,
    );
}

/** Logs the doctor's clock warnings. If the database can't be inspected, its own error will be reported soon enough. */
async function logClock(database: Database, databaseOptions: OpenOptions, log: ServerLog): Promise<void> {
  const inspection = await database.inspect(databaseOptions).catch(() => null);
  if (inspection === null) return;
  for (const { state, message } of diagnoseClocks(inspection, Date.now()))
    if (state !== "ok") log.note(`loyalty-kit: clock: ${state}: ${message}`);
}

/** Logs how the first person signs in if the database is empty. If it can't be read, its own error will be reported soon enough. */
async function logFirstSignIn(storage: StorageAdapter, url: string, log: ServerLog): Promise<void> {
  if (!(await runStep(storage.all.isEmpty()).catch(() => false))) return;
  log.note(
    "loyalty-kit: there is no organization yet; to add one and get a link to sign in to the console, run " +
      `"loyalty-kit people add you@example.com --role owner --organization my-shop --public-url ${url}" with this --database`,
  );
}
