import assert from "node:assert/strict";
import Database from "better-sqlite3";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Bench } from "./bench.js";
import { cycleScattered, ORGANIZATION, userId } from "./customers.js";
import { createOurFile } from "./our-file.js";
import { type PlainUser, toWireUser } from "./plain-file.js";
import { atMost, formatMs, formatWhole, print } from "./report.js";
import { timeInTurn } from "./timing.js";

/** One user by id through the library, against a bare prepared statement on the same file. */
export const runPointRead: Bench = async ({ sharedFolder, users, rounds, sliceMs }) => {
  const file = await createOurFile(sharedFolder, users);
  const ids = Array.from({ length: users }, (_, ordinal) => userId(ordinal));
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
  const ourUsers = loyalty.organization(ORGANIZATION).users;
  const db = new Database(file, { readonly: true });
  const selectById = db.prepare<[string, string], PlainUser>(
    "select * from loyalty_users where organization_id = ? and id = ?",
  );
  const [ourIds, bareIds] = [cycleScattered(ids), cycleScattered(ids)];
  const readOurs = () => ourUsers.get(ourIds.next().value);
  const readBare = () => selectById.get(ORGANIZATION, bareIds.next().value);
  const found = readBare();
  assert.deepEqual(await readOurs(), found && toWireUser(found));
  const getTime = await timeInTurn({ ours: readOurs, bare: readBare }, { rounds, sliceMs });
  await loyalty.close();
  db.close();
  const ratio = getTime("ours") / getTime("bare");
  print(`One user by id, ${formatWhole(users)} users (ratio: times the bare read)`, [
    {
      label: "users.get",
      ours: formatMs(getTime("ours")),
      peer: formatMs(getTime("bare")),
      peerName: "bare better-sqlite3",
      ratio,
      isLessBetter: true,
      goals: [atMost(ratio, 3)],
    },
  ]);
};
