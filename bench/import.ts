import { join } from "node:path";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Bench } from "./bench.js";
import { ORGANIZATION } from "./customers.js";
import { HandWritten, type NewCustomer } from "./hand-written.js";
import {
  assertSameFiles,
  createFileToImport,
  generateNewCustomers,
  splitIntoBatches,
} from "./new-customers.js";
import { atLeast, formatRate, formatWhole, print } from "./report.js";

/** The library and the peer take turns after this many rows. */
const TURN = 10_000;
const ROWS_OF_TRANSACTION = 500;

/** `users.import` of rows with 1.7 tags each, against the same rows written by hand, 500 a transaction. */
export const runImports: Bench = async ({ folder, users }) => {
  const ours = await createFileToImport(join(folder, "ours.db"), users);
  const byHand = await createFileToImport(join(folder, "by-hand.db"), users);
  // The peer removes no old events either.
  const retention = { maxEvents: Number.MAX_SAFE_INTEGER };
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(ours), retention });
  const organization = loyalty.organization(ORGANIZATION);
  const peer = new HandWritten(byHand);
  const times = { ours: 0, byHand: 0 };
  const timeImport = async (rows: readonly NewCustomer[]) => {
    const start = performance.now();
    await organization.users.import(rows);
    const between = performance.now();
    for (let at = 0; at < rows.length; at += ROWS_OF_TRANSACTION) {
      peer.createUsers(rows.slice(at, at + ROWS_OF_TRANSACTION));
    }
    times.ours += between - start;
    times.byHand += performance.now() - between;
  };
  for (const rows of splitIntoBatches(generateNewCustomers(users), TURN)) await timeImport(rows);
  await loyalty.close();
  peer.close();
  await assertSameFiles(ours, byHand);
  const ratio = times.byHand / times.ours;
  print(`Import of ${formatWhole(users)} users with 1.7 tags each (ratio: share of the rate by hand)`, [
    {
      label: "rows",
      ours: formatRate(users, times.ours),
      peer: formatRate(users, times.byHand),
      peerName: `${ROWS_OF_TRANSACTION} a transaction, by hand`,
      ratio,
      goals: [atLeast(ratio, 0.5)],
    },
  ]);
};
