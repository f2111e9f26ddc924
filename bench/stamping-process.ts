import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { NOW } from "./behaviour-file.js";
import { hasPass, ORGANIZATION, passId, scattered } from "./customers.js";
import { atOnce, CALLERS, inTurn } from "./writes.js";

/* Stamps a file's cards, each time that it is told to, and says when that is done. */
const [, , file = "", users = "", given = "", before = "", way = ""] = process.argv;
const holders = scattered(Array.from({ length: Number(users) }, (_, ordinal) => ordinal).filter(hasPass));
// Those who have their stamps already come last.
for (let at = 0; at < Number(given); at += 1) holders.next();
const loyalty = new LoyaltyService({ storage: await sqliteStorage(file), clock: () => NOW });
const { stamps } = loyalty.organization(ORGANIZATION);
const stamp = () => stamps.add(passId(holders.next().value));
const stampAll = (way === "at once" ? atOnce : inTurn)(stamp);
// A service that was not started just now has code that is compiled, and pages in its caches.
for (let at = 0; at < Number(before); at += CALLERS) await atOnce(stamp)();
process.on("message", async (message) => {
  if (message === "stamp") await stampAll();
  else await loyalty.close();
  process.send?.("done");
  if (message !== "stamp") process.disconnect();
});
process.send?.("ready");
