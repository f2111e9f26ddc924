import { type Command, Option } from "commander";
import type { Database } from "../database/database.js";
import { databaseOption } from "../database/open-database.js";
import { CommandError } from "../terminal/command-error.js";
import { type Output, oneLine } from "../terminal/output.js";
import { Repeated } from "../terminal/repeated.js";

interface CheckCommandOptions {
  readonly database: Database;
  readonly organization?: string;
  readonly mend: boolean;
}

/** `loyalty-kit check` */
export function addCheck(program: Command, output: Output): void {
  program
    .command("check")
    .description(
      "look whether segments, searches, ledgers, folds, counters, statistics, references and the audit trail are right",
    )
    .addOption(databaseOption())
    .addOption(new Option("--organization <id>", "only this one; all unless given"))
    .addOption(new Option("--mend", "make anew what is wrong and follows from the rest").default(false))
    .action(async ({ database, organization, mend }: CheckCommandOptions) => {
      const { checkStorage } = await import("../../checking/index.js");
      const storage = await database.open();
      const options = { mend, ...(organization !== undefined && { organizationId: organization }) };
      const findings = await checkStorage(storage, options).finally(() => storage.close());
      const told = new Repeated(output);
      for (const { organizationId, kind, about, isMended, reason } of findings) {
        const what = oneLine(`${organizationId}: ${kind}`);
        const how = isMended ? "was wrong, and is mended" : "is wrong";
        const why = isMended || reason === undefined ? "" : `: ${reason}`;
        told.tell(`${what} ${how}`, oneLine(`${what}: ${about} ${how}${why}`));
      }
      told.end("findings");
      const left = findings.filter(({ isMended }) => !isMended).length;
      if (left > 0) throw new CommandError(`${left} of what was looked at is wrong`);
      output.result(findings.length === 0 ? "all is well" : `all is well, ${findings.length} mended`);
    });
}
