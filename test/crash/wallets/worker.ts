import { LoyaltyService } from "loyalty-kit";
import { createWallets } from "loyalty-kit/wallets";
import { openStorage } from "./place.js";

/* A process that notifies phones of changes until it is killed. */
const [, , database = "", setup = "{}"] = process.argv;
const { apple, aheadMs }: { apple: Parameters<typeof createWallets>[1]["apple"]; aheadMs: number } =
  JSON.parse(setup);
const loyalty = new LoyaltyService({
  storage: await openStorage(database),
  clock: () => Date.now() + aheadMs,
});
createWallets(loyalty, {
  publicUrl: "https://shop.example",
  ...(apple !== undefined && { apple }),
  debounceMs: 20,
  pollMs: 20,
});
process.stdout.write("ready\n");
