import assert from "node:assert/strict";
import Database from "better-sqlite3";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Bench } from "./bench.js";
import { ORGANIZATION } from "./customers.js";
import { ourFile } from "./our-file.js";
import { pageOfAll } from "./plain-contacts.js";
import { plainFile } from "./plain-file.js";
import { inMs, print, type Row, whole } from "./report.js";
import { timeInTurn } from "./timing.js";

const SIZE = 50;

/** Pages of all contacts, near and far, with their number. */
export const contacts: Bench = async ({ shared, users, rounds, sliceMs }) => {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(await ourFile(shared, users)) });
  const { contacts } = loyalty.organization(ORGANIZATION);
  const db = new Database(plainFile(shared, users), { readonly: true });
  const rows: Row[] = [];
  for (const sort of ["createdAt,desc", "name,asc"] as const) {
    for (const [where, page] of [
      ["first", 0],
      ["middle", Math.floor(users / SIZE / 2)],
      ["last", Math.ceil(users / SIZE) - 1],
    ] as const) {
      const ours = () => contacts.list({ sort, page, size: SIZE });
      const peer = pageOfAll(db, { sort, offset: page * SIZE, size: SIZE });
      const { totalElements: total, content } = await ours();
      assert.deepEqual(peer(), { total, users: content }, `the ${where} page by ${sort}`);
      const timeOf = await timeInTurn({ ours, peer }, { rounds, sliceMs });
      rows.push({
        what: `${where} page by ${sort}`,
        ours: inMs(timeOf("ours")),
        peer: inMs(timeOf("peer")),
        peerName: "OFFSET and count(*)",
        ratio: timeOf("peer") / timeOf("ours"),
        goals: [],
      });
    }
  }
  await loyalty.close();
  db.close();
  print(`Contacts with total, page of ${SIZE}, ${whole(users)} users (ratio: times faster)`, rows);
};
