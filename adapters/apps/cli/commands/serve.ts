import type { Command } from "commander";
import type { ServeOptions } from "../actions/serve.js";
import { createDatabaseOption } from "../database/organization.js";
import { oauthKeyHelp, secretKeysHelp } from "../server/keys.js";
import { serverSettings } from "../server/settings.js";
import type { Output } from "../terminal/output.js";
import { addSettings, readFlags } from "../terminal/setting.js";

/**
 * Adds `loyalty-kit serve`, which runs a server.
 * @param start the function that runs the server. It returns a promise that resolves when the server has stopped.
 */
export function addServe(
  program: Command,
  output: Output,
  start = async (options: ServeOptions) => (await import("../actions/serve.js")).serve(options, output),
): void {
  const command = program
    .command("serve")
    .description(
      "run the HTTP server until it receives SIGTERM or SIGINT; creates the SQLite file if it doesn't exist",
    )
    .addOption(createDatabaseOption());
  addSettings(command, serverSettings)
    .addHelpText(
      "after",
      `\nOptions override environment variables.\n${oauthKeyHelp}
${secretKeysHelp}`,
    )
    .action((options: ServeOptions) => start({ ...options, ...readFlags(serverSettings, options) }));
}
