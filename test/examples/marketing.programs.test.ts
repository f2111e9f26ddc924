import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { createEmptyFolder, program } from "../cli/command.js";
import { pathToExample } from "./example.js";

const run = promisify(execFile);

/** Creates a folder with an `npx` that runs this package, as after `npm install`. */
function createHostFolder(): { readonly cwd: string; readonly env: NodeJS.ProcessEnv } {
  const cwd = createEmptyFolder();
  const npx = `#!/bin/sh\nshift\nexec "${process.execPath}" "${program}" "$@"\n`;
  writeFileSync(join(cwd, "npx"), npx, { mode: 0o755 });
  return { cwd, env: { PATH: `${cwd}:${process.env.PATH}` } };
}

it("the example marketing/newsletter.sh makes two lists from a file saved by Excel, even if run repeatedly", async () => {
  const { cwd, env } = createHostFolder();
  for (const _ of [1, 2]) {
    const { stdout, stderr } = await run("sh", [pathToExample("marketing/newsletter.sh")], { cwd, env });
    expect(stdout).toMatch(/^5 rows: .+ 1 failed\n/);
    expect(stdout).toMatch(/\nto be asked: 1\nnewsletter: 2\nguests: guests-for-excel.csv\n$/);
    expect(stderr).toContain("record 5: E-Mail must be a valid email address");
  }
  const mails = readFileSync(join(cwd, "newsletter.ndjson"), "utf8").trimEnd().split("\n");
  expect(mails.map((line) => JSON.parse(line).name)).toEqual(["Jürgen Müller", "Ada Lovelace"]);
  const [header, first, ...others] = readFileSync(join(cwd, "guests-for-excel.csv"), "utf8")
    .trimEnd()
    .split("\n");
  expect(header).toMatch(/^\uFEFFemail;name;/);
  expect(first).toMatch(/^juergen@example\.com;Jürgen Müller;/);
  expect(others).toHaveLength(3);
});
