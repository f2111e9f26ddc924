import assert from "node:assert/strict";
import { join } from "node:path";
import { LoyaltyService, type SegmentFilter, type StorageAdapter } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { AnsweredAsSafely } from "./answered-as-safely.js";
import { behaviourFile, behaviourInMemory, NOW } from "./behaviour-file.js";
import type { Bench } from "./bench.js";
import { EPOCH, hasPass, ORGANIZATION, passId, scattered, TEMPLATE, userId } from "./customers.js";
import { HandWritten, type MovingStamp } from "./hand-written.js";
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

/** Both sides give so many stamps before they are timed, as a service has that was not started just now. */
const STAMPS_BEFORE = 20_000;

/** So many that no customer in memory gets many of the stamps. */
const USERS_IN_MEMORY = 200_000;

/**
 * Stamps where ten segments tell who enters and leaves, against none; and who leaves a segment at one midnight. Beside the
 * stamps stands what the same rows take by hand, and what they take with the rules of the library before them.
 */
export const entering: Bench = async ({ shared, folder, users, rounds, sliceMs }) => {
  const file = await behaviourFile(shared, users);
  const withNone = copyOf(file, folder, "none");
  const withTen = copyOf(file, folder, "ten");
  const beforehand = await opened(withTen);
  await addSegments(beforehand);
  await beforehand.close();
  const byHand = {
    none: new HandWritten(copyOf(withNone, folder, "none-by-hand")),
    ten: new HandWritten(copyOf(withTen, folder, "ten-by-hand")),
  };
  const inMemory = Math.min(users, USERS_IN_MEMORY);
  const rules = { none: await rulesOf(inMemory, false), ten: await rulesOf(inMemory, true) };
  const holders = Array.from({ length: users }, (_, ordinal) => ordinal).filter(hasPass);
  const [without, watched] = [await opened(withNone), await opened(withTen)];
  const stampsBefore = Math.min(STAMPS_BEFORE, Math.floor(holders.length / 2));
  const [left, right] = [scattered(holders), scattered(holders)];
  await stampsOf(without, left, stampsBefore);
  const moving = await stampsOf(watched, right, stampsBefore);
  const safely = {
    none: new AnsweredAsSafely(join(folder, "none-by-hand.db")),
    ten: new AnsweredAsSafely(join(folder, "ten-by-hand.db")),
  };
  const members = byHand.ten.membersOf(Math.floor(NOW / DAY_MS));
  const [plainAgain, movingAgain] = [scattered(moving), scattered(moving)];
  const holdersInMemory = holders.filter((ordinal) => ordinal < inMemory);
  const [leftInMemory, rightInMemory] = [scattered(holdersInMemory), scattered(holdersInMemory)];
  const rows: Row[] = [];
  for (const [what, callers, shape] of [
    ["stamps, one after the other", 1, (work: () => unknown) => work],
    [`stamps, ${CALLERS} at once`, CALLERS, atOnce],
  ] as const) {
    const tenByHand = () => byHand.ten.addMovingStamps(next(movingAgain, callers), members);
    const noneByHand = () => byHand.none.addStamps(next(plainAgain, callers).map((one) => one.passId));
    const tenInMemory = shape(() => stamp(rules.ten, rightInMemory.next().value));
    const noneInMemory = shape(() => stamp(rules.none, leftInMemory.next().value));
    const timeOf = await timeInTurn(
      {
        ten: shape(() => stamp(watched, right.next().value)),
        none: shape(() => stamp(without, left.next().value)),
        tenByHand,
        noneByHand,
        tenRuled: async () => {
          await tenInMemory();
          await safely.ten.after(tenByHand);
        },
        noneRuled: async () => {
          await noneInMemory();
          await safely.none.after(noneByHand);
        },
      },
      { rounds, sliceMs },
    );
    for (const [name, ours, peer, least] of [
      [what, timeOf("ten"), timeOf("none"), 0.85],
      [`${what}: the same rows by hand`, timeOf("tenByHand"), timeOf("noneByHand"), null],
      [`${what}: by hand, with our rules`, timeOf("tenRuled"), timeOf("noneRuled"), null],
    ] as const) {
      const ratio = peer / ours;
      rows.push({
        what: name,
        ...{ ours: inMs(ours), peer: inMs(peer), peerName: "no segment that tells", ratio },
        goals: least === null ? [] : [atLeast(ratio, least)],
      });
    }
  }
  const moves = moving.reduce((sum, one) => sum + one.moves.length, 0) / moving.length;
  print(
    `Stamps where ten segments tell who enters, ${whole(users)} users, ${moves.toFixed(2)} who move a stamp (ratio: share of the rate without)`,
    rows,
  );
  for (const side of [without, watched, ...Object.values(rules)]) await side.close();
  for (const side of [...Object.values(safely), ...Object.values(byHand)]) side.close();
  await sweep(copyOf(file, folder, "sweep"), users);
};

async function opened(file: string): Promise<LoyaltyService> {
  return new LoyaltyService({ storage: await sqliteStorage(file), clock: () => NOW });
}

/** Adds the ten segments, with their members. */
async function addSegments(service: LoyaltyService): Promise<void> {
  const { segments } = service.organization(ORGANIZATION);
  for (const [nth, filter] of ten.entries())
    await segments.create({ name: `segment ${nth}`, filter, emitsEvents: true });
  // Their members are counted first.
  await service.sweepSegments();
}

/** The library on a storage in memory, with the ten segments or with none. */
async function rulesOf(users: number, isWatched: boolean): Promise<LoyaltyService> {
  const service = new LoyaltyService({ storage: await behaviourInMemory(users), clock: () => NOW });
  if (isWatched) await addSegments(service);
  return service;
}

function stamp(service: LoyaltyService, ordinal: number): Promise<unknown> {
  return service.organization(ORGANIZATION).stamps.add(passId(ordinal));
}

/** Gives so many customers a stamp each. @returns each stamp, with who moved by it. */
async function stampsOf(
  service: LoyaltyService,
  holders: Generator<number, never>,
  count: number,
): Promise<readonly MovingStamp[]> {
  const moves = new Map<string, Array<MovingStamp["moves"][number]>>();
  const stops = (["segment.entered", "segment.left"] as const).map((type) =>
    service.on(type, ({ data }) => {
      const known = moves.get(data.userId) ?? [];
      moves.set(data.userId, [...known, { type, segmentId: data.segment.id, data }]);
    }),
  );
  const given: number[] = [];
  while (given.length < count) {
    const some = next(holders, CALLERS);
    await Promise.all(some.map((ordinal) => stamp(service, ordinal)));
    given.push(...some);
  }
  for (const stop of stops) stop();
  return given.map((ordinal) => ({
    passId: passId(ordinal),
    ordinal,
    moves: moves.get(userId(ordinal)) ?? [],
  }));
}

function next<T>(values: Generator<T, never>, count: number): T[] {
  return Array.from({ length: count }, () => values.next().value);
}

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
