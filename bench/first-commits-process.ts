import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { CommitGuard } from "./answered-as-safely.js";
import { ORGANIZATION } from "./customers.js";
import { HandWritten } from "./hand-written.js";
import { openRulesInMemory, USERS_IN_MEMORY } from "./rules-in-memory.js";
import { createNewPairs } from "./writes.js";

const [, , file = "", users = "", count = "", side = ""] = process.argv;
const pairs = createNewPairs(Number(users));

/** Opens the file, and times the first commits and those after them. */
async function timeCommits() {
  const { assign, close } = await openSide();
  const first = await timeAll(assign);
  const later = await timeAll(assign);
  await close();
  return { first, later };
}

function openSide() {
  switch (side) {
    case "by hand":
      return openByHand();
    case "by hand, with our rules":
      return openByHandWithRules();
    default:
      return openOurs();
  }
}

async function openOurs() {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
  const { tags } = loyalty.organization(ORGANIZATION);
  return {
    assign: (userId: string, slug: string): unknown => tags.assign(userId, slug),
    close: (): unknown => loyalty.close(),
  };
}

function openByHand() {
  const peer = new HandWritten(file);
  return {
    assign: (userId: string, slug: string): unknown => peer.assign(userId, slug),
    close: (): unknown => peer.close(),
  };
}

async function openByHandWithRules() {
  const peer = openByHand();
  const safely = new CommitGuard(file);
  const inMemory = await openRulesInMemory();
  const { tags } = inMemory.organization(ORGANIZATION);
  const pairsInMemory = createNewPairs(USERS_IN_MEMORY);
  return {
    async assign(userId: string, slug: string) {
      await tags.assign(...pairsInMemory.next().value);
      await safely.after(() => peer.assign(userId, slug));
    },
    async close() {
      await inMemory.close();
      safely.close();
      peer.close();
    },
  };
}

async function timeAll(assign: (userId: string, slug: string) => unknown): Promise<number> {
  const start = performance.now();
  for (let at = 0; at < Number(count); at += 1) await assign(...pairs.next().value);
  return performance.now() - start;
}

// By the third start in the process the code is compiled for any number of databases.
if (side === "opened a third time") for (let before = 0; before < 2; before += 1) await timeCommits();
console.log(JSON.stringify(await timeCommits()));
