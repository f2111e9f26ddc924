import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createEmptyFolder } from "./command.js";
import { runCommand } from "./run-command.js";

const adapters = join(import.meta.dirname, "../../adapters");

/** Commands that pages and messages tell users to run. */
const printedCommands = readdirSync(adapters, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file))
  .flatMap((file) => [...readFileSync(join(adapters, file), "utf8").matchAll(/npx loyalty-kit ([^<`"\n]+)/g)])
  .map(([, command = ""]) => command.trim());

describe("printed commands", () => {
  it("are more than one", () => expect(printedCommands.length).toBeGreaterThan(1));

  it.each(printedCommands)("can be run as printed: %s", async (command) => {
    const database = join(createEmptyFolder(), "loyalty.db");
    await runCommand(["migrate", "--database", database]);
    const args = command
      .replaceAll(/\$\{\w+\(database\)\}|DATABASE/g, database)
      .replaceAll(/\$\{ORGANIZATION\}|NAME/g, "acme")
      .split(" ");
    expect(await runCommand(args)).toMatchObject({ code: 0 });
  });
});
