import { LoyaltyService } from "loyalty-kit";
import { retention } from "../organization.js";
import { openStorage } from "../wallets/place.js";
import { ORGANIZATION, takeStep } from "./shop.js";

/* A process that takes one step after the other until it is killed. It reports each step that was answered. */
const [, , database = "", cards = "[]", first = "0"] = process.argv;
const cardIds: string[] = JSON.parse(cards);
const loyalty = new LoyaltyService({ storage: await openStorage(database), retention });
process.stdout.write("ready\n");
for (let step = Number(first); ; step += 1) {
  await takeStep(loyalty.organization(ORGANIZATION), cardIds, step);
  process.stdout.write(`${step}\n`);
}
