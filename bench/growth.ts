import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Bench } from "./bench.js";
import { type CallName, callNames, createCalls } from "./calls.js";
import { ORGANIZATION } from "./customers.js";
import { copyFile, createOurFile } from "./our-file.js";
import { atMost, formatGoal, formatMs, formatWhole, printTable } from "./report.js";
import { timeInTurn } from "./timing.js";

/** From the fewest users to the most. */
const TIMES_MORE = 100;

/** How much longer a call may take with all of the users. A call for one user or one page takes about the same. */
const maxFactors: Readonly<Record<CallName, number | null>> = {
  "users.get": 1.5,
  "contacts, newest": 1.5,
  "contacts by name": 1.5,
  "search for an email": TIMES_MORE,
  "search for a family name": TIMES_MORE,
  // Reads all users; the smallest file fits into the processor's cache.
  "search for two characters": null,
  "tag query, nested": TIMES_MORE,
  "tags.assign and unassign": 1.5,
};

/** The same calls with a hundredth, a tenth and all of the users. */
export const runGrowth: Bench = async ({ sharedFolder, folder, users, rounds, sliceMs }) => {
  const sizes = [users / TIMES_MORE, users / 10, users].map(Math.round);
  const sides = await Promise.all(
    sizes.map(async (size) => {
      const file = copyFile(await createOurFile(sharedFolder, size), folder, `${size}`);
      const service = new LoyaltyService({ storage: await sqliteStorage(file) });
      const calls = await createCalls(service.organization(ORGANIZATION), size);
      return { name: `${formatWhole(size)} users`, service, calls };
    }),
  );
  const lines: Record<string, Record<string, string>> = {};
  for (const call of callNames) {
    const tasks = Object.fromEntries(sides.map(({ name, calls }) => [name, calls[call]]));
    const getTime = await timeInTurn(tasks, { rounds, sliceMs });
    const times = sides.map(({ name }) => getTime(name));
    const factor = Math.max(...times.slice(-1)) / Math.min(...times.slice(0, 1));
    lines[call] = {
      ...Object.fromEntries(sides.map(({ name }) => [name, formatMs(getTime(name))])),
      factor: factor.toFixed(2),
      goal: formatRatioGoal(factor, maxFactors[call]),
    };
  }
  for (const { service } of sides) await service.close();
  printTable("Growth (factor: the time with the most users against that with the fewest)", lines);
};

function formatRatioGoal(factor: number, max: number | null): string {
  return max === null ? "none" : formatGoal(atMost(factor, max));
}
