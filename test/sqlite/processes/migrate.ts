import { SqliteDatabase } from "../../../adapters/storage/sqlite/database.js";
import { sqliteDialect } from "../../../adapters/storage/sqlite/dialect.js";
import { createNextRelease } from "../../kysely/next-release.js";
import { waitForStart } from "./ready.js";

/** Brings the file to the next release at the same moment as others do, and says what that did. */
const [, , file = ""] = process.argv;
await waitForStart();
const database = await SqliteDatabase.open(file, "FULL", true, createNextRelease(sqliteDialect));
await database.close();
console.log(JSON.stringify(database.migration));
