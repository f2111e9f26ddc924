import { type Command, Option } from "commander";
import type { Settings, UpdateSettings } from "../../../../src/settings/schema.js";
import { addOrganizationCommand, type CommandTarget, withOrganization } from "../database/organization.js";
import { CommandError, USAGE_ERROR_CODE } from "../terminal/command-error.js";
import { type Output, toSingleLine } from "../terminal/output.js";

interface SetOptions extends CommandTarget {
  readonly name?: string;
  readonly language?: string;
  readonly currency?: string;
  readonly timeZone?: string;
  readonly requiresEmail?: "yes" | "no";
}

/** Adds `loyalty-kit settings`, which shows an organization's settings or, with the subcommand `set`, changes them. */
export function addSettings(program: Command, output: Output): void {
  const settings = program.command("settings").description("show or change an organization's settings");
  const show = ({ name, logo, language, currency, timeZone, requiresEmail }: Settings) => {
    const rows = {
      ...{ name, logo: logo && "set", language, currency, "time zone": timeZone },
      "requires email": requiresEmail ? "yes" : "no",
    };
    output.result(
      Object.entries(rows)
        .map(([label, value]) => toSingleLine(`${label}: ${value ?? "not set"}`))
        .join("\n"),
    );
  };

  addOrganizationCommand(settings, "show", "show the settings", { isDefault: true }).action(
    async (target: CommandTarget) => show(await withOrganization(target, ({ settings }) => settings.get())),
  );

  addOrganizationCommand(settings, "set", "change settings, then show all of them")
    .option("--name <name>", 'shop name shown to customers (use "" to clear it)')
    .option("--language <tag>", 'default language for customers, such as de (use "" to clear it)')
    .option("--currency <code>", 'currency in which amounts are shown, such as EUR (use "" to clear it)')
    .option(
      "--time-zone <name>",
      "time zone, such as Europe/Vienna; determines when each day begins from now on",
    )
    .addOption(
      new Option(
        "--requires-email <answer>",
        "whether new customers need an email address; if not, a phone number or external ID is enough",
      ).choices(["yes", "no"]),
    )
    .action(async ({ name, language, currency, timeZone, requiresEmail, ...target }: SetOptions) => {
      const update: UpdateSettings = {
        ...(name !== undefined && { name: name || null }),
        ...(language !== undefined && { language: language || null }),
        ...(currency !== undefined && { currency: currency || null }),
        ...(timeZone !== undefined && { timeZone }),
        ...(requiresEmail !== undefined && { requiresEmail: requiresEmail === "yes" }),
      };
      if (Object.keys(update).length === 0) {
        throw new CommandError("specify at least one setting to change, such as --name", USAGE_ERROR_CODE);
      }
      show(await withOrganization(target, ({ settings }) => settings.update(update)));
    });
}
