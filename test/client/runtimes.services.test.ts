import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { createEmptyFolder } from "../cli/command.js";
import { buildProgram, bundleClient, expectedOutcome, startServer } from "./elsewhere.js";

/** Long enough to download a runtime, in milliseconds. */
const PATIENCE = 110_000;

/** The runtimes: name, npm package (downloaded on first use) and command. */
const runtimes = [
  ["Bun", "bun@1.4.5", ["bun"]],
  ["Deno", "deno@2.9.6", ["deno", "run", "--no-config", "--no-lock", "--allow-net=127.0.0.1"]],
] as const;

/** Runs a runtime from npm in a folder. Fails with a clear message if the registry doesn't have it. */
function runRuntime(packageName: string, command: readonly string[], folder: string) {
  const args = ["--yes", `--package=${packageName}`, "--", ...command];
  return promisify(execFile)("npx", args, { cwd: folder, timeout: PATIENCE - 10_000 });
}

it.each(runtimes)(
  "a program in %s does the same with the client as one in Node",
  async (_, name, command) => {
    const server = await startServer();
    const folder = createEmptyFolder();
    const client = pathToFileURL(join(import.meta.dirname, "../../dist/client.js")).href;
    const source = `import { createClient, isLoyaltyError } from ${JSON.stringify(client)};
    const done = await (async () => {${buildProgram(server)}})();
    console.log(JSON.stringify(done));`;
    writeFileSync(join(folder, "program.js"), source);
    const { stdout } = await runRuntime(name, [...command, "program.js"], folder);
    expect(JSON.parse(stdout)).toEqual(expectedOutcome);
  },
  PATIENCE,
);

it(
  "a workerd worker does the same with the client as a program in Node",
  async () => {
    const server = await startServer();
    const folder = createEmptyFolder();
    writeFileSync(join(folder, "client.js"), await bundleClient());
    writeFileSync(
      join(folder, "worker.js"),
      `import { createClient, isLoyaltyError } from "./client.js";
    export default { test: async () => console.log(JSON.stringify(await (async () => {${buildProgram(server)}})())) };`,
    );
    writeFileSync(
      join(folder, "worker.capnp"),
      `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (services = [
      (name = "main", worker = .worker),
      (name = "net", network = (allow = ["private", "local"])),
    ]);
    const worker :Workerd.Worker = (
      modules = [
        (name = "worker.js", esModule = embed "worker.js"),
        (name = "client.js", esModule = embed "client.js"),
      ],
      compatibilityDate = "2026-01-01",
      globalOutbound = "net",
    );`,
    );
    const { stdout } = await runRuntime("workerd@1.20261117.1", ["workerd", "test", "worker.capnp"], folder);
    expect(JSON.parse(stdout)).toEqual(expectedOutcome);
  },
  PATIENCE,
);
