import type { Bench } from "./bench.js";
import { bothAside } from "./both-aside.js";
import { atMost, print, type Row, whole } from "./report.js";

const MEBIBYTE = 2 ** 20;

/** The most memory that a process has, above what it had when it was idle, while it goes through all users. */
export const memory: Bench = async (settings) => {
  const rows: Row[] = [];
  for (const task of ["list", "export", "import"] as const) {
    const { ours, naive } = await bothAside(task, settings);
    const [mine, theirs] = [ours.memory / MEBIBYTE, naive.memory / MEBIBYTE];
    rows.push({
      what: `users.${task}`,
      ours: `${whole(mine)} MiB`,
      peer: `${whole(theirs)} MiB`,
      peerName: "all rows in an array",
      ratio: theirs / mine,
      goals: [atMost(mine, 200, " MiB")],
    });
  }
  print(`Memory above idle, ${whole(settings.users)} users (ratio: times less)`, rows);
};
