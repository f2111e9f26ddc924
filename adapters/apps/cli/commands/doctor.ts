import { type Command, Option } from "commander";
import type { DoctorOptions } from "../actions/doctor.js";
import { createDatabaseOption } from "../database/organization.js";
import { serverSettings } from "../server/settings.js";
import type { Output } from "../terminal/output.js";
import { addSettings, readFlags } from "../terminal/setting.js";

/** Adds `loyalty-kit doctor`, which examines a server's settings and database without changing anything. */
export function addDoctor(program: Command, output: Output): void {
  const command = program
    .command("doctor")
    .description(
      "check a server's configuration and database without changing anything; accepts the same options as serve",
    )
    .addOption(createDatabaseOption())
    .addOption(new Option("--json", "print the results as a JSON object").default(false));
  addSettings(command, serverSettings).action(async (options: DoctorOptions) => {
    const { runDoctor } = await import("../actions/doctor.js");
    await runDoctor({ ...options, ...readFlags(serverSettings, options) }, output);
  });
}
