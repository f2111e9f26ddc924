import { runProgram } from "./aside.js";
import { type Bench, shorten } from "./bench.js";
import { copyFile, createOurFile } from "./our-file.js";
import { atMost, formatMs, formatWhole, print, type Row } from "./report.js";
import { medianOf } from "./timing.js";
import { addTagsToFile } from "./writes.js";

const COMMITS = 3_000;
const MOST_ROUNDS = 5;

/**
 * The first commits of a process after it has opened a file, one by one, against as many later ones, so that neither a growing
 * log nor cold code counts. A process that has opened the file twice before shows the share of cold code: when a class gets its
 * second object, V8 discards some compiled code. Commits by hand show the share of disk and processor caches, and with the rules
 * before them, the share that no storage could save.
 */
export const runFirstCommits: Bench = async (settings) => {
  const { sharedFolder, folder, users, rounds } = settings;
  const commits = shorten(COMMITS, settings);
  const times: Record<Side, Times[]> = {
    ours: [],
    "opened a third time": [],
    "by hand": [],
    "by hand, with our rules": [],
  };
  for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round += 1) {
    for (const [side, list] of Object.entries(times)) {
      const file = await addTagsToFile(copyFile(await createOurFile(sharedFolder, users), folder, "ours"));
      list.push(await runProgram("first-commits-process", file, users, commits, side));
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
