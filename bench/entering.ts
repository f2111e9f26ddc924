import assert from "node:assert/strict";
import { LoyaltyService, type SegmentFilter, type StorageAdapter } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { behaviourFile, NOW } from "./behaviour-file.js";
import type { Bench } from "./bench.js";
import { EPOCH, hasPass, ORGANIZATION, passId, scattered, TEMPLATE } from "./customers.js";
import { copyOf } from "./our-file.js";
import { atLeast, atMost, inMs, judged, print, printTable, type Row, whole } from "./report.js";
import { timeInTurn } from "./timing.js";
import { atOnce, CALLERS } from "./writes.js";

const DAY_MS = 86_400_000;
const templateId = TEMPLATE;

const of = (condition: NonNullable<SegmentFilter["conditions"]>[number]): SegmentFilter => ({
  operator: "AND",
  conditions: [condition],
});

/** What shops ask, of which a stamp may change the most. */
const ten: readonly SegmentFilter[] = [
  of({ lastVisit: { templateId, withinDays: 30 } }),
  of({ lastVisit: { templateId, beforeDays: 60 } }),
  of({ visits: { templateId, days: 90, min: 3 } }),
  of({ visits: { templateId, days: 30, min: 5 } }),
  of({ stamps: { templateId, min: 8 } }),
  of({ rewards: { min: 1 } }),
  of({ completions: { min: 3 } }),
  of({ slug: "some" }),
  of({ metadata: { path: ["city"], equals: "Vienna" } }),
  { operator: "AND", conditions: [{ slug: "some" }, { lastVisit: { beforeDays: 14 } }] },
];

/** Stamps where ten segments tell who enters and leaves, against none; and who leaves a segment at one midnight. */
export const entering: Bench = async ({ shared, folder, users, rounds, sliceMs }) => {
  const file = await behaviourFile(shared, users);
  const clock = () => NOW;
  const none = new LoyaltyService({ storage: await sqliteStorage(copyOf(file, folder, "none")), clock });
  const watched = new LoyaltyService({ storage: await sqliteStorage(copyOf(file, folder, "ten")), clock });
  const { segments } = watched.organization(ORGANIZATION);
  for (const [nth, filter] of ten.entries())
    await segments.create({ name: `segment ${nth}`, filter, emitsEvents: true });
  // Their members are counted first.
  await watched.sweepSegments();
  const passes = Array.from({ length: users }, (_, ordinal) => ordinal)
    .filter(hasPass)
    .map(passId);
  const rows: Row[] = [];
  for (const [what, shape] of [
    ["stamps, one after the other", (work: () => unknown) => work],
    [`stamps, ${CALLERS} at once`, atOnce],
  ] as const) {
    const [ours, others] = [scattered(passes), scattered(passes)];
    const timeOf = await timeInTurn(
      {
        ten: shape(() => watched.organization(ORGANIZATION).stamps.add(ours.next().value)),
        none: shape(() => none.organization(ORGANIZATION).stamps.add(others.next().value)),
      },
      { rounds, sliceMs },
    );
    const ratio = timeOf("none") / timeOf("ten");
    rows.push({
      what,
      ...{ ours: inMs(timeOf("ten")), peer: inMs(timeOf("none")), peerName: "no segment that tells", ratio },
      goals: [atLeast(ratio, 0.85)],
    });
  }
  print(
    `Stamps where ten segments tell who enters, ${whole(users)} users (ratio: share of the rate without)`,
    rows,
  );
  await none.close();
  await watched.close();
  await sweep(copyOf(file, folder, "sweep"), users);
};

/** Has all customers leave a segment at one midnight. */
async function sweep(file: string, users: number): Promise<void> {
  const first = Math.floor(EPOCH / DAY_MS);
  let now = NOW;
  const longest = { ms: 0 };
  const storage = timed(await sqliteStorage(file), longest);
  const loyalty = new LoyaltyService({ storage, clock: () => now });
  const { segments } = loyalty.organization(ORGANIZATION);
  const withinDays = Math.floor(NOW / DAY_MS) - first;
  const { members } = await segments.create({
    ...{ name: "All", emitsEvents: true, filter: of({ joined: { withinDays } }) },
  });
  assert.ok(members !== null && members > 0);
  // Its members are counted first.
  await loyalty.sweepSegments();
  longest.ms = 0;
  now += DAY_MS;
  const start = performance.now();
  const { left } = await loyalty.sweepSegments();
  const ms = performance.now() - start;
  assert.equal((await segments.get("all")).members, members - left);
  const rate = (left / ms) * 1_000;
  printTable(`One midnight, ${whole(users)} users`, {
    "who leaves": {
      events: whole(left),
      "a second": `${whole(rate)} ${judged(atLeast(rate, 30_000))}`,
      "longest transaction": `${inMs(longest.ms)} ${judged(atMost(longest.ms, 50, " ms"))}`,
    },
  });
  await loyalty.close();
}

/** The storage, which notes how long its longest transaction works, without its turn and its commit. */
function timed(storage: StorageAdapter, longest: { ms: number }): StorageAdapter {
  return new Proxy(storage, {
    get(target, key) {
      if (key === "transaction") {
        const transaction: StorageAdapter["transaction"] = (work, options) =>
          target.transaction(function* (tx) {
            const start = performance.now();
            const result = yield* work(tx);
            longest.ms = Math.max(longest.ms, performance.now() - start);
            return result;
          }, options);
        return transaction;
      }
      const member: unknown = Reflect.get(target, key);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
