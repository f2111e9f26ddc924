import { Command, CommanderError } from "commander";
import { version } from "../../../package.json";
import { escapeControlsInJson } from "../../../src/base/values/display-text.js";
import { PackageMissing } from "../../setup/peers.js";
import { addApp } from "./commands/app.js";
import { addAudit } from "./commands/audit.js";
import { addAutomation } from "./commands/automation.js";
import { addCompletion } from "./commands/completion.js";
import { addCreate } from "./commands/create.js";
import { addBackup, addCheck, addCopy, addMigrate, addSeal } from "./commands/database.js";
import { addDoctor } from "./commands/doctor.js";
import { addExport } from "./commands/export.js";
import { addImport } from "./commands/import.js";
import { addMail } from "./commands/mail.js";
import { addMessage } from "./commands/message.js";
import { addPeople } from "./commands/people.js";
import { addSegment } from "./commands/segment.js";
import { addServe } from "./commands/serve.js";
import { addSettings } from "./commands/settings.js";
import { addTags } from "./commands/tags.js";
import { addToken } from "./commands/token.js";
import { addWallets } from "./commands/wallets.js";
import { appendDocsLink, CommandError, FAILURE_CODE, USAGE_ERROR_CODE } from "./terminal/command-error.js";
import { escapeStack, type Output, toSingleLine } from "./terminal/output.js";
import { redactSecrets } from "./terminal/without-secrets.js";

/**
 * Runs the command-line program. Prints a stack trace for unexpected errors.
 * @param argv the command-line arguments, without the program's name.
 * @returns the exit code: 0 for success, 1 for failure, or 2 for incorrect usage.
 */
export async function run(argv: readonly string[], terminal: Output): Promise<number> {
  const output = createStartupOutput(argv, process.env, terminal);
  try {
    await createLoyaltyKit(output).parseAsync(argv, { from: "user" });
    return 0;
  } catch (error) {
    // Commander has already printed its message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR_CODE;
    if (error instanceof PackageMissing) {
      output.note(`loyalty-kit: ${error.message}`);
      return FAILURE_CODE;
    }
    if (error instanceof CommandError) {
      output.note(`loyalty-kit: ${appendDocsLink(toSingleLine(redactSecrets(error.message)), error)}`);
      return error.exitCode;
    }
    output.note(
      escapeStack(redactSecrets(error instanceof Error ? (error.stack ?? error.message) : String(error))),
    );
    return FAILURE_CODE;
  }
}

function createLoyaltyKit(output: Output): Command {
  const program = new Command("loyalty-kit")
    .description("Run the loyalty server and manage its database, API tokens, and apps.")
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => output.result(text.trimEnd()),
      writeErr: (text) => output.note(text.trimEnd()),
      outputError: (text, write) =>
        write(`loyalty-kit: ${toSingleLine(redactSecrets(text.replace(/^error: /, "")))}`),
    });
  addServe(program, output);
  addDoctor(program, output);
  addToken(program, output);
  addPeople(program, output);
  addApp(program, output);
  addMigrate(program, output);
  addBackup(program, output);
  addCopy(program, output);
  addCheck(program, output);
  addAudit(program, output);
  addImport(program, output);
  addExport(program, output);
  addSegment(program, output);
  addTags(program, output);
  addSettings(program, output);
  addSeal(program, output);
  addWallets(program, output);
  addMail(program, output);
  addMessage(program, output);
  addAutomation(program, output);
  addCreate(program, output);
  addCompletion(program, output);
  return program;
}

/** Pino's log level for the error that ends a server. */
const FATAL_LEVEL = 60;

/**
 * Returns the output for errors that occur before a command starts, such as invalid options. A server with a JSON log gets them as
 * log lines.
 */
function createStartupOutput(argv: readonly string[], env: NodeJS.ProcessEnv, output: Output): Output {
  if (argv[0] !== "serve" || findLogFormat(argv, env) !== "json") return output;
  return {
    result: (line) => output.result(line),
    note: (message) => {
      const line = { level: FATAL_LEVEL, time: new Date().toISOString(), pid: process.pid, message };
      output.result(escapeControlsInJson(JSON.stringify(line)));
    },
  };
}

/** Finds the value of `--log` without parsing the options, because another option may be invalid. */
function findLogFormat(argv: readonly string[], env: NodeJS.ProcessEnv): string | undefined {
  const index = argv.findLastIndex((word) => word === "--log" || word.startsWith("--log="));
  if (index === -1) return env.LOYALTY_LOG;
  return argv[index] === "--log" ? argv[index + 1] : argv[index]?.slice("--log=".length);
}
