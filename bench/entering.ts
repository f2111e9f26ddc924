import { join } from "node:path";
import { LoyaltyService, type SegmentFilter } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { AnsweredAsSafely } from "./answered-as-safely.js";
import { behaviourFile, behaviourInMemory, NOW } from "./behaviour-file.js";
import type { Bench } from "./bench.js";
import { hasPass, ORGANIZATION, passId, scattered, TEMPLATE, userId } from "./customers.js";
import { HandWritten, type MovingStamp } from "./hand-written.js";
import { copyOf } from "./our-file.js";
import { atLeast, inMs, print, type Row, whole } from "./report.js";
import { Stamping, type Way } from "./stamping.js";
import { timeInTurn, type Work } from "./timing.js";
import { atOnce, CALLERS, inTurn } from "./writes.js";

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

/** So many stamps come before those that are timed, as in a service that was not started just now. */
const STAMPS_BEFORE = 20_000;

/** So many that no customer in memory gets many of the stamps. */
const USERS_IN_MEMORY = 200_000;

/**
 * Stamps where ten segments tell who enters and leaves, against none, each in a process of its own. Beside them stands what
 * the same rows take by hand, and what they take with the rules of the library before them.
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
  const holders = Array.from({ length: users }, (_, ordinal) => ordinal).filter(hasPass);
  const before = Math.min(STAMPS_BEFORE, Math.floor(holders.length / 4));
  const watched = await opened(withTen);
  const moving = await stampsOf(watched, scattered(holders), before);
  await watched.close();
  const safely = {
    none: new AnsweredAsSafely(join(folder, "none-by-hand.db")),
    ten: new AnsweredAsSafely(join(folder, "ten-by-hand.db")),
  };
  const members = byHand.ten.membersOf(Math.floor(NOW / DAY_MS));
  const [plainAgain, movingAgain] = [scattered(moving), scattered(moving)];
  const handOf = ({ size }: Kind) => ({
    ten: () => byHand.ten.addMovingStamps(next(movingAgain, size), members),
    none: () => byHand.none.addStamps(next(plainAgain, size).map((one) => one.passId)),
  });
  const rows = new Map<Kind, Row[]>();
  for (const [nth, kind] of kinds.entries()) {
    const { what, way, repeated } = kind;
    const hand = handOf(kind);
    const given = before + Math.floor((nth * holders.length) / 4);
    const ten = await Stamping.begun(withTen, { users, given, before, way });
    const none = await Stamping.begun(withNone, { users, given, before, way });
    const works = {
      ten: () => ten.stamp(),
      none: () => none.stamp(),
      tenByHand: repeated(hand.ten),
      noneByHand: repeated(hand.none),
    };
    const timeOf = await timeInTurn(works, { rounds, sliceMs });
    rows.set(kind, [
      rowOf(what, timeOf("ten"), timeOf("none"), 0.85),
      rowOf(`${what}: the same rows by hand`, timeOf("tenByHand"), timeOf("noneByHand")),
    ]);
    for (const side of [ten, none]) await side.close();
  }

  const inMemory = Math.min(users, USERS_IN_MEMORY);
  const rules = { none: await rulesOf(inMemory, false), ten: await rulesOf(inMemory, true) };
  const holdersInMemory = holders.filter((ordinal) => ordinal < inMemory);
  const [leftInMemory, rightInMemory] = [scattered(holdersInMemory), scattered(holdersInMemory)];
  for (const kind of kinds) {
    const { what, shape, repeated } = kind;
    const hand = handOf(kind);
    const tenRules = shape(() => stamp(rules.ten, rightInMemory.next().value));
    const noneRules = shape(() => stamp(rules.none, leftInMemory.next().value));
    const works = {
      ten: repeated(async () => {
        await tenRules();
        await safely.ten.after(hand.ten);
      }),
      none: repeated(async () => {
        await noneRules();
        await safely.none.after(hand.none);
      }),
    };
    const timeOf = await timeInTurn(works, { rounds, sliceMs });
    rows.get(kind)?.push(rowOf(`${what}: by hand, with our rules`, timeOf("ten"), timeOf("none")));
  }
  const moves = moving.reduce((sum, one) => sum + one.moves.length, 0) / moving.length;
  print(
    `Stamps where ten segments tell who enters, ${whole(users)} users, ${moves.toFixed(2)} who move a stamp (ratio: share of the rate without)`,
    [...rows.values()].flat(),
  );
  for (const side of Object.values(rules)) await side.close();
  for (const side of [...Object.values(safely), ...Object.values(byHand)]) side.close();
};

/** How stamps are given. */
interface Kind {
  readonly what: string;
  readonly way: Way;
  /** How many are given at once. */
  readonly size: number;
  /** As many calls as are given at once. */
  readonly shape: (work: Work) => Work;
  /** As often as it takes for as many stamps as all. */
  readonly repeated: (work: Work) => Work;
}

const kinds: readonly Kind[] = [
  { what: "stamps, one after the other", way: "in turn", size: 1, shape: same, repeated: inTurn },
  { what: `stamps, ${CALLERS} at once`, way: "at once", size: CALLERS, shape: atOnce, repeated: same },
];

function same(work: Work): Work {
  return work;
}

/** Compares a stamp, by the times of as many as are given at once. */
function rowOf(what: string, ours: number, peer: number, least?: number): Row {
  const ratio = peer / ours;
  const goals = least === undefined ? [] : [atLeast(ratio, least)];
  const [ofOurs, ofPeer] = [inMs(ours / CALLERS), inMs(peer / CALLERS)];
  return { what, ours: ofOurs, peer: ofPeer, peerName: "no segment that tells", ratio, goals };
}

async function opened(file: string): Promise<LoyaltyService> {
  return new LoyaltyService({ storage: await sqliteStorage(file), clock: () => NOW });
}

/** Adds the ten segments, with their members. */
async function addSegments(service: LoyaltyService): Promise<void> {
  const { segments } = service.organization(ORGANIZATION);
  for (const [nth, filter] of ten.entries())
    await segments.create({ name: `segment ${nth}`, filter, emitsEvents: true });
  // Their members are counted first.
  await service.refreshSegments();
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
