import { sqliteStorage } from "loyalty-kit/sqlite";
import { awaitInStep } from "../../../src/base/concurrency/step.js";
import { addTag, addUser, assign } from "../records.js";

/** Writes a lot in a transaction, and is then killed in the middle of it. */
const [, , file = ""] = process.argv;
const storage = await sqliteStorage(file);
await storage.transaction("acme", function* (tx) {
  const tag = yield* addTag(tx, "lost");
  // More than the page cache holds, so that part of it is already in the write-ahead log.
  for (let added = 0; added < 5_000; added += 1) {
    const metadata = JSON.stringify({ filler: "x".repeat(5_000) });
    const { ordinal } = yield* addUser(tx, { metadata });
    yield* assign(tx, ordinal, tag);
  }
  process.stdout.write("ready\n");
  yield* awaitInStep(new Promise((resolve) => setTimeout(resolve, 60_000)));
});
