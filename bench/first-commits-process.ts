import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { ORGANIZATION } from "./customers.js";
import { HandWritten } from "./hand-written.js";
import { newPairs } from "./writes.js";

const [, , file = "", users = "", count = "", side = ""] = process.argv;
const pairs = newPairs(Number(users));

/** Opens the file, and times the first commits and those after them. */
async function timed() {
  const { assign, close } = side === "by hand" ? byHand() : await ours();
  const first = await timeOfAll(assign);
  const later = await timeOfAll(assign);
  await close();
  return { first, later };
}

async function ours() {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
  const { tags } = loyalty.organization(ORGANIZATION);
  return {
    assign: (userId: string, slug: string): unknown => tags.assign(userId, slug),
    close: (): unknown => loyalty.close(),
  };
}

function byHand() {
  const peer = new HandWritten(file);
  return {
    assign: (userId: string, slug: string): unknown => peer.assign(userId, slug),
    close: (): unknown => peer.close(),
  };
}

async function timeOfAll(assign: (userId: string, slug: string) => unknown): Promise<number> {
  const start = performance.now();
  for (let at = 0; at < Number(count); at += 1) await assign(...pairs.next().value);
  return performance.now() - start;
}

// A second start in the process has code that is compiled already.
if (side === "opened again") await timed();
console.log(JSON.stringify(await timed()));
