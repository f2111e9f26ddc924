import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { ready } from "./ready.js";

/** Revokes a token of acme. */
const [, , file = "", id = ""] = process.argv;
const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
await ready();
await loyalty.organization("acme").apiTokens.delete(id);
await loyalty.close();
