import { LoyaltyService } from "loyalty-kit";
import { createAutomationWorker } from "loyalty-kit/webhooks";
import { openStorage } from "../wallets/place.js";

/* A process that runs automations until it is killed. Its clock is ahead by this many milliseconds. */
const [, , database = "", aheadMs = "0"] = process.argv;
const loyalty = new LoyaltyService({
  storage: await openStorage(database),
  clock: () => Date.now() + Number(aheadMs),
});
createAutomationWorker(loyalty, { pollMs: 20 });
process.stdout.write("ready\n");
