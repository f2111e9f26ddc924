import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { waitForStart } from "./ready.js";

/** Revokes an API token of "acme". */
const [, , file = "", id = ""] = process.argv;
const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
await waitForStart();
await loyalty.organization("acme").apiTokens.delete(id);
await loyalty.close();
