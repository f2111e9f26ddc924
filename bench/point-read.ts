import assert from "node:assert/strict";
import Database from "better-sqlite3";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Bench } from "./bench.js";
import { ORGANIZATION, scattered, userId } from "./customers.js";
import { ourFile } from "./our-file.js";
import { type PlainUser, userOf } from "./plain-file.js";
import { atMost, inMs, print, whole } from "./report.js";
import { timeInTurn } from "./timing.js";

/** One user by id through the library, against a bare prepared statement on the same file. */
export const pointRead: Bench = async ({ shared, users, rounds, sliceMs }) => {
  const file = await ourFile(shared, users);
  const ids = Array.from({ length: users }, (_, ordinal) => userId(ordinal));
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
  const ourUsers = loyalty.organization(ORGANIZATION).users;
  const db = new Database(file, { readonly: true });
  const byId = db.prepare<[string, string], PlainUser>(
    "select * from loyalty_users where organization_id = ? and id = ?",
  );
  const [ourIds, bareIds] = [scattered(ids), scattered(ids)];
  const ours = () => ourUsers.get(ourIds.next().value);
  const bare = () => byId.get(ORGANIZATION, bareIds.next().value);
  const found = bare();
  assert.deepEqual(await ours(), found && userOf(found));
  const timeOf = await timeInTurn({ ours, bare }, { rounds, sliceMs });
  await loyalty.close();
  db.close();
  const ratio = timeOf("ours") / timeOf("bare");
  print(`One user by id, ${whole(users)} users (ratio: times the bare read)`, [
    {
      what: "users.get",
      ours: inMs(timeOf("ours")),
      peer: inMs(timeOf("bare")),
      peerName: "bare better-sqlite3",
      ratio,
      isLessBetter: true,
      goals: [atMost(ratio, 3)],
    },
  ]);
};
