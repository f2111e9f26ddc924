import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createEmptyFolder } from "./command.js";
import { runCommand } from "./run-command.js";

const shell = promisify(execFile);

/** Creates a folder with the completion script of a shell, and a file. */
async function createFolderWithScript(name: string): Promise<string> {
  const folder = createEmptyFolder();
  writeFileSync(join(folder, "script"), (await runCommand(["completion", name])).stdout);
  writeFileSync(join(folder, "loyalty.db"), "");
  return folder;
}

/** Completes a line in fish, without the descriptions. */
async function completeInFish(line: string): Promise<string[]> {
  const script = 'source script; complete -C "$LINE"';
  const options = { cwd: await createFolderWithScript("fish"), env: { ...process.env, LINE: line } };
  const { stdout } = await shell("fish", ["--no-config", "-c", script], options);
  return stdout.split("\n").flatMap((each) => each.split("\t", 1).filter((word) => word !== ""));
}

/** Completes the last word in zsh. Returns the entries for `_describe`, and `files` where zsh would complete file names. */
async function completeInZsh(...words: readonly string[]): Promise<string[]> {
  const script = `
_describe() { print -rl -- \${(P)2} }
_files() { print -r files }
compset() { }
compdef() { }
source ./script
words=(loyalty-kit "$@"); CURRENT=\${#words}; PREFIX=\${words[-1]}
_loyalty_kit`;
  const { stdout } = await shell("zsh", ["-f", "-c", script, "zsh", ...words], {
    cwd: await createFolderWithScript("zsh"),
  });
  return stdout.split("\n").flatMap((each) => each.split(":", 1).filter((word) => word !== ""));
}

/** Lists the commands and options in the help of a command. */
async function listNames(...words: readonly string[]): Promise<string[]> {
  const { stdout } = await runCommand([...words, "--help"]);
  const [, list = ""] = stdout.split("\nCommands:\n");
  const commands = [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = ""]) => name);
  const options = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, name = ""]) => name);
  return [...commands, ...options].sort();
}

describe("completion in fish", () => {
  it("offers the commands and options that the help lists", async () => {
    expect((await completeInFish("loyalty-kit ")).sort()).toEqual(
      (await listNames()).filter((name) => !name.startsWith("-")),
    );
    expect((await completeInFish("loyalty-kit token create --")).sort()).toEqual(
      await listNames("token", "create"),
    );
  });

  it("offers values and files, and doesn't mistake an option's value for a command", async () => {
    expect((await completeInFish("loyalty-kit serve --log ")).sort()).toEqual(["json", "text"]);
    expect(await completeInFish("loyalty-kit migrate --database loy")).toEqual(["loyalty.db"]);
    expect(await completeInFish("loyalty-kit token create --name list --never")).toEqual(["--never-expires"]);
  });
});

describe("completion in zsh", () => {
  it("offers the commands and options that the help lists", async () => {
    expect((await completeInZsh("")).sort()).toEqual(await listNames());
    expect((await completeInZsh("token", "create", "--")).sort()).toEqual(await listNames("token", "create"));
  });

  it("offers values and files, and doesn't mistake an option's value for a command", async () => {
    expect(await completeInZsh("serve", "--log", "")).toEqual(["text", "json"]);
    expect(await completeInZsh("serve", "--log=j")).toEqual(["text", "json"]);
    expect(await completeInZsh("migrate", "--database", "")).toEqual(["files"]);
    expect(await completeInZsh("import", "")).toEqual(["files"]);
    expect(await completeInZsh("token", "create", "--name", "list", "--")).toContain("--never-expires");
  });
});
