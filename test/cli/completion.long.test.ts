import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createEmptyFolder } from "./command.js";
import { runCommand } from "./run-command.js";

const shell = promisify(execFile);

/** Completes the last word in bash, in a folder with two files and a folder. */
async function completeInBash(...words: readonly string[]): Promise<string[]> {
  const { stdout: script } = await runCommand(["completion", "bash"]);
  const folder = createEmptyFolder();
  mkdirSync(join(folder, "lists"));
  for (const file of ["loyalty.db", "people of may.csv"]) writeFileSync(join(folder, file), "");
  const completionScript = `${script}
COMP_WORDS=(loyalty-kit "$@"); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
"$(complete -p loyalty-kit | sed 's/.*-F \\([^ ]*\\).*/\\1/')"
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await shell("bash", ["--norc", "-c", completionScript, "bash", ...words], {
    cwd: folder,
  });
  return stdout.split("\n").filter((word) => word !== "");
}

/** Lists the commands in the help of a command. */
async function listCommands(...words: readonly string[]): Promise<string[]> {
  const { stdout } = await runCommand([...words, "--help"]);
  const [, list = ""] = stdout.split("\nCommands:\n");
  return [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = ""]) => name);
}

/** Lists the options in the help of a command. */
async function listOptions(...words: readonly string[]): Promise<string[]> {
  const { stdout } = await runCommand([...words, "--help"]);
  return [...stdout.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, name = ""]) => name);
}

describe("completion in bash", () => {
  it("offers all commands, or those that begin with the typed word", async () => {
    const commands = await listCommands();
    expect(commands.length).toBeGreaterThan(15);
    expect(await completeInBash("")).toEqual([...commands, "--version", "--help"]);
    expect(await completeInBash("mi")).toEqual(["migrate"]);
  });

  it("offers the subcommands and options of each command, as listed in its help", async () => {
    const commands = (await listCommands()).filter((command) => command !== "help");
    for (const command of commands) {
      const subcommands = (await listCommands(command)).filter((name) => name !== "help");
      for (const path of [[command], ...subcommands.map((name) => [command, name])]) {
        const options = await listOptions(...path);
        expect(options, path.join(" ")).toContain("--help");
        expect((await completeInBash(...path, "--")).sort(), path.join(" ")).toEqual(options.sort());
      }
    }
  }, 120_000);

  it("offers the values of an option, after a space and after =, which bash treats as a separate word", async () => {
    expect(await completeInBash("serve", "--log", "")).toEqual(["text", "json"]);
    expect(await completeInBash("serve", "--log", "=")).toEqual(["text", "json"]);
    expect(await completeInBash("serve", "--log", "=", "j")).toEqual(["json"]);
    expect(await completeInBash("serve", "--port", "")).toEqual([]);
    expect(await completeInBash("completion", "")).toEqual(expect.arrayContaining(["bash", "zsh", "fish"]));
  });

  it("doesn't mistake an option's value for a command", async () => {
    expect(await completeInBash("token", "create", "--name", "list", "--never")).toEqual(["--never-expires"]);
  });

  it("offers files where a file is expected, even if their names contain spaces", async () => {
    const files = ["lists", "loyalty.db", "people of may.csv"];
    expect((await completeInBash("migrate", "--database", "")).sort()).toEqual(files);
    expect(await completeInBash("migrate", "--database", "=", "lo")).toEqual(["loyalty.db"]);
    expect((await completeInBash("import", "")).sort()).toEqual(files);
    expect(await completeInBash("import", "peo")).toEqual(["people of may.csv"]);
    expect(await completeInBash("import", "--dr")).toEqual(["--dry-run"]);
  });
});

it("completion refuses an unknown shell and lists the supported ones", async () => {
  expect(await runCommand(["completion", "tcsh"])).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("bash, zsh, fish"),
  });
});
