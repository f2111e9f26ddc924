import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { createWallets } from "loyalty-kit/wallets";

/* A process that tells phones of changes on a file, until it is killed. */
const [, , file = "", setup = "{}"] = process.argv;
const { apple, aheadMs }: { apple: Parameters<typeof createWallets>[1]["apple"]; aheadMs: number } =
  JSON.parse(setup);
const loyalty = new LoyaltyService({
  storage: await sqliteStorage(file),
  clock: () => Date.now() + aheadMs,
});
createWallets(loyalty, {
  publicUrl: "https://shop.example",
  ...(apple !== undefined && { apple }),
  gatherMs: 20,
  pollMs: 20,
});
process.stdout.write("ready\n");
