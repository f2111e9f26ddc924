import { InFlight } from "../../../src/concurrency/in-flight.js";
import { run } from "../../../src/concurrency/step.js";
import { hasEndedWithin } from "../../../src/concurrency/within.js";
import { LoyaltyService } from "../../../src/loyalty-service.js";
import { signals } from "../../../src/signals.js";
import type { Tracer } from "../../../src/tracing.js";
import type { WebhookOptions } from "../../../src/webhooks/options.js";
import {
  type AnswerListener,
  bearerTokens,
  createHttpApi,
  type HttpApi,
  nodeServer,
} from "../../http/index.js";
import { createMail, type Finding } from "../../mail/index.js";
import { createMetrics } from "../../metrics/index.js";
import { createPages } from "../../pages/index.js";
import { createWallets, pictureDecoder } from "../../wallets/index.js";
import {
  createAutomationWorker,
  createSegmentWorker,
  createWebhookWorker,
} from "../../webhook-worker/index.js";
import { type Database, migrated, type OpenOptions, type Versions } from "../database/database.js";
import { openWhenUp } from "../database/wait-for-storage.js";
import { clockDiagnoses } from "../doctor/database.js";
import { Connections, refusedConnections, UnnamedProxy } from "../server/connections.js";
import {
  beginFirstLook,
  demoInstructions,
  firstLookInstructions,
  mailboxInstructions,
  seedDemo,
  tokenInstructions,
} from "../server/demo.js";
import { DemoMail } from "../server/demo-mail.js";
import { serverExtensions } from "../server/extensions.js";
import { FirstLook } from "../server/first-look.js";
import { KeyWatch } from "../server/key-watch.js";
import { keyErrorOf, oauthKeyIn, secretsKeysIn } from "../server/keys.js";
import {
  listen,
  onThisMachine,
  passkeyOrigin,
  publicUrlOf,
  urlOf,
  uselessLinkBase,
} from "../server/listen.js";
import { type ServerLog, serverLog } from "../server/log.js";
import { mailNote, servedMail } from "../server/mail.js";
import { serveMetrics } from "../server/metrics-server.js";
import { OutageWatch } from "../server/outage-watch.js";
import type { ServerSettings } from "../server/settings.js";
import { Shutdown, startErrorOf, stopSignal, WEBHOOK_DRAIN_MS } from "../server/shutdown.js";
import { optionErrorOf, walletOptions } from "../server/wallets.js";
import { type Output, oneLine } from "../terminal/output.js";

/** A server's database and its settings. */
export type ServeOptions = ServerSettings & { readonly database: Database };

/** Everything that was begun may take so long to end when the start failed. */
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
  const shutdown = new Shutdown(log.error);
  const stopped = stop(log);
  try {
    if (!(await start(options, { log, output, shutdown, stopped }))) return;
  } catch (error) {
    await hasEndedWithin(END_MS, shutdown.end());
    throw startErrorOf(error);
  }
  await stopped;
  log.note("loyalty-kit: finishing what is under way");
  await shutdown.end();
}

interface Surroundings {
  readonly log: ServerLog;
  readonly output: Output;
  readonly shutdown: Shutdown;
  readonly stopped: Promise<void>;
}

