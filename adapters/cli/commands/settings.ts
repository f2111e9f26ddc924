import { type Command, Option } from "commander";
import type { Settings, UpdateSettings } from "../../../src/resources/settings.js";
import { inOrganization, organizationCommand, type Place } from "../database/organization.js";
import { CommandError, WRONG_USAGE } from "../terminal/command-error.js";
import { type Output, oneLine } from "../terminal/output.js";

interface SetOptions extends Place {
  readonly name?: string;
  readonly language?: string;
  readonly currency?: string;
  readonly timeZone?: string;
  readonly requiresEmail?: "yes" | "no";
}

/** `loyalty-kit settings`, and `loyalty-kit settings set` */
export function addSettings(program: Command, output: Output): void {
  const settings = program
    .command("settings")
    .description("show the settings of an organization; or change them");
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

  organizationCommand(settings, "show", "show the settings", "whose settings", true).action(
    async (place: Place) => show(await inOrganization(place, ({ settings }) => settings.get())),
  );

  organizationCommand(settings, "set", "change those that are given, and show all", "whose settings")
    .option("--name <name>", 'the name of the shop, as customers see it; "" for none')
    .option("--language <tag>", 'that of customers whose own is not known, such as de; "" for none')
    .option("--currency <code>", 'that of amounts in words, such as EUR; "" for none')
    .option("--time-zone <name>", "the zone whose days statistics count from now on, such as Europe/Vienna")
    .addOption(
      new Option(
        "--requires-email <answer>",
        "whether new customers need an email; with no, a phone or external ID is enough",
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
        throw new CommandError("give a setting to change, such as --name", WRONG_USAGE);
      }
      show(await inOrganization(place, ({ settings }) => settings.update(sent)));
    });
}
