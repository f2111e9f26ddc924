import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { root } from "./imports.js";

/*
 * Runs the checks that need no build, as many at a time as there are cores. With `--build` it also builds the
 * JavaScript, at the same time. No test of `npm test` reads the declarations; the tests of programs build them. The
 * first check takes longest and uses one thread. The output of a check is printed when it has ended. The exit code is 1
 * if a check fails.
 */
const { values } = parseArgs({ options: { build: { type: "boolean", default: false } } });

const tsc = ["node", "node_modules/typescript-7/bin/tsc"];
const waiting: readonly string[][] = [
  // This gives short-lived objects more room: collecting them took an eighth of the time.
  ["node", "--max-semi-space-size=64", "--import", "tsx", "test/project/steps/main.ts"],
  ...(values.build ? [["npm", "run", "--silent", "build:js"]] : []),
  ["npx", "biome", "ci", "--error-on-warnings", "."],
  tsc,
  [...tsc, "--project", "adapters/apps/console/browser"],
  [...tsc, "--project", "adapters/apps/console/till-worker"],
  [...tsc, "--project", "docs/site"],
];

async function runCheck([command = "", ...args]: readonly string[]): Promise<void> {
  const child = spawn(command, args, { cwd: root, shell: process.platform === "win32" });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes: Buffer) => output.push(bytes));
  const [code] = await once(child, "close");
  process.stdout.write(Buffer.concat(output));
  if (code !== 0) process.exitCode = 1;
}

const remaining = waiting.values();
const workers = Array.from({ length: availableParallelism() }, async () => {
  for (const each of remaining) await runCheck(each);
});
await Promise.all(workers);