/** @returns false when it was asked to end before the database was there. */
async function start(
  options: ServeOptions,
  { log, output, shutdown, stopped }: Surroundings,
): Promise<boolean> {
  const { database, rateLimit, organizationRateLimit, metricsPort, trustedProxy } = options;
  const publicUrl = publicUrlOf(options.publicUrl, options);
  const shortLinkBase = options.shortLinkBase ?? (publicUrl === null ? undefined : `${publicUrl}/c`);
  const oauthKey = oauthKeyIn(process.env);
  const secretsKeys = secretsKeysIn(process.env);
  const walletsOptions = walletOptions(options);
  const passkeys = passkeyOrigin(options);
  const mailOptions = servedMail(options);
  const demoMail = options.demo && options.mail && mailOptions === null ? new DemoMail(options) : null;
  const links = demoMail === null ? [] : [demoMail.link];
  const firstLook = options.demo ? new FirstLook(links) : null;
  const tracer = options.openTelemetry ? await openTelemetryTracer() : null;
  const opening = {
    poolSize: options.poolSize,
    statementTimeoutMs: options.statementTimeout,
    connectTimeoutMs: options.connectTimeout,
    replicas: options.replicaUrl,
    onMigration: (versions: Versions) => log.note(`loyalty-kit: ${migrated(database.name, versions)}`),
  };
  const storage = await openWhenUp(database, opening, { patience: options.wait, stop: stopped }, log);
  if (storage === null) return false;
  const outages = new OutageWatch(storage, log.note);
  const onError = (error: unknown) => {
    log.error(error);
    outages.seen(error);
  };
  let close = () => storage.close();
  shutdown.resource(() => close());
  const loyalty = new LoyaltyService({
    storage,
    webhooks: webhookOptions(options, log),
    secretsKeys,
    ...(tracer !== null && { tracer }),
    ...(shortLinkBase !== undefined && { shortLinkBase }),
    formerShortLinkBases: options.formerShortLinkBase,
    pictureDecoder: pictureDecoder(),
    ...(options.limits !== undefined && { limits: options.limits }),
    ...options.keep,
    onError,
  });
  close = () => loyalty.close();
  shutdown.worker(() => outages.close());
  const { appleBadge: apple, googleBadge: google } = options;
  const badges = { ...(apple !== undefined && { apple }), ...(google !== undefined && { google }) };
  const pages = made(() => createPages(loyalty, { badges, onError }));
  await loyalty.secrets.check().catch((error: unknown) => {
    throw keyErrorOf(error);
  });
  const wallets =
    walletsOptions === null
      ? null
      : made(() =>
          createWallets(loyalty, {
            ...walletsOptions,
            onFinding: ({ severity, message }) => log.note(`loyalty-kit: wallets: ${severity}: ${message}`),
            onDeviceLog: (line) => log.note(`loyalty-kit: a phone says: ${line}`),
          }),
        );
  shutdown.worker(() => wallets?.close());
  const told = {
    onError,
    onFinding: ({ severity, message }: Finding) => log.note(`loyalty-kit: mail: ${severity}: ${message}`),
  };
  let mail = mailOptions && made(() => createMail(loyalty, { ...mailOptions, ...told }));
  const mailsGo = signals.mailWaits.on((isWaiting) => {
    if (!isWaiting) log.note("loyalty-kit: mail: the mail server takes mails again");
  });
  shutdown.worker(() => {
    mailsGo();
    return mail?.stop();
  });
  // Requests that are under way may still queue mails.
  shutdown.resource(() => mail?.close());
  const counters = rateLimit === false ? null : await database.openRateLimits();
  shutdown.resource(() => counters?.close());
  const rateLimits = rateLimit !== false && {
    perToken: rateLimit,
    ...(organizationRateLimit !== undefined && { perOrganization: organizationRateLimit }),
    ...(counters !== null && { store: counters.store }),
  };
  const metrics = metricsPort === undefined ? null : createMetrics(loyalty, { process: true });
  const api = createHttpApi(loyalty, {
    authenticate: bearerTokens(loyalty),
    rateLimits,
    extensions: made(() =>
      serverExtensions(loyalty, {
        ...{ storage, rateLimits, pages, wallets, links, passkeys, onError },
        demoPages: [demoMail, firstLook].flatMap((part) => part?.http ?? []),
        isHttps: publicUrl?.startsWith("https:") ?? false,
        oauthIssuer: options.oauthIssuer ?? null,
        key: oauthKey ?? null,
      }),
    ),
    ...answersTo([log.request, metrics?.onAnswer]),
    onError,
  });
  const requests = new InFlight();
  // Those whose clients went away go on without a connection, and still ask the counters and the storage.
  shutdown.resource(() => requests.settled());
  const unnamedProxy = trustedProxy === undefined ? new UnnamedProxy(log.note) : null;
  const noted: HttpApi = {
    ...api,
    handle(request) {
      unnamedProxy?.seen(request);
      return requests.track(api.handle(request));
    },
  };
  const server = nodeServer(noted, {
    requestTimeoutMs: options.requestTimeout,
    maxConnections: options.maxConnections,
    maxConnectionsPerAddress: options.maxConnectionsPerAddress,
    onRefusedConnection: refusedConnections(log.counted, trustedProxy !== undefined),
    ...trustedProxy,
  });
  const connections = new Connections(server);
  shutdown.worker(() => connections.drain());
  // First the port: a demo token that is made and then not printed could never be seen again.
  const address = await listen(server, options);
  log.result(`loyalty-kit listens on ${urlOf(address)}`);
  // No request has come yet, and its mails link to the port.
  if (demoMail !== null) mail = made(() => demoMail.start(loyalty, address, { onError }));
  if (metrics !== null) {
    const place = { host: options.host, port: metricsPort ?? 0 };
    const metricsServer = await serveMetrics(metrics, place, onError);
    shutdown.worker(() => metricsServer.close());
    log.result(`metrics are at ${urlOf(metricsServer.address)}/metrics`);
  }
  const note = demoMail === null ? mailNote(options) : null;
  if (note !== null) log.note(`loyalty-kit: ${note}`);
  const uselessBase = uselessLinkBase(shortLinkBase);
  if (uselessBase !== null) log.note(`loyalty-kit: QR codes begin with ${uselessBase}: set --public-url`);
  await tellOfClock(database, opening, log);
  const keyWatch = new KeyWatch(storage, oauthKey, log.note);
  shutdown.worker(() => keyWatch.close());
  keyWatch.start(onError);
  if (options.webhooks) {
    const worker = createWebhookWorker(loyalty);
    shutdown.worker(() => worker.close({ withinMs: WEBHOOK_DRAIN_MS }));
  }
  const segments = createSegmentWorker(loyalty, { onError });
  shutdown.worker(() => segments.close());
  const automations = createAutomationWorker(loyalty);
  shutdown.worker(() => automations.close());
  if (firstLook !== null) {
    const url = urlOf(onThisMachine(address));
    const texts: string[] = [];
    if (await run(storage.isEmpty())) {
      const token = await seedDemo(loyalty, storage);
      const path = await beginFirstLook(firstLook, loyalty, token);
      texts.push(demoInstructions(url, token), firstLookInstructions(url, path));
    } else texts.push(tokenInstructions(database.name));
    if (demoMail !== null) texts.push(mailboxInstructions(url, demoMail));
    output.result(texts.join(""));
  }
  return true;
}

