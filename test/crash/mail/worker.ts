import { LoyaltyService } from "loyalty-kit";
import { createMail } from "loyalty-kit/mail";
import { openStorage } from "../wallets/place.js";
import type { SenderSetup } from "./senders.js";

/* A process that sends mails and messages until it is killed. */
const [, , database = "", setup = "{}"] = process.argv;
const { smtp, aheadMs }: SenderSetup = JSON.parse(setup);
const loyalty = new LoyaltyService({
  storage: await openStorage(database),
  clock: () => Date.now() + aheadMs,
  // A message takes several slices, which wait for each other.
  limits: { pendingMessageDeliveries: 300 },
});
createMail(loyalty, {
  publicUrl: "https://shop.example",
  from: "cards@shop.example",
  smtp,
  rate: { requests: 1_000, seconds: 1 },
  pollMs: 20,
});
process.stdout.write("ready\n");
