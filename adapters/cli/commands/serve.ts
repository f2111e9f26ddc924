import { type Command, InvalidArgumentError, Option } from "commander";
import { LoyaltyService } from "../../../src/loyalty-service.js";
import { bearerTokens, createHttpApi, nodeServer, type RateQuota } from "../../http/index.js";
import { createWebhookWorker, type WebhookWorker } from "../../webhook-worker/index.js";
import type { Database } from "../database/database.js";
import { databaseOption } from "../database/open-database.js";
import { Connections } from "../server/connections.js";
import { demoInstructions, seedDemo, tokenInstructions } from "../server/demo.js";
import { type Address, listen, onThisMachine, urlOf } from "../server/listen.js";
import { oauthIssuerOption, oauthKeyHelp, oauthKeyIn, oauthServer } from "../server/oauth-server.js";
import { rateLimitOption } from "../server/rate-limit.js";
import { stopSignal } from "../server/stop-signal.js";
import { allowLoopbackOption, type WebhookFlags, webhookPlan, webhooksOption } from "../server/webhooks.js";
import { environmentFlag } from "../terminal/environment-flag.js";
import type { Output } from "../terminal/output.js";

interface ServeOptions extends Address, WebhookFlags {
  readonly database: Database;
  readonly shortLinkBase?: string;
  readonly formerShortLinkBase: readonly string[];
  readonly rateLimit: RateQuota | false;
  readonly oauthIssuer?: string;
  readonly demo: boolean;
}

/** `loyalty-kit serve` */
export function addServe(program: Command, output: Output): void {
  program
    .command("serve")
    .description("serve the HTTP interface until SIGTERM or SIGINT; a missing file is created")
    .addOption(databaseOption())
    .addOption(
      new Option("--host <address>", "where to listen")
        .env("LOYALTY_HOST")
        .argParser(parseHost)
        .default("127.0.0.1"),
    )
    .addOption(
      new Option("--port <number>", "0 for a free one")
        .env("LOYALTY_PORT")
        .argParser(parsePort)
        .default(3000),
    )
    .addOption(
      new Option("--short-link-base <url>", "what QR values begin with")
        .env("LOYALTY_SHORT_LINK_BASE")
        .argParser(parseLinkBase),
    )
    .addOption(
      new Option("--former-short-link-base <url>", "what QR values in use began with; may be given for each")
        .env("LOYALTY_FORMER_SHORT_LINK_BASE")
        .argParser((text: string, before: readonly string[]) => [...before, parseLinkBase(text)])
        .default([], "none"),
    )
    .addOption(rateLimitOption())
    .addOption(oauthIssuerOption())
    .addOption(webhooksOption())
    .addOption(allowLoopbackOption())
    .addOption(
      new Option(
        "--demo",
        "on an empty database: make an organization and a token to try (env: LOYALTY_DEMO=true)",
      ),
    )
    .addHelpText("after", `\nAn option wins over its environment variable.\n${oauthKeyHelp}`)
    .action((options: Omit<ServeOptions, "demo"> & { readonly demo?: true }) =>
      serve({ ...options, demo: options.demo ?? environmentFlag("LOYALTY_DEMO", false) }, output),
    );
}

async function serve(options: ServeOptions, output: Output): Promise<void> {
  const { database, shortLinkBase, formerShortLinkBase, rateLimit, oauthIssuer, demo, ...place } = options;
  const webhooks = webhookPlan(options, output);
  const oauthKey = oauthKeyIn(process.env);
  const stop = stopSignal(output);
  const storage = await database.open();
  const loyalty = new LoyaltyService({
    storage,
    webhooks: webhooks.options,
    ...(shortLinkBase !== undefined && { shortLinkBase }),
    formerShortLinkBases: formerShortLinkBase,
  });
  const counters = rateLimit === false ? null : await database.openRateLimits();
  const rateLimits = rateLimit !== false && {
    perToken: rateLimit,
    ...(counters !== null && { store: counters.store }),
  };
  const api = createHttpApi(loyalty, {
    authenticate: bearerTokens(loyalty),
    rateLimits,
    ...(oauthIssuer !== undefined && { oauth: oauthServer(loyalty, oauthIssuer, oauthKey) }),
  });
  const server = nodeServer(api);
  const connections = new Connections(server);
  let worker: WebhookWorker | null = null;
  try {
    // First the port: a demo token that is made and then not printed could never be seen again.
    const address = await listen(server, place);
    output.result(`loyalty-kit listens on ${urlOf(address)}`);
    if (shortLinkBase === undefined) {
      output.note(
        "loyalty-kit: QR codes begin with https://pass.invalid, which leads nowhere: set --short-link-base",
      );
    }
    if (webhooks.delivers) worker = createWebhookWorker(loyalty);
    if (demo) {
      const text = (await storage.isEmpty())
        ? demoInstructions(urlOf(onThisMachine(address)), await seedDemo(loyalty))
        : tokenInstructions(database.name);
      output.result(text);
    }
    await stop;
    output.note("loyalty-kit: finishing what is under way");
  } finally {
    await Promise.all([connections.drain(), worker?.close()]);
    await loyalty.close();
    await counters?.close();
  }
}

/** Node would take an empty one for every address of the machine. */
function parseHost(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("It must not be empty.");
  return text;
}

function parsePort(text: string): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new InvalidArgumentError("It must be a number from 0 to 65535.");
  return port;
}

function parseLinkBase(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new InvalidArgumentError("It must be an http or https URL.");
  }
  return text;
}