/** Says what the doctor says of the clock when it is wrong; where the database can't be asked, its own error comes soon. */
async function tellOfClock(database: Database, opening: OpenOptions, log: ServerLog): Promise<void> {
  const found = await database.inspect(opening).catch(() => null);
  if (found === null) return;
  for (const { state, message } of clockDiagnoses(found, Date.now()))
    if (state !== "ok") log.note(`loyalty-kit: clock: ${state}: ${message}`);
}

/** @throws {PackageMissing} when the package of OpenTelemetry is not there. */
async function openTelemetryTracer(): Promise<Tracer> {
  const { openTelemetry } = await import("../../opentelemetry/index.js");
  return openTelemetry();
}

function webhookOptions({ webhooksAllowLoopback }: ServeOptions, log: ServerLog): WebhookOptions {
  return {
    allowLoopback: webhooksAllowLoopback,
    onDisabled({ id, url, disabledReason }, { organizationId }) {
      // What stands behind the host is often a secret, and logs are read by many.
      const endpoint = `${id} (${new URL(url).origin}/…) of the organization ${organizationId}`;
      log.note(oneLine(`loyalty-kit: webhook endpoint ${endpoint} is disabled: ${disabledReason}`));
    },
  };
}

/** Makes a part of the server by its options. @throws {CommandError} when one of them can't be so. */
function made<Part>(make: () => Part): Part {
  try {
    return make();
  } catch (error) {
    throw optionErrorOf(error);
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
