import assert from "node:assert/strict";
import Database from "better-sqlite3";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Bench } from "./bench.js";
import { ORGANIZATION } from "./customers.js";
import { createOurFile } from "./our-file.js";
import { readPage } from "./plain-contacts.js";
import { createPlainFile } from "./plain-file.js";
import { formatMs, formatWhole, print, type Row } from "./report.js";
import { timeInTurn } from "./timing.js";

const SIZE = 50;

/** Pages of all contacts, near and far, with their number. */
export const runContacts: Bench = async ({ sharedFolder, users, rounds, sliceMs }) => {
  const loyalty = new LoyaltyService({
    storage: await sqliteStorage(await createOurFile(sharedFolder, users)),
  });
  const { contacts } = loyalty.organization(ORGANIZATION);
  const db = new Database(createPlainFile(sharedFolder, users), { readonly: true });
  const rows: Row[] = [];
  for (const sort of ["createdAt,desc", "name,asc"] as const) {
    for (const [where, page] of [
      ["first", 0],
      ["middle", Math.floor(users / SIZE / 2)],
      ["last", Math.ceil(users / SIZE) - 1],
    ] as const) {
      const listOurs = () => contacts.list({ sort, page, size: SIZE });
      const peer = readPage(db, { sort, offset: page * SIZE, size: SIZE });
      const { totalElements: total, content } = await listOurs();
      assert.deepEqual(peer(), { total, users: content }, `the ${where} page by ${sort}`);
      const getTime = await timeInTurn({ ours: listOurs, peer }, { rounds, sliceMs });
      rows.push({
        label: `${where} page by ${sort}`,
        ours: formatMs(getTime("ours")),
        peer: formatMs(getTime("peer")),
        peerName: "OFFSET and count(*)",
        ratio: getTime("peer") / getTime("ours"),
        goals: [],
      });
    }
  }
  await loyalty.close();
  db.close();
  print(`Contacts with total, page of ${SIZE}, ${formatWhole(users)} users (ratio: times faster)`, rows);
};
