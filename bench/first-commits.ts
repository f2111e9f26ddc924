import { runProgram } from "./aside.js";
import type { Bench } from "./bench.js";
import { copyFile, createOurFile } from "./our-file.js";
import { atMost, formatMs, formatWhole, print, type Row } from "./report.js";
import { medianOf } from "./timing.js";
import { addTagsToFile } from "./writes.js";

const COMMITS = 3_000;
const MOST_ROUNDS = 5;

/**
 * The first commits of a process after it has opened a file, one by one, against as many that follow: neither a log that
 * still grows nor code that is still cold may be felt. Those of a process that has opened the file twice before show what cold
 * code is of it: when a class gets its second object, V8 gives up some of what it has compiled. Those by hand show what caches
 * of the disk and the processor are, and with the rules before them, what no storage could save.
 */
export const runFirstCommits: Bench = async ({ sharedFolder, folder, users, rounds }) => {
  const times: Record<Side, Times[]> = {
    ours: [],
    "opened a third time": [],
    "by hand": [],
    "by hand, with our rules": [],
  };
  for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round += 1) {
    for (const [side, list] of Object.entries(times)) {
      const file = await addTagsToFile(copyFile(await createOurFile(sharedFolder, users), folder, "ours"));
      list.push(await runProgram("first-commits-process", file, users, COMMITS, side));
    }
  }
  print(`Commits after a start, ${formatWhole(users)} users (ratio: times the time of later ones)`, [
    buildRow("tags.assign", times.ours, 1.15),
    buildRow("tags.assign, opened a third time", times["opened a third time"], 1.15),
    buildRow("the same rows by hand", times["by hand"], null),
    buildRow("by hand, with our rules", times["by hand, with our rules"], null),
  ]);
};

type Side = "ours" | "opened a third time" | "by hand" | "by hand, with our rules";

interface Times {
  readonly first: number;
  readonly later: number;
}

function buildRow(label: string, times: readonly Times[], max: number | null): Row {
  const first = medianOf(times.map((each) => each.first)) / COMMITS;
  const later = medianOf(times.map((each) => each.later)) / COMMITS;
  const ratio = first / later;
  return {
    label: `${label}, the first ${formatWhole(COMMITS)}`,
    ours: formatMs(first),
    peer: formatMs(later),
    peerName: `the ${formatWhole(COMMITS)} after them`,
    ratio,
    isLessBetter: true,
    goals: max === null ? [] : [atMost(ratio, max)],
  };
}
