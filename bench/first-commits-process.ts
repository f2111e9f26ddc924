import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { ORGANIZATION } from "./customers.js";
import { newPairs } from "./writes.js";

const [, , file = "", users = "", count = ""] = process.argv;
const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
const { tags } = loyalty.organization(ORGANIZATION);
const pairs = newPairs(Number(users));

async function timeOfAll(): Promise<number> {
  const start = performance.now();
  for (let at = 0; at < Number(count); at += 1) await tags.assign(...pairs.next().value);
  return performance.now() - start;
}

const first = await timeOfAll();
const later = await timeOfAll();
await loyalty.close();
console.log(JSON.stringify({ first, later }));
