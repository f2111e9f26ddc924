import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { type Fault, faultsIn, planted } from "./faults.js";

/*
 * Plants faults in the adapters, one at a time, and counts those that the storage suite notices. Some change nothing that
 * the port promises, such as the order of what has none; the others that it does not notice lack a sentence.
 */
const { values } = parseArgs({
  options: {
    faults: { type: "string", default: "50" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
    "at-least": { type: "string", default: "0" },
  },
});

/** What is planted where, by which program it is noticed, and how long that may take, in milliseconds. */
const gardens = {
  memory: {
    folder: "adapters/memory",
    excluded: /functions\.ts$/,
    program: "on-memory.ts",
    patience: 60_000,
  },
  kysely: {
    folder: "adapters/kysely",
    // Made for other databases, or by other commands than the suite's.
    excluded: /\/(migrations|checking|copying|session)\//,
    program: "on-sqlite.ts",
    patience: 240_000,
  },
};

type Garden = (typeof gardens)[keyof typeof gardens];

for (const [name, garden] of Object.entries(gardens)) {
  if (values.only !== undefined && values.only !== name) continue;
  const { code, told } = await trial(garden, null);
  if (code !== 0) throw new Error(`the suite does not hold on ${name} as it is: ${told}`);
  const all = await faultsIn(garden.folder, garden.excluded);
  const faults = someOf(all, Number(values.faults), Number(values.seed));
  let noticed = 0;
  for (const fault of faults) {
    const { code, told } = await trial(garden, fault);
    if (code !== 0) noticed += 1;
    const change = `${fault.before} → ${fault.after}`.replace(/\s+/g, " ").slice(0, 110);
    const what = code === 0 ? "NOT noticed" : `noticed: ${told}`;
    console.log(`${fault.file}:${fault.line}  ${change}\n    ${what}`);
  }
  console.log(`${name}: ${noticed} of ${faults.length} faults noticed (${all.length} could be planted)`);
  if (noticed < faults.length * Number(values["at-least"])) process.exitCode = 1;
}

/** Runs the suite on an adapter with a fault. @returns 0 when it holds, and the sentence that did not. */
async function trial(
  { program, patience }: Garden,
  fault: Fault | null,
): Promise<{ code: number | null; told: string }> {
  const { outputFiles } = await build({
    entryPoints: [resolve(import.meta.dirname, program)],
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
            return { contents: planted(await readFile(path, "utf8"), fault), loader: "ts" };
          });
        },
      },
    ],
  });
  const child = spawn(process.execPath, ["--input-type=module"], {
    stdio: ["pipe", "pipe", "ignore"],
    timeout: patience,
    killSignal: "SIGKILL",
  });
  let told = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    told += text;
  });
  child.stdin.end(outputFiles[0]?.contents);
  const [code] = await once(child, "close");
  return { code, told: told === "" ? "it came to no end" : told };
}

/** The same ones for the same seed. */
function someOf<T>(all: readonly T[], count: number, seed: number): T[] {
  const left = [...all];
  let state = seed;
  return Array.from({ length: Math.min(count, all.length) }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return left.splice(Math.floor((state / 2 ** 32) * left.length), 1);
  }).flat();
}
