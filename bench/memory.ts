import type { Bench } from "./bench.js";
import { runBothInProcesses } from "./both-aside.js";
import { atMost, formatWhole, print, type Row } from "./report.js";

const MEBIBYTE = 2 ** 20;

/** The peak memory of a process, above its idle memory, while it reads all users. */
export const runMemory: Bench = async (settings) => {
  const rows: Row[] = [];
  for (const task of ["list", "export", "import"] as const) {
    const { ours, naive } = await runBothInProcesses(task, settings);
    const [ourMemory, naiveMemory] = [ours.memory / MEBIBYTE, naive.memory / MEBIBYTE];
    rows.push({
      label: `users.${task}`,
      ours: `${formatWhole(ourMemory)} MiB`,
      peer: `${formatWhole(naiveMemory)} MiB`,
      peerName: "all rows in an array",
      ratio: naiveMemory / ourMemory,
      goals: [atMost(ourMemory, 200, " MiB")],
    });
  }
  print(`Memory above idle, ${formatWhole(settings.users)} users (ratio: times less)`, rows);
};
