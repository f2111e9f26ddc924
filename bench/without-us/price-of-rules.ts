import type { Bench } from "../bench.js";
import { ORGANIZATION } from "../customers.js";
import { formatWhole, print, type Row } from "../report.js";
import { openRulesInMemory, USERS_IN_MEMORY } from "../rules-in-memory.js";
import { timeInTurn } from "../timing.js";
import { CALLERS, runConcurrently } from "../writes.js";
import { buildRowOfMany, buildRowOfOne, createPieces, openByHand } from "./pieces.js";

/**
 * The cost of writes if the storage were as fast as by hand: the call on a storage in memory checks the input, creates ids and
 * events, and returns; the library's rows are then written by hand. It has its own process, in which the library knows one
 * storage, as in a user's process.
 */
export const runPriceOfRules: Bench = async (settings) => {
  const { users, rounds, sliceMs } = settings;
  const { byHand, close } = await openByHand(settings);
  const loyalty = await openRulesInMemory();
  const organization = loyalty.organization(ORGANIZATION);
  const rows: Row[] = [];
  for (const { label, ours, own, same, grouped, sameGrouped } of createPieces(
    organization,
    USERS_IN_MEMORY,
    byHand,
    users,
  )) {
    const tasks = {
      alone: async () => {
        await ours();
        await byHand.safely.after(same);
      },
      own,
      together: async () => {
        await runConcurrently(ours)();
        await sameGrouped();
      },
      grouped,
    };
    const getTime = await timeInTurn(tasks, { rounds, sliceMs });
    rows.push(
      buildRowOfOne(`${label}, one by one`, getTime("alone"), getTime("own")),
      buildRowOfMany(`${label}, ${CALLERS} callers`, getTime("together"), getTime("grouped")),
    );
  }
  await loyalty.close();
  close();
  print(
    `The library's rules before its rows by hand, ${formatWhole(users)} users (ratio: share of the rate without the library)`,
    rows,
  );
};
