import { type Command, Option } from "commander";
import type { Settings, UpdateSettings } from "../../../../src/settings/schema.js";
import { type CommandTarget, organizationCommand, withOrganization } from "../database/organization.js";
import { CommandError, USAGE_ERROR_CODE } from "../terminal/command-error.js";
import { type Output, oneLine } from "../terminal/output.js";

interface SetOptions extends CommandTarget {
  readonly name?: string;
  readonly language?: string;
  readonly currency?: string;
  readonly timeZone?: string;
  readonly requiresEmail?: "yes" | "no";
}

/** Adds `loyalty-kit settings`, which shows an organization's settings or, with the subcommand `set`, changes them. */
export function addSettings(program: Command, output: Output): void {
  const settings = program.command("settings").description("show or change settings of an organization");
  const show = ({ name, logo, language, currency, timeZone, requiresEmail }: Settings) => {
    const rows = {
      ...{ name, logo: logo && "kept", language, currency, "time zone": timeZone },
      "requires email": requiresEmail ? "yes" : "no",
    };
    output.result(
      Object.entries(rows)
        .map(([what, value]) => oneLine(`${what}: ${value ?? "not set"}`))
        .join("\n"),
    );
  };

  organizationCommand(settings, "show", "show the settings", "organization id", true).action(
    async (place: CommandTarget) => show(await withOrganization(place, ({ settings }) => settings.get())),
  );

  organizationCommand(settings, "set", "change the given settings, then show all", "organization id")
    .option("--name <name>", 'shop name shown to customers; "" for none')
    .option("--language <tag>", 'language of customers whose own is unknown, such as de; "" for none')
    .option("--currency <code>", 'currency of amounts in texts, such as EUR; "" for none')
    .option("--time-zone <name>", "time zone, such as Europe/Vienna; sets where a day begins from now on")
    .addOption(
      new Option(
        "--requires-email <answer>",
        "whether new customers need an email; if no, a phone or external id is enough",
      ).choices(["yes", "no"]),
    )
    .action(async ({ name, language, currency, timeZone, requiresEmail, ...place }: SetOptions) => {
      const sent: UpdateSettings = {
        ...(name !== undefined && { name: name || null }),
        ...(language !== undefined && { language: language || null }),
        ...(currency !== undefined && { currency: currency || null }),
        ...(timeZone !== undefined && { timeZone }),
        ...(requiresEmail !== undefined && { requiresEmail: requiresEmail === "yes" }),
      };
      if (Object.keys(sent).length === 0) {
        throw new CommandError("give at least one setting to change, such as --name", USAGE_ERROR_CODE);
      }
      show(await withOrganization(place, ({ settings }) => settings.update(sent)));
    });
}
