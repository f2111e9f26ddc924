import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What the kept ratios were measured with: large enough to show a change of cost, small enough to be run often. */
export const watched = { users: 20_000, rounds: 3, sliceMs: 60 };

/** Which part of a ratio may be lost to a noisy machine. */
const TOLERATED = 1 / 4;

type Ratios = Readonly<Record<string, number>>;

const file = join(import.meta.dirname, "ratios.json");

/** Says which of the kept ratios fell by more than a quarter. Timings are noisy, so it fails nothing. */
export async function compareRatios(now: Ratios): Promise<string> {
  const kept: Ratios = JSON.parse(await readFile(file, "utf8"));
  const fallen = Object.entries(now).flatMap(([what, ratio]) => {
    const before = kept[what];
    if (before === undefined || ratio >= before * (1 - TOLERATED)) return [];
    return [`  ${what}: ${before.toFixed(2)} → ${ratio.toFixed(2)}`];
  });
  const known = Object.keys(now).filter((what) => kept[what] !== undefined).length;
  const counted = `${known} of ${Object.keys(now).length} ratios are kept in bench/ratios.json`;
  if (fallen.length === 0) return `\n${counted}, and none fell by more than a quarter.`;
  return `\n${counted}. These fell by more than a quarter:\n${fallen.join("\n")}`;
}

/** Keeps ratios in place of those that were kept for the same work; others stay. */
export async function storeRatios(now: Ratios): Promise<void> {
  const kept: Ratios = JSON.parse(await readFile(file, "utf8"));
  const all = Object.entries({ ...kept, ...now }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const rounded = Object.fromEntries(all.map(([what, ratio]) => [what, Number(ratio.toPrecision(3))]));
  await writeFile(file, `${JSON.stringify(rounded, null, 2)}\n`);
}
