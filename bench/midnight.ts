import assert from "node:assert/strict";
import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { createBehaviorFile, NOW } from "./behavior-file.js";
import type { Bench } from "./bench.js";
import { EPOCH, ORGANIZATION } from "./customers.js";
import { copyFile } from "./our-file.js";
import { atLeast, atMost, formatGoal, formatMs, formatWhole, printTable } from "./report.js";

const DAY_MS = 86_400_000;

/** All customers leave a segment at one midnight. */
export const runMidnight: Bench = async ({ sharedFolder, folder, users }) => {
  const file = copyFile(await createBehaviorFile(sharedFolder, users), folder, "ours");
  let now = NOW;
  const longest = { ms: 0 };
  const storage = timeTransactions(await sqliteStorage(file), longest);
  const loyalty = new LoyaltyService({ storage, clock: () => now });
  const { segments } = loyalty.organization(ORGANIZATION);
  const withinDays = Math.floor(NOW / DAY_MS) - Math.floor(EPOCH / DAY_MS);
  const filter = { operator: "AND", conditions: [{ joined: { withinDays } }] } as const;
  const { members } = await segments.create({ name: "All", emitsEvents: true, filter });
  assert.ok(members !== null && members > 0);
  // Its members are counted first.
  await loyalty.refreshSegments();
  longest.ms = 0;
  now += DAY_MS;
  const start = performance.now();
  const { left } = await loyalty.refreshSegments();
  const ms = performance.now() - start;
  assert.equal((await segments.get("all")).members, members - left);
  const rate = (left / ms) * 1_000;
  printTable(`One midnight, ${formatWhole(users)} users`, {
    "who leaves": {
      events: formatWhole(left),
      "a second": `${formatWhole(rate)} ${formatGoal(atLeast(rate, 30_000))}`,
      "longest transaction": `${formatMs(longest.ms)} ${formatGoal(atMost(longest.ms, 50, " ms"))}`,
    },
  });
  await loyalty.close();
};

/** Wraps the storage to record how long its longest transaction works, without its wait and its commit. */
export function timeTransactions(storage: StorageAdapter, longest: { ms: number }): StorageAdapter {
  return new Proxy(storage, {
    get(target, key) {
      if (key === "transaction") {
        const timedTransaction: StorageAdapter["transaction"] = (organizationId, work, options) =>
          target.transaction(
            organizationId,
            function* (tx) {
              const start = performance.now();
              const result = yield* work(tx);
              longest.ms = Math.max(longest.ms, performance.now() - start);
              return result;
            },
            options,
          );
        return timedTransaction;
      }
      const member: unknown = Reflect.get(target, key);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
