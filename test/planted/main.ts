import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { runInNewSchema } from "../postgres/new-schema.js";
import { startServer } from "../postgres/server.js";
import { type Fault, findFaults, plantFault } from "./faults.js";
import { pickSome } from "./pick-some.js";

/*
 * Plants faults in the adapters, one at a time, and counts those that the storage suite notices. Some faults change
 * nothing that the port promises, such as an order that it leaves open. For each other fault that isn't noticed, the
 * suite lacks a sentence.
 */
const { values } = parseArgs({
  options: {
    faults: { type: "string", default: "50" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
    "at-least": { type: "string", default: "0" },
  },
});

interface TestedModule {
  /** Folders for the faults, and a pattern for files without any. */
  readonly folders: readonly string[];
  readonly excluded: RegExp;
  /** Milliseconds after which a run counts as endless. */
  readonly patience: number;
  readonly isOnServer?: boolean;
}

const gardens: Readonly<Record<string, TestedModule>> = {
  memory: {
    folders: ["adapters/storage/memory"],
    excluded: /functions\.ts$/,
    patience: 60_000,
  },
  kysely: {
    folders: ["adapters/storage/kysely"],
    // For other databases, or for commands that the suite doesn't use.
    excluded: /\/(migrations|checking|copying|session)\//,
    patience: 240_000,
  },
  postgres: {
    folders: ["adapters/storage/postgres", "adapters/storage/kysely"],
    // The suite neither migrates tables nor sets options, and it has no replicas, several servers or hosts.
    excluded:
      /\/(migrations|checking|copying|session)\/|\/(migration|tables-version|options|host-pool|hosted|managed-client|failover-pool|connection-url|replica|replicated)\.ts$/,
    patience: 300_000,
    isOnServer: true,
  },
};

for (const [name, garden] of Object.entries(gardens)) {
  if (values.only !== undefined && values.only !== name) continue;
  const server = garden.isOnServer ? await startServer() : undefined;
  const { code, told } = await runTrial(name, garden, null, server?.url);
  if (code !== 0) throw new Error(`the suite does not hold on ${name} as it is: ${told}`);
  const all = (await Promise.all(garden.folders.map((folder) => findFaults(folder, garden.excluded)))).flat();
  const faults = pickSome(all, Number(values.faults), Number(values.seed));
  let noticedCount = 0;
  for (const fault of faults) {
    const { code, told } = await runTrial(name, garden, fault, server?.url);
    if (code !== 0) noticedCount += 1;
    const change = `${fault.before} → ${fault.after}`.replace(/\s+/g, " ").slice(0, 110);
    const what = code === 0 ? "NOT noticed" : `noticed: ${told}`;
    console.log(`${fault.file}:${fault.line}  ${change}\n    ${what}`);
  }
  console.log(`${name}: ${noticedCount} of ${faults.length} faults noticed (${all.length} could be planted)`);
  if (noticedCount < faults.length * Number(values["at-least"])) process.exitCode = 1;
  await server?.stop();
}

interface Trial {
  /** 0 if the suite passes. */
  readonly code: number | null;
  /** The sentence that failed. */
  readonly told: string;
}

/** Runs the suite on an adapter with a fault, on this Postgres server if it needs one. */
async function runTrial(
  name: string,
  garden: TestedModule,
  fault: Fault | null,
  server: string | undefined,
): Promise<Trial> {
  const program = await bundleWithFault(name, fault);
  if (server === undefined) return runChild(program, garden.patience);
  let outcome: Trial = { code: null, told: "" };
  await runInNewSchema(server, async (url) => {
    outcome = await runChild(program, garden.patience, { LOYALTY_TEST_POSTGRES_URL: url });
  });
  return outcome;
}

/** Bundles the suite of an adapter with the fault in it. */
async function bundleWithFault(name: string, fault: Fault | null): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { runSuite } from "./suite.js"; await runSuite("${name}");`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    plugins: [
      {
        name: "planting",
        setup({ onLoad }) {
          onLoad({ filter: /\.ts$/ }, async ({ path }) => {
            if (fault === null || path !== resolve(fault.file)) return undefined;
            return { contents: plantFault(await readFile(path, "utf8"), fault), loader: "ts" };
          });
        },
      },
    ],
  });
  return outputFiles[0]?.text ?? "";
}

async function runChild(program: string, timeout: number, env: NodeJS.ProcessEnv = {}): Promise<Trial> {
  const child = spawn(process.execPath, ["--input-type=module"], {
    stdio: ["pipe", "pipe", "ignore"],
    timeout,
    killSignal: "SIGKILL",
    env: { ...process.env, ...env },
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stdin.end(program);
  const [code] = await once(child, "close");
  return { code, told: output === "" ? "it came to no end" : output };
}
