import { sqliteStorage } from "loyalty-kit/sqlite";
import { addTag, addUser, assign } from "../records.js";

/** Writes a lot in a transaction and is then killed in the middle of it. */
const [, , file = ""] = process.argv;
const storage = await sqliteStorage(file);
await storage.transaction(async (tx) => {
  const tag = await addTag(tx, "lost");
  // More than the page cache holds, so that a part of it is in the log already.
  for (let added = 0; added < 5_000; added += 1) {
    const metadata = JSON.stringify({ filler: "x".repeat(5_000) });
    const { ordinal } = await addUser(tx, { metadata });
    await assign(tx, ordinal, tag);
  }
  process.stdout.write("ready\n");
  await new Promise((resolve) => setTimeout(resolve, 60_000));
});
