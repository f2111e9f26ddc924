import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The settings for the stored ratios: large enough to show a change of cost, small enough to run often. */
export const watchSettings = { users: 20_000, rounds: 3, sliceMs: 60, share: 1 };

/** Which part of a ratio may be lost to a noisy machine. */
const TOLERATED = 1 / 4;

type Ratios = Readonly<Record<string, number>>;

const file = join(import.meta.dirname, "ratios.json");

/** Reports which of the stored ratios fell by more than a quarter. Timings are noisy, so it fails nothing. */
export async function compareRatios(now: Ratios): Promise<string> {
  const storedRatios: Ratios = JSON.parse(await readFile(file, "utf8"));
  const fallenRatios = Object.entries(now).flatMap(([label, ratio]) => {
    const before = storedRatios[label];
    if (before === undefined || ratio >= before * (1 - TOLERATED)) return [];
    return [`  ${label}: ${before.toFixed(2)} → ${ratio.toFixed(2)}`];
  });
  const knownCount = Object.keys(now).filter((name) => storedRatios[name] !== undefined).length;
  const summary = `${knownCount} of ${Object.keys(now).length} ratios are kept in bench/ratios.json`;
  if (fallenRatios.length === 0) return `\n${summary}, and none fell by more than a quarter.`;
  return `\n${summary}. These fell by more than a quarter:\n${fallenRatios.join("\n")}`;
}

/** Stores ratios. They replace the earlier ratios of the same rows; other rows stay. */
export async function storeRatios(now: Ratios): Promise<void> {
  const storedRatios: Ratios = JSON.parse(await readFile(file, "utf8"));
  const all = Object.entries({ ...storedRatios, ...now }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const roundedRatios = Object.fromEntries(
    all.map(([label, ratio]) => [label, Number(ratio.toPrecision(3))]),
  );
  await writeFile(file, `${JSON.stringify(roundedRatios, null, 2)}\n`);
}
