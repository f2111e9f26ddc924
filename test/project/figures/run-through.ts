import { Session } from "node:inspector/promises";
import { dirname, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../imports.js";

/** The code of `src` and `adapters` that a run executed. */
export interface RunMeasurement {
  readonly files: readonly string[];
  readonly functions: number;
  readonly folders: number;
}

/**
 * Counts the functions that a run calls in this process. Of several equal runs it returns the one through the fewest
 * files, because a timer of the service may fire during one of them.
 */
export async function runThrough(
  works: readonly [() => Promise<void>, ...(() => Promise<void>)[]],
): Promise<RunMeasurement> {
  const runs: RunMeasurement[] = [];
  for (const work of works) runs.push(await measureRun(work));
  return runs.reduce((fewest, each) => (each.files.length < fewest.files.length ? each : fewest));
}

async function measureRun(work: () => Promise<void>): Promise<RunMeasurement> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await work();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await session.post("Profiler.stopPreciseCoverage");
  session.disconnect();
  const callCounts = new Map<string, number>();
  for (const { url, functions } of result) {
    const file = url.startsWith("file:") ? relative(root, fileURLToPath(url)).split(sep).join("/") : "";
    if (!/^(src|adapters)\//.test(file)) continue;
    const own = functions.filter(({ functionName, ranges }) => {
      // The transpiler adds `__name`.
      return functionName !== "__name" && ranges.some(({ count }) => count > 0);
    });
    if (own.length > 0) callCounts.set(file, own.length);
  }
  const files = [...callCounts.keys()].sort();
  return {
    files,
    functions: [...callCounts.values()].reduce((all, each) => all + each, 0),
    folders: new Set(files.map((file) => dirname(file))).size,
  };
}
