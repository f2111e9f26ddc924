import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Bench } from "./bench.js";
import { ORGANIZATION } from "./customers.js";
import { copyOf, ourFile } from "./our-file.js";
import { atMost, inMs, print, whole } from "./report.js";
import { medianOf } from "./timing.js";
import { NEW_TAGS } from "./writes.js";

const COMMITS = 3_000;
const MOST_ROUNDS = 5;

/**
 * The first commits of a process after it has opened a file, one by one, against as many that follow: neither a log that
 * still grows nor code that is still cold may be felt.
 */
export const firstCommits: Bench = async ({ shared, folder, users, rounds }) => {
  const times: { first: number; later: number }[] = [];
  for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round += 1) {
    const file = copyOf(await ourFile(shared, users), folder, "ours");
    await addNewTags(file);
    times.push(await timesOf(file, users));
  }
  const first = medianOf(times.map((each) => each.first)) / COMMITS;
  const later = medianOf(times.map((each) => each.later)) / COMMITS;
  print(`Commits after a start, ${whole(users)} users (ratio: times the time of later ones)`, [
    {
      what: `tags.assign, the first ${whole(COMMITS)}`,
      ours: inMs(first),
      peer: inMs(later),
      peerName: `the ${whole(COMMITS)} after them`,
      ratio: first / later,
      isLessBetter: true,
      goals: [atMost(first / later, 1.15)],
    },
  ]);
};

async function timesOf(file: string, users: number): Promise<{ first: number; later: number }> {
  const program = join(import.meta.dirname, "first-commits-process.ts");
  const given = ["--import", "tsx", program, file, `${users}`, `${COMMITS}`];
  const { stdout } = await promisify(execFile)(process.execPath, given);
  return JSON.parse(stdout);
}

async function addNewTags(file: string): Promise<void> {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
  const { tags } = loyalty.organization(ORGANIZATION);
  for (let tag = 0; tag < NEW_TAGS; tag += 1) await tags.create({ name: `new-${tag}` });
  await loyalty.close();
}
