import assert from "node:assert/strict";
import { join } from "node:path";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Bench } from "../bench.js";
import { ORGANIZATION } from "../customers.js";
import { HandWritten, type NewCustomer } from "../hand-written.js";
import { createFileToImport, generateNewCustomers, splitIntoBatches } from "../new-customers.js";
import { atLeast, formatRate, formatWhole, type Goal, print, type Row } from "../report.js";
import { createEmptyOwnFile } from "./own-file.js";
import { OwnProgram } from "./own-program.js";

/** The library and the peer take turns after this many rows. */
const TURN = 10_000;
const ROWS_OF_TRANSACTION = 1_000;

/**
 * `users.import` of rows with 1.7 tags each, against a program without the library on its own tables. The cost of writing the
 * library's rows by hand is shown beside it, as in the price of a write.
 */
export const runPriceOfImport: Bench = async ({ folder, users }) => {
  const ours = await createFileToImport(join(folder, "ours.db"), users);
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(ours) });
  const organization = loyalty.organization(ORGANIZATION);
  const own = new OwnProgram(createEmptyOwnFile(join(folder, "own.db"), users));
  const sameRows = new HandWritten(await createFileToImport(join(folder, "same-rows.db"), users));
  const times = { ours: 0, byHand: 0, same: 0 };
  let [createdCount, assignedCount] = [0, 0];
  for (const rows of splitIntoBatches(generateNewCustomers(users), TURN)) {
    const start = performance.now();
    createdCount += (await organization.users.import(rows)).created;
    times.ours += performance.now() - start;
    times.byHand += timeWrites(rows, (batch) => own.import(batch));
    times.same += timeWrites(rows, (batch) => sameRows.createUsers(batch));
    assignedCount += rows.reduce((sum, { tags }) => sum + tags.length, 0);
  }
  assert.deepEqual(own.countEvents(), { "user.created": createdCount, "user_tag.assigned": assignedCount });
  await loyalty.close();
  own.close();
  sameRows.close();
  const buildRow = (label: string, ms: number, goals: readonly Goal[]): Row => ({
    label,
    ours: formatRate(users, ms),
    peer: formatRate(users, times.byHand),
    peerName: `own tables, ${formatWhole(ROWS_OF_TRANSACTION)} a transaction`,
    ratio: times.byHand / ms,
    goals,
  });
  print(
    `The price of an import, ${formatWhole(users)} users with 1.7 tags each (ratio: share of the rate without the library)`,
    [
      buildRow("rows", times.ours, [atLeast(times.byHand / times.ours, 0.6)]),
      buildRow("rows: the same rows by hand", times.same, []),
    ],
  );
};

/** Writes the rows, many in a transaction. @returns the duration in milliseconds. */
function timeWrites(rows: readonly NewCustomer[], write: (batch: readonly NewCustomer[]) => void): number {
  const start = performance.now();
  for (let at = 0; at < rows.length; at += ROWS_OF_TRANSACTION) {
    write(rows.slice(at, at + ROWS_OF_TRANSACTION));
  }
  return performance.now() - start;
}
