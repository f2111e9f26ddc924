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

/** How often both sides do each piece of work before what they have told is compared. */
const TRIALS = 5;

/**
 * Writes, each on the disk before it is answered, against a program that does without the library on tables of its own:
 * one by one, and by many callers at once against as many grouped by hand into one transaction. What the library's rows
 * take when they are written by hand stands beside it: more than that can't be had with what these rows are for. So does
 * what they take when each commit is answered as safely: seen in the log, and with a turn of the event loop for others.
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

/** @throws when the two sides have told of other changes, but for the new tags. */
async function assertSameEvents(organization: Organization, own: OwnProgram): Promise<void> {
  const { "user_tag.created": _, ...eventCounts } = await countEvents(organization);
  const numbers = Object.fromEntries(Object.entries(eventCounts).map(([type, { number }]) => [type, number]));
  assert.deepEqual(own.countEvents(), numbers);
}
