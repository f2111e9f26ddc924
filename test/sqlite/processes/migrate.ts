import { SqliteDatabase } from "../../../adapters/storage/sqlite/database.js";
import { sqliteDialect } from "../../../adapters/storage/sqlite/dialect.js";
import { createNextRelease } from "../../kysely/next-release.js";
import { waitForStart } from "./ready.js";

/** Migrates the file to the next release at the same time as other processes, and prints the versions. */
const [, , file = ""] = process.argv;
await waitForStart();
const database = await SqliteDatabase.open(file, "FULL", true, createNextRelease(sqliteDialect));
await database.close();
console.log(JSON.stringify(database.migration));
