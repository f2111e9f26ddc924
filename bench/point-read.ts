import assert from "node:assert/strict";
import { join } from "node:path";
import Database from "better-sqlite3";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Bench } from "./bench.js";
import { customers, ORGANIZATION, writeOurFile } from "./customers.js";
import { inMs, print } from "./report.js";
import { timeInTurn } from "./timing.js";

/** One user by id through the library, against a bare prepared statement on the same file. */
export const pointRead: Bench = async ({ folder, users, rounds, sliceMs }) => {
  const file = join(folder, "ours.db");
  await writeOurFile(file, users);
  const ids = Array.from(customers(users), ({ id }) => id);
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
  const ourUsers = loyalty.organization(ORGANIZATION).users;
  const db = new Database(file, { readonly: true });
  const byId = db.prepare<[string, string], { email: string }>(
    "select * from loyalty_users where organization_id = ? and id = ?",
  );
  const [ourIds, bareIds] = [scattered(ids), scattered(ids)];
  const ours = () => ourUsers.get(ourIds.next().value);
  const bare = () => byId.get(ORGANIZATION, bareIds.next().value);
  assert.equal((await ours()).email, bare()?.email);
  const timeOf = await timeInTurn({ ours, bare }, { rounds, sliceMs });
  await loyalty.close();
  db.close();
  print(`One user by id, ${users.toLocaleString("en")} users (ratio: times the bare read)`, [
    {
      what: "users.get",
      ours: inMs(timeOf("ours")),
      peer: inMs(timeOf("bare")),
      peerName: "bare better-sqlite3",
      ratio: timeOf("ours") / timeOf("bare"),
      goal: "≤ 3",
    },
  ]);
};

/** All of them again and again, in no order: the stride is a prime. */
function* scattered<T>(all: readonly T[]): Generator<T, never> {
  for (let at = 0; ; at = (at + 7_919) % all.length) {
    const next = all[at];
    if (next !== undefined) yield next;
  }
}
