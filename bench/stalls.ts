import type { Bench } from "./bench.js";
import { bothAside, type Paired } from "./both-aside.js";
import { atMost, inMs, print, type Row, whole } from "./report.js";

const works = {
  list: "users.list of all",
  export: "users.export of all",
  import: "users.import of as many",
  "delete a tag": "tags.delete, 30 % have it",
  "assign by filter": "tags.assignUsers to 30 %",
  "search one character": "a search for one character",
} as const satisfies Record<Paired, string>;

/** The longest that the event loop gets to nothing else while a large piece of work is done. */
export const stalls: Bench = async (settings) => {
  const rows: Row[] = [];
  for (const task of Object.keys(works).filter(isPaired)) {
    const { ours, naive } = await bothAside(task, settings);
    rows.push({
      what: works[task],
      ours: `${inMs(ours.stallMs)} of ${inMs(ours.ms)}`,
      peer: inMs(naive.stallMs),
      peerName: "one statement by hand",
      ratio: naive.stallMs / ours.stallMs,
      goals: [atMost(ours.stallMs, task === "import" ? 50 : 100, " ms")],
    });
  }
  print(`Longest stall of the event loop, ${whole(settings.users)} users (ratio: times shorter)`, rows);
};

function isPaired(task: string): task is Paired {
  return Object.hasOwn(works, task);
}
