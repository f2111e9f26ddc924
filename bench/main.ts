import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Settings } from "./bench.js";
import { benches } from "./benches.js";
import { publishTables } from "./measured.js";
import { compareRatios, storeRatios, watchSettings } from "./ratios.js";
import type { Output } from "./report.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    users: { type: "string", default: "200000" },
    short: { type: "boolean", default: false },
    watch: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    publish: { type: "boolean", default: false },
  },
});
const settings = readSettings();
const names = positionals.length > 0 ? positionals : Object.keys(benches);
const unknown = names.find((name) => benches[name] === undefined);
if (unknown !== undefined || !(settings.users >= 1_000)) {
  throw new Error(
    `${unknown === undefined ? "--users is a number from 1,000" : `no bench ${unknown}`}; ` +
      `there are ${Object.keys(benches).join(", ")}`,
  );
}

function readSettings() {
  if (values.watch || values.keep) return watchSettings;
  if (values.short) return { users: 1_000, rounds: 1, sliceMs: 1, share: 1 / 50 };
  return { users: Number(values.users), rounds: 9, sliceMs: 300, share: 1 };
}

/** A failed benchmark does not stop the others, which may have taken hours. */
const failedBenches: string[] = [];
const all: Output = { tables: [], ratios: {} };
const runFolder = await mkdtemp(join(tmpdir(), "loyalty-bench-"));
try {
  const sharedFolder = join(runFolder, "shared");
  await mkdir(sharedFolder);
  for (const name of names) {
    const folder = await mkdtemp(join(runFolder, "bench-"));
    const startedAt = performance.now();
    const output = await runInProcess(name, { sharedFolder, folder, ...settings });
    console.error(`${name} took ${Math.round((performance.now() - startedAt) / 1_000)} s`);
    await rm(folder, { recursive: true });
    if (output === null) failedBenches.push(name);
    all.tables.push(...(output?.tables ?? []));
    Object.assign(all.ratios, output?.ratios);
  }
  if (values.watch) console.log(await compareRatios(all.ratios));
  if (values.keep) await storeRatios(all.ratios);
  if (values.publish) await publishTables(all.tables, settings.users, performance.now(), failedBenches);
} finally {
  await rm(runFolder, { recursive: true });
}
if (failedBenches.length > 0) {
  console.error(`failed: ${failedBenches.join(", ")}`);
  process.exitCode = 1;
}

/**
 * Runs a benchmark in its own process, so that the next one is affected neither by its memory nor by what V8 has compiled for it.
 * @returns its tables and ratios, or `null` if it failed.
 */
async function runInProcess(name: string, settings: Settings): Promise<Output | null> {
  const file = join(runFolder, `${name}.json`);
  const program = [join(import.meta.dirname, "bench-process.ts"), name, JSON.stringify(settings), file];
  const child = spawn(process.execPath, [...process.execArgv, ...program], { stdio: "inherit" });
  const [code] = await once(child, "exit");
  return code === 0 ? JSON.parse(await readFile(file, "utf8")) : null;
}
