import type { Command } from "commander";
import type { Settings } from "../../../src/resources/settings.js";
import { inOrganization, organizationCommand, type Place } from "../database/organization.js";
import type { Output } from "../terminal/output.js";

interface SetOptions extends Place {
  readonly timeZone: string;
}

/** `loyalty-kit settings`, and `loyalty-kit settings set` */
export function addSettings(program: Command, output: Output): void {
  const settings = program
    .command("settings")
    .description("show the settings of an organization; or change them");
  const show = ({ timeZone }: Settings) => output.result(`time zone: ${timeZone}`);

  organizationCommand(settings, "show", "show the settings", "whose settings", true).action(
    async (place: Place) => show(await inOrganization(place, ({ settings }) => settings.get())),
  );

  organizationCommand(settings, "set", "change them, and show them", "whose settings")
    .requiredOption(
      "--time-zone <name>",
      "the zone whose days statistics count from now on, such as Europe/Vienna (required)",
    )
    .action(async ({ timeZone, ...place }: SetOptions) =>
      show(await inOrganization(place, ({ settings }) => settings.update({ timeZone }))),
    );
}
