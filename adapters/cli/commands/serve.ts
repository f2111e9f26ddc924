import { type Command, InvalidArgumentError, Option } from "commander";
import { canBeBase } from "../../../src/values/short-link.js";
import { urlOf } from "../../../src/values/url.js";
import type { ServeOptions } from "../actions/serve.js";
import { databaseOption } from "../database/open-database.js";
import { storageOptions } from "../database/storage-options.js";
import {
  maxConnectionsOption,
  maxConnectionsPerAddressOption,
  requestTimeoutOption,
} from "../server/connection-limits.js";
import { limitsOption } from "../server/limits.js";
import { parsePort } from "../server/listen.js";
import { logOption } from "../server/log-option.js";
import { metricsPortOption } from "../server/metrics-server.js";
import { oauthIssuerOption, oauthKeyHelp } from "../server/oauth-options.js";
import { organizationRateLimitOption, rateLimitOption } from "../server/rate-limit.js";
import { keepOption } from "../server/retention.js";
import { secretsKeyHelp } from "../server/secrets-keys.js";
import { openTelemetryOption } from "../server/tracing.js";
import { trustedProxyOption } from "../server/trusted-proxy.js";
import { withBadgeOptions, withWalletOptions } from "../server/wallets.js";
import { allowLoopbackOption, webhooksOption } from "../server/webhooks.js";
import { environmentFlag } from "../terminal/environment-flag.js";
import type { Output } from "../terminal/output.js";

/** `loyalty-kit serve` @param start begins to serve, and resolves when that has ended. */
export function addServe(
  program: Command,
  output: Output,
  start = async (options: ServeOptions) => (await import("../actions/serve.js")).serve(options, output),
): void {
  const command = program
    .command("serve")
    .description("serve the HTTP interface until SIGTERM or SIGINT; a missing file is created")
    .addOption(databaseOption());
  for (const option of storageOptions()) command.addOption(option);
  command
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
      new Option("--short-link-base <url>", "what QR values begin with; /c of the public URL unless given")
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
    .addOption(organizationRateLimitOption())
    .addOption(limitsOption())
    .addOption(keepOption())
    .addOption(trustedProxyOption())
    .addOption(requestTimeoutOption())
    .addOption(maxConnectionsOption())
    .addOption(maxConnectionsPerAddressOption())
    .addOption(logOption())
    .addOption(metricsPortOption())
    .addOption(openTelemetryOption())
    .addOption(oauthIssuerOption())
    .addOption(webhooksOption())
    .addOption(allowLoopbackOption());
  withBadgeOptions(withWalletOptions(command))
    .addOption(
      new Option(
        "--demo",
        "on an empty database: make an organization and a token to try (env: LOYALTY_DEMO=true)",
      ),
    )
    .addHelpText(
      "after",
      `\nAn option wins over its environment variable.\n${oauthKeyHelp}
${secretsKeyHelp}`,
    )
    .action(async (options: Omit<ServeOptions, "demo"> & { readonly demo?: true }) => {
      const demo = options.demo ?? environmentFlag("LOYALTY_DEMO", false);
      await start({ ...options, demo });
    });
}

/** Node would take an empty one for every address of the machine. */
function parseHost(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("It must not be empty.");
  return text;
}

function parseLinkBase(text: string): string {
  if (!/^https?:$/.test(urlOf(text)?.protocol ?? "") || !canBeBase(text)) {
    throw new InvalidArgumentError("It must be an http or https URL without a query and a fragment.");
  }
  return text;
}
