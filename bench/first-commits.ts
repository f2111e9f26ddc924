import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { runProgram } from "./aside.js";
import type { Bench } from "./bench.js";
import { ORGANIZATION } from "./customers.js";
import { copyOf, ourFile } from "./our-file.js";
import { atMost, inMs, print, type Row, whole } from "./report.js";
import { medianOf } from "./timing.js";
import { NEW_TAGS } from "./writes.js";

const COMMITS = 3_000;
const MOST_ROUNDS = 5;

/**
 * The first commits of a process after it has opened a file, one by one, against as many that follow: neither a log that
 * still grows nor code that is still cold may be felt. Those of a process that opens the file again show what cold code is
 * of it, and those by hand what caches of the disk and the processor are.
 */
export const firstCommits: Bench = async ({ shared, folder, users, rounds }) => {
  const times: Record<Side, Times[]> = { ours: [], "opened again": [], "by hand": [] };
  for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round += 1) {
    for (const [side, list] of Object.entries(times)) {
      const file = copyOf(await ourFile(shared, users), folder, "ours");
      await addNewTags(file);
      list.push(await runProgram("first-commits-process", file, users, COMMITS, side));
    }
  }
  print(`Commits after a start, ${whole(users)} users (ratio: times the time of later ones)`, [
    rowOf("tags.assign", times.ours, 1.15),
    rowOf("tags.assign, opened again", times["opened again"], 1.15),
    rowOf("the same rows by hand", times["by hand"], null),
  ]);
};

type Side = "ours" | "opened again" | "by hand";

interface Times {
  readonly first: number;
  readonly later: number;
}

function rowOf(what: string, times: readonly Times[], most: number | null): Row {
  const first = medianOf(times.map((each) => each.first)) / COMMITS;
  const later = medianOf(times.map((each) => each.later)) / COMMITS;
  const ratio = first / later;
  return {
    what: `${what}, the first ${whole(COMMITS)}`,
    ours: inMs(first),
    peer: inMs(later),
    peerName: `the ${whole(COMMITS)} after them`,
    ratio,
    isLessBetter: true,
    goals: most === null ? [] : [atMost(ratio, most)],
  };
}

async function addNewTags(file: string): Promise<void> {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
  const { tags } = loyalty.organization(ORGANIZATION);
  for (let tag = 0; tag < NEW_TAGS; tag += 1) await tags.create({ name: `new-${tag}` });
  await loyalty.close();
}
