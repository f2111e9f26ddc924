import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { addReceipts } from "./receipts.js";

/** Prints when it begins, and is killed before it ends. */
const [, , file = "", passId = ""] = process.argv;
const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
process.stdout.write("begun\n");
await addReceipts(loyalty.organization("acme"), passId);
