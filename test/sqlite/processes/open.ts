import { migrateSqlite, sqliteStorage } from "loyalty-kit/sqlite";
import { runStep } from "../../../src/base/concurrency/step.js";
import { waitForStart } from "./ready.js";

/** Opens the file at the same time as other processes, and prints what it found. */
const [, , file = ""] = process.argv;
await waitForStart();
const storage = await sqliteStorage(file);
const isEmpty = await runStep(storage.all.isEmpty());
await storage.close();
const { from, to } = await migrateSqlite(file);
console.log(JSON.stringify({ isEmpty, isCurrent: from === to }));
