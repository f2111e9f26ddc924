import assert from "node:assert/strict";
import { LoyaltyService, type Organization } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Bench } from "../bench.js";
import { ORGANIZATION } from "../customers.js";
import { countEvents } from "../new-customers.js";
import { formatWhole, print, type Row } from "../report.js";
import { timeInTurn } from "../timing.js";
import { CALLERS, runConcurrently } from "../writes.js";
import type { OwnProgram } from "./own-program.js";
import { buildRowOfMany, buildRowOfOne, createPieces, openByHand } from "./pieces.js";

/** How often both sides run each task before their events are compared. */
const TRIALS = 5;

/**
 * Writes, each on the disk before it is confirmed, against a program without the library on its own tables: one by one, and by
 * many concurrent callers against as many grouped by hand into one transaction. The cost of writing the library's rows by hand is
 * shown beside it: no implementation with these rows can be faster. So is the cost if each commit is confirmed as safely: checked
 * in the log, with a yield to the event loop.
 */
export const runPriceOfWrites: Bench = async (settings) => {
  const { users, rounds, sliceMs } = settings;
  const { file, byHand, close } = await openByHand(settings);
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
  const organization = loyalty.organization(ORGANIZATION);
  const pieces = createPieces(organization, users, byHand, users);
  for (const { ours, own, grouped } of pieces) {
    for (let at = 0; at < TRIALS; at += 1) {
      await ours();
      own();
    }
    await runConcurrently(ours)();
    grouped();
  }
  await assertSameEvents(organization, byHand.own);

  const rows: Row[] = [];
  for (const { label, ours, own, same, grouped, sameGrouped, minRatio } of pieces) {
    const writeSafely = () => byHand.safely.after(same);
    const tasks = {
      ours,
      own,
      same,
      asSafe: writeSafely,
      atOnce: runConcurrently(ours),
      grouped,
      sameGrouped,
    };
    const getTime = await timeInTurn(tasks, { rounds, sliceMs });
    const [ownTime, groupedTime] = [getTime("own"), getTime("grouped")];
    const aloneLabel = `${label}, one by one`;
    const togetherLabel = `${label}, ${CALLERS} callers`;
    rows.push(
      buildRowOfOne(aloneLabel, getTime("ours"), ownTime, minRatio),
      buildRowOfOne(`${aloneLabel}: the same rows by hand`, getTime("same"), ownTime),
      buildRowOfOne(`${aloneLabel}: by hand, answered as safely`, getTime("asSafe"), ownTime),
      buildRowOfMany(togetherLabel, getTime("atOnce"), groupedTime, 0.8),
      buildRowOfMany(`${togetherLabel}: the same rows by hand`, getTime("sameGrouped"), groupedTime),
    );
  }
  await loyalty.close();
  close();
  print(
    `The price of a write, ${formatWhole(users)} users (ratio: share of the rate without the library)`,
    rows,
  );
};

/** @throws if the two sides have emitted different events, except for the new tags. */
async function assertSameEvents(organization: Organization, own: OwnProgram): Promise<void> {
  const { "user_tag.created": _, ...eventCounts } = await countEvents(organization);
  const numbers = Object.fromEntries(Object.entries(eventCounts).map(([type, { number }]) => [type, number]));
  assert.deepEqual(own.countEvents(), numbers);
}
