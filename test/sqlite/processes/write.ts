import { sqliteStorage } from "loyalty-kit/sqlite";
import { addUser, assign } from "../records.js";
import { waitForStart } from "./ready.js";

/** Adds users, each in a transaction that reads before it writes, and tags every other one. */
const [, , file = "", count = ""] = process.argv;
const storage = await sqliteStorage(file);
await waitForStart();
for (let added = 0; added < Number(count); added += 1) {
  await storage.transaction("acme", function* (tx) {
    const { ordinal } = yield* addUser(tx);
    const vip = yield* tx.findTag("vip");
    if (vip !== null && ordinal % 2 === 0) yield* assign(tx, ordinal, vip);
  });
}
await storage.close();
