import type { Bench } from "./bench.js";
import { type PairedTaskName, runBothInProcesses } from "./both-aside.js";
import { atMost, formatMs, formatWhole, print, type Row } from "./report.js";

const labels = {
  list: "users.list of all",
  export: "users.export of all",
  import: "users.import of as many",
  "delete a tag": "tags.delete, 30 % have it",
  "assign by filter": "tags.assignUsers to 30 %",
  "search one character": "a search for one character",
} as const satisfies Record<PairedTaskName, string>;

/** The longest time that the event loop is blocked while a large task runs. */
export const runStalls: Bench = async (settings) => {
  const rows: Row[] = [];
  for (const task of Object.keys(labels).filter(isPaired)) {
    const { ours, naive } = await runBothInProcesses(task, settings);
    rows.push({
      label: labels[task],
      ours: `${formatMs(ours.stallMs)} of ${formatMs(ours.ms)}`,
      peer: formatMs(naive.stallMs),
      peerName: "one statement by hand",
      ratio: naive.stallMs / ours.stallMs,
      goals: [atMost(ours.stallMs, task === "import" ? 50 : 100, " ms")],
    });
  }
  print(`Longest stall of the event loop, ${formatWhole(settings.users)} users (ratio: times shorter)`, rows);
};

function isPaired(task: string): task is PairedTaskName {
  return Object.hasOwn(labels, task);
}
