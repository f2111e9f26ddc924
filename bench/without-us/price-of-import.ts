import assert from "node:assert/strict";
import { join } from "node:path";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Bench } from "../bench.js";
import { ORGANIZATION } from "../customers.js";
import { fileToImport, inTurns, newCustomers } from "../new-customers.js";
import { atLeast, print, rateOf, whole } from "../report.js";
import { emptyOwnFile } from "./own-file.js";
import { OwnProgram } from "./own-program.js";

/** The library and the peer take turns after so many rows. */
const TURN = 10_000;
const ROWS_OF_TRANSACTION = 1_000;

/** `users.import` of rows with 1.7 tags each, against a program that does without the library on tables of its own. */
export const priceOfImport: Bench = async ({ folder, users }) => {
  const ours = await fileToImport(join(folder, "ours.db"), users);
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(ours) });
  const organization = loyalty.organization(ORGANIZATION);
  const own = new OwnProgram(emptyOwnFile(join(folder, "own.db"), users));
  const times = { ours: 0, byHand: 0 };
  let [created, assigned] = [0, 0];
  for (const rows of inTurns(newCustomers(users), TURN)) {
    const start = performance.now();
    created += (await organization.users.import(rows)).created;
    const between = performance.now();
    for (let at = 0; at < rows.length; at += ROWS_OF_TRANSACTION) {
      own.import(rows.slice(at, at + ROWS_OF_TRANSACTION));
    }
    times.ours += between - start;
    times.byHand += performance.now() - between;
    assigned += rows.reduce((sum, { tags }) => sum + tags.length, 0);
  }
  assert.deepEqual(own.told(), { "user.created": created, "user_tag.assigned": assigned });
  await loyalty.close();
  own.close();
  const ratio = times.byHand / times.ours;
  print(
    `The price of an import, ${whole(users)} users with 1.7 tags each (ratio: share of the rate without the library)`,
    [
      {
        what: "rows",
        ours: rateOf(users, times.ours),
        peer: rateOf(users, times.byHand),
        peerName: `own tables, ${whole(ROWS_OF_TRANSACTION)} a transaction`,
        ratio,
        goals: [atLeast(ratio, 0.6)],
      },
    ],
  );
};
