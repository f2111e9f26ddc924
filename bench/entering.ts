import { LoyaltyService, type SegmentFilter } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { createBehaviorFile, NOW } from "./behavior-file.js";
import type { Bench } from "./bench.js";
import { hasPass, ORGANIZATION, TEMPLATE } from "./customers.js";
import { copyFile } from "./our-file.js";
import { atLeast, atMost, formatGoal, formatMs, formatWhole, print, printTable, type Row } from "./report.js";
import { Stamping, type Way } from "./stamping.js";
import { medianOf } from "./timing.js";
import { CALLERS } from "./writes.js";

const templateId = TEMPLATE;

const buildFilter = (condition: NonNullable<SegmentFilter["conditions"]>[number]): SegmentFilter => ({
  operator: "AND",
  conditions: [condition],
});

/** The shops' filters that a stamp changes most often. */
const ten: readonly SegmentFilter[] = [
  buildFilter({ lastVisit: { templateId, withinDays: 30 } }),
  buildFilter({ lastVisit: { templateId, beforeDays: 60 } }),
  buildFilter({ visits: { templateId, days: 90, min: 3 } }),
  buildFilter({ visits: { templateId, days: 30, min: 5 } }),
  buildFilter({ stamps: { templateId, min: 8 } }),
  buildFilter({ rewards: { min: 1 } }),
  buildFilter({ completions: { min: 3 } }),
  buildFilter({ slug: "some" }),
  buildFilter({ metadata: { path: ["city"], equals: "Vienna" } }),
  { operator: "AND", conditions: [{ slug: "some" }, { lastVisit: { beforeDays: 14 } }] },
];

/** This many stamps come before those that are timed, as in a service that has run for a while. */
const STAMPS_BEFORE = 20_000;

/** Where the follower of the ten segments runs while stamps are given. */
const followerPlaces = {
  afterwards: { label: "followed afterwards", goal: 0.95 },
  elsewhere: { label: "followed by another process", goal: 0.95 },
  here: { label: "followed by the same process", goal: 0.8 },
} as const;

type FollowerPlace = keyof typeof followerPlaces;

/** Stamps with ten segments that emit their moves, against none, each in its own process. */
export const runEntering: Bench = async ({ sharedFolder, folder, users, rounds, sliceMs }) => {
  const file = await createBehaviorFile(sharedFolder, users);
  const holders = Array.from({ length: users }, (_, ordinal) => ordinal).filter(hasPass);
  const before = Math.min(STAMPS_BEFORE, Math.floor(holders.length / 8));
  const rows: Row[] = [];
  const lines: Record<string, Record<string, string>> = {};
  for (const way of ["in turn", "at once"] as const) {
    const label = way === "in turn" ? "stamps, one after the other" : `stamps, ${CALLERS} at once`;
    const times = await measureTimes(way, { file, folder, users, before, rounds, sliceMs });
    for (const [placeName, { label: follows, goal }] of Object.entries(followerPlaces)) {
      const [ours, peer] = [times[placeName as FollowerPlace].ms, times.none.ms];
      const ratio = peer / ours;
      const goals = [atLeast(ratio, goal)];
      rows.push({
        label: `${label}, ${follows}`,
        ours: formatMs(ours),
        peer: formatMs(peer),
        peerName: "none emits",
        ratio,
        goals,
      });
    }
    const { idleMs } = times.here;
    lines[label] = {
      "backlog empty after": `${formatMs(idleMs)} ${formatGoal(atMost(idleMs, 1_000, " ms"))}`,
    };
  }
  print(
    `Stamps where ten segments emit events, ${formatWhole(users)} users (ratio: share of the rate without)`,
    rows,
  );
  printTable(`The backlog of ten segments after the last stamp, ${formatWhole(users)} users`, lines);
};

interface TimingInput {
  readonly file: string;
  readonly folder: string;
  readonly users: number;
  readonly before: number;
  readonly rounds: number;
  readonly sliceMs: number;
}

interface Times {
  /** Milliseconds a stamp. */
  readonly ms: number;
  /** The longest time from the last stamp of a round until the follower had read everything, in milliseconds. */
  readonly idleMs: number;
}

/** Gives stamps in rounds of several slices, and waits after each round until all followers are idle. */
async function measureTimes(
  way: Way,
  input: TimingInput,
): Promise<Readonly<Record<FollowerPlace | "none", Times>>> {
  const { file, folder, users, before, rounds, sliceMs } = input;
  const [bare, emitting] = [copyFile(file, folder, `none ${way}`), copyFile(file, folder, `ten ${way}`)];
  await addSegments(emitting);
  const startStamping = (sourceFile: string, follows: boolean, name: string) =>
    Stamping.start(sourceFile === bare ? bare : copyFile(sourceFile, folder, `${name} ${way}`), {
      users,
      before,
      way,
      follows,
    });
  const sides = {
    none: await startStamping(bare, false, "none"),
    afterwards: await startStamping(emitting, false, "afterwards"),
    elsewhere: await startStamping(emitting, false, "elsewhere"),
    here: await startStamping(emitting, true, "here"),
  };
  const follower = await Stamping.startFollower(sides.elsewhere.file);
  const measuredTimes = {
    none: createTimes(),
    afterwards: createTimes(),
    elsewhere: createTimes(),
    here: createTimes(),
  };
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of ["none", "afterwards", "elsewhere", "here"] as const) {
      const ms = await sides[name].stamp(sliceMs * 4);
      const start = performance.now();
      if (name === "here") await sides.here.waitUntilIdle();
      if (name === "elsewhere") await follower.waitUntilIdle();
      // The first round warms up.
      if (round === 0) continue;
      measuredTimes[name].ms.push(ms);
      measuredTimes[name].idleMs.push(performance.now() - start);
    }
  }
  for (const each of [...Object.values(sides), follower]) await each.close();
  const summarize = ({ ms, idleMs }: ReturnType<typeof createTimes>) => ({
    ms: medianOf(ms),
    idleMs: Math.max(...idleMs),
  });
  const { none, afterwards, elsewhere, here } = measuredTimes;
  return {
    none: summarize(none),
    afterwards: summarize(afterwards),
    elsewhere: summarize(elsewhere),
    here: summarize(here),
  };
}

function createTimes() {
  const ms: number[] = [];
  const idleMs: number[] = [];
  return { ms, idleMs };
}

/** Adds the ten segments, with their members. */
async function addSegments(file: string): Promise<void> {
  const service = new LoyaltyService({ storage: await sqliteStorage(file), clock: () => NOW });
  const { segments } = service.organization(ORGANIZATION);
  for (const [nth, filter] of ten.entries())
    await segments.create({ name: `segment ${nth}`, filter, emitsEvents: true });
  // Their members are counted first.
  await service.refreshSegments();
  await service.close();
}
