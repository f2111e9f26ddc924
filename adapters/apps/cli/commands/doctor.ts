import { type Command, Option } from "commander";
import type { DoctorOptions } from "../actions/doctor.js";
import { databaseOption } from "../database/organization.js";
import { serverSettings } from "../server/settings.js";
import type { Output } from "../terminal/output.js";
import { addSettings, readFlags } from "../terminal/setting.js";

/** Adds `loyalty-kit doctor`, which examines an installation. */
export function addDoctor(program: Command, output: Output): void {
  const command = program
    .command("doctor")
    .description("check a server's configuration and database; takes the options of serve, changes nothing")
    .addOption(databaseOption())
    .addOption(new Option("--json", "print one JSON object instead of lines").default(false));
  addSettings(command, serverSettings).action(async (options: DoctorOptions) => {
    const { runDoctor } = await import("../actions/doctor.js");
    await runDoctor({ ...options, ...readFlags(serverSettings, options) }, output);
  });
}
