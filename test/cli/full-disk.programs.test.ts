import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type CommandResult, program } from "./command.js";
import { buildCustomersCsv, openCustomers } from "./customers.js";

/** Runs the program in a shell. In `shellScript`, `$@` is the program with its arguments. */
function runInShell(folder: string, args: readonly string[], shellScript: string): Promise<CommandResult> {
  return new Promise((resolve) => {
    const words = ["-c", shellScript, "sh", process.execPath, program, ...args];
    const child = execFile("/bin/sh", words, { cwd: folder, timeout: 120_000 }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

const toFullDisk = '"$@" > /dev/full';
/** Limits files to 100 KB, so that writes fail as on a full disk. */
const limitFileSize = 'trap "" XFSZ; ulimit -f 200; exec "$@"';

async function openShop() {
  const acme = openCustomers();
  await acme.import(buildCustomersCsv(2_000), "--create-tags");
  return acme;
}

describe.concurrent("a command that can't write its output", () => {
  const reason = "ENOSPC: no space left on device, write";

  it("reports the reason in one line, and fails", async () => {
    const acme = await openShop();
    const [, database = ""] = acme.databaseArgs;
    const commands = [
      ["export", ...acme.databaseArgs],
      ["export", "--everything", ...acme.databaseArgs],
      ["tags", ...acme.databaseArgs],
      [
        "segment",
        "list",
        "--filter",
        '{"operator":"AND","conditions":[{"slug":"odd"}]}',
        ...acme.databaseArgs,
      ],
      ["check", "--database", database],
      ["completion", "bash"],
      ["--help"],
    ];
    for (const command of commands) {
      expect([command, await runInShell(acme.folder, command, toFullDisk)]).toEqual([
        command,
        { code: 1, stdout: "", stderr: `loyalty-kit: can't write to standard output: ${reason}\n` },
      ]);
    }
  });

  it("leaves no partial file, whether it exports or copies", async () => {
    const acme = await openShop();
    const [, database = ""] = acme.databaseArgs;
    const listFiles = () => readdirSync(acme.folder).filter((file) => !file.startsWith("loyalty.db"));
    const before = listFiles();
    for (const command of [
      ["export", "--output", "users.csv", ...acme.databaseArgs],
      ["export", "--everything", "--output", "all.zip", ...acme.databaseArgs],
      ["backup", "copy.db", "--database", database],
    ]) {
      const { code, stdout, stderr } = await runInShell(acme.folder, command, limitFileSize);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(
        /^loyalty-kit: can't (write|copy) .+: (EFBIG: file too large|disk I\/O error).*\n$/,
      );
      expect(listFiles()).toEqual(before);
    }
  });
});
