import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { createWebhookWorker } from "loyalty-kit/webhooks";

/* Runs a delivery worker on a database file, until the process is killed. */
const [, , file = ""] = process.argv;
const loyalty = new LoyaltyService({
  storage: await sqliteStorage(file),
  webhooks: { allowLoopback: true },
});
createWebhookWorker(loyalty, { pollMs: 20 });
process.stdout.write("ready\n");
