import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import fc from "fast-check";
import { expect, it, onTestFinished, vi } from "vitest";
import { serverSettings } from "../../adapters/apps/cli/server/settings.js";
import {
  addSettings,
  createOption,
  readFlags,
  toVariableName,
} from "../../adapters/apps/cli/terminal/setting.js";
import { runs } from "../properties/runs.js";

it("docs/settings.md lists each setting of a server once, with its help text", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/settings.md"), "utf8");
  const section = page.split("\n## The server\n")[1]?.split("\n## ")[0] ?? "";
  const rows = Object.entries(serverSettings).map(([name, setting]) => {
    const usual = "usual" in setting ? (setting.usual?.text ?? "") : "";
    return `| \`${createOption(name, setting).long}\` | ${usual} | ${setting.help} |`;
  });
  const listedOptions = (section.match(/^\| `LOYALTY_\w+` \| `--.*$/gm) ?? []).map((row) =>
    row.replace(/^\| `\w+` /, "").replaceAll("&lt;", "<"),
  );
  expect(listedOptions.filter((row) => !/^\| `--(database|organization)` /.test(row))).toEqual(rows);
});

/** Parses the settings of a server from its arguments and the environment. Returns `null` if they are rejected. */
function parseSettings(args: readonly string[]): Record<string, unknown> | null {
  const command = addSettings(new Command(), serverSettings)
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  try {
    const options = command.parse(args, { from: "user" }).opts();
    return { ...options, ...readFlags(serverSettings, options) };
  } catch {
    return null;
  }
}

it("a setting has the same value by its option as by its variable, or both are rejected", () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const commonValues = [
    "",
    " ",
    "0",
    "1",
    "010",
    "1e3",
    "-1",
    "90d",
    "1 h",
    "10.0.0.0/8, loopback",
    "tags=5,apps=2",
  ];
  const otherValues = [
    "tags=5,tags=6",
    "https://shop.example/",
    "smtp://localhost",
    "100/60",
    "json",
    "Shop <a@b.example>",
  ];
  const texts = fc.oneof(fc.constantFrom(...commonValues, ...otherValues), fc.stringMatching(/^[ -~]{0,6}$/));
  const settingsWithValue = Object.entries(serverSettings).filter(([, { form }]) => form !== null);
  fc.assert(
    fc.property(fc.constantFrom(...settingsWithValue), texts, ([name, setting], text) => {
      const fromOption = parseSettings([`${createOption(name, setting).long}=${text}`]);
      vi.stubEnv(toVariableName(name), text);
      const fromEnvironment = parseSettings([]);
      vi.unstubAllEnvs();
      // The values may be functions.
      expect(JSON.stringify(fromEnvironment)).toBe(JSON.stringify(fromOption));
    }),
    runs(200),
  );
});

it("a flag has the same effect by its option as by its variable", () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const defaults = parseSettings([]);
  for (const [name, setting] of Object.entries(serverSettings).filter(([, { form }]) => form === null)) {
    const isUsuallyOn = setting.usual?.value === true;
    const switchedOn = parseSettings([createOption(name, setting).long ?? ""]);
    for (const text of ["", "true", "1", "false", "0"]) {
      vi.stubEnv(toVariableName(name), text);
      const isTurned = text !== "" && ["true", "1"].includes(text) !== isUsuallyOn;
      expect(parseSettings([])).toEqual(isTurned ? switchedOn : defaults);
      vi.unstubAllEnvs();
    }
  }
});
