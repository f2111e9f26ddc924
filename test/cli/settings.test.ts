import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { serverSettings } from "../../adapters/cli/server/settings.js";
import { optionOf } from "../../adapters/cli/terminal/setting.js";

it("docs/settings.md lists each setting of a server once, as its help tells it", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/settings.md"), "utf8");
  const section = page.split("\n## The server\n")[1]?.split("\n## ")[0] ?? "";
  const rows = Object.entries(serverSettings).map(([name, setting]) => {
    const usual = "usual" in setting ? (setting.usual?.text ?? "") : "";
    return `| \`${optionOf(name, setting).long}\` | ${usual} | ${setting.help} |`;
  });
  const listed = (section.match(/^\| `LOYALTY_\w+` \| `--.*$/gm) ?? []).map((row) =>
    row.replace(/^\| `\w+` /, "").replaceAll("&lt;", "<"),
  );
  expect(listed.filter((row) => !/^\| `--(database|organization)` /.test(row))).toEqual(rows);
});
