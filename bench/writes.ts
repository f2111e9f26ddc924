import { LoyaltyService, type Organization, type StorageAdapter } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Bench } from "./bench.js";
import { cycleScattered, ORGANIZATION, userId } from "./customers.js";
import { HandWritten } from "./hand-written.js";
import { assertSameFiles, generateUnknownCustomers, toInput } from "./new-customers.js";
import { copyFile, createOurFile } from "./our-file.js";
import { atLeast, formatMs, formatRate, formatWhole, print, type Row } from "./report.js";
import { timeInTurn, type Work } from "./timing.js";

/** How many tags no user has. */
export const NEW_TAGS = 50;
const PASSES = 100;
/** How often both sides run each task before their files are compared. */
const TRIALS = 5;
/** How many callers share commits. */
export const CALLERS = 64;

/**
 * One write after the other, each on the disk before the next, against the same rows written by hand; and writes of many
 * concurrent callers, who share commits, against one after the other.
 */
export const runWrites: Bench = async ({ sharedFolder, folder, users, rounds, sliceMs }) => {
  const ours = copyFile(await createOurFile(sharedFolder, users), folder, "ours");
  const passes = await addTagsAndPasses(ours);
  const byHand = copyFile(ours, folder, "by-hand");
  const inputs = { ours: createInputs(users, passes), byHand: createInputs(users, passes) };

  await openBoth(ours, byHand, async (organization, peer) => {
    for (const sides of Object.values(createWorks(organization, peer, inputs))) {
      for (const side of Object.values(sides)) for (let at = 0; at < TRIALS; at += 1) await side();
      await runConcurrently(sides.ours)();
      await runInTurn(sides.byHand)();
    }
  });
  await assertSameFiles(ours, byHand);

  const rows: Row[] = [];
  const rowsAtOnce: Row[] = [];
  await openBoth(ours, byHand, async (organization, peer) => {
    for (const [label, sides] of Object.entries(createWorks(organization, peer, inputs))) {
      const getTime = await timeInTurn({ ...sides }, { rounds, sliceMs });
      const ratio = getTime("byHand") / getTime("ours");
      rows.push({
        label,
        ours: formatMs(getTime("ours")),
        peer: formatMs(getTime("byHand")),
        peerName: "a transaction by hand",
        ratio,
        goals: [atLeast(ratio, 0.7)],
      });
      rowsAtOnce.push(await compareSharing(label, sides, { rounds, sliceMs }));
    }
  });
  print(`Writes one after the other, ${formatWhole(users)} users (ratio: share of the rate by hand)`, rows);
  print(
    `Writes of ${CALLERS} callers at once, ${formatWhole(users)} users (ratio: times the rate of one by one)`,
    rowsAtOnce,
  );
};

interface Sides {
  readonly ours: Work;
  readonly byHand: Work;
}

async function compareSharing(
  label: string,
  { ours }: Sides,
  pace: Parameters<typeof timeInTurn>[1],
): Promise<Row> {
  const getTime = await timeInTurn({ atOnce: runConcurrently(ours), inTurn: runInTurn(ours) }, pace);
  const ratio = getTime("inTurn") / getTime("atOnce");
  return {
    label,
    ours: formatRate(CALLERS, getTime("atOnce")),
    peer: formatRate(CALLERS, getTime("inTurn")),
    peerName: "the library one by one",
    ratio,
    goals: [atLeast(ratio, 2)],
  };
}

/** The same by many callers, who do not wait for each other. */
export function runConcurrently(work: Work): () => Promise<unknown> {
  return () => Promise.all(Array.from({ length: CALLERS }, work));
}

/** The same as often by one caller, who waits each time. */
export function runInTurn(work: Work): () => Promise<void> {
  return async () => {
    for (let at = 0; at < CALLERS; at += 1) await work();
  };
}

type Inputs = ReturnType<typeof createInputs>;

/** The input of the writes: the same for both sides, and never twice. */
function createInputs(users: number, passes: readonly string[]) {
  return {
    strangers: generateUnknownCustomers(),
    pairs: createNewPairs(users),
    passes: cycleScattered(passes),
  };
}

function createWorks(
  { users, tags, stamps }: Organization,
  peer: HandWritten,
  { ours, byHand }: { readonly ours: Inputs; readonly byHand: Inputs },
): Readonly<Record<string, Sides>> {
  return {
    "users.create": {
      ours: () => users.create(toInput(ours.strangers.next().value)),
      byHand: () => peer.createUser(byHand.strangers.next().value),
    },
    "tags.assign": {
      ours: () => tags.assign(...ours.pairs.next().value),
      byHand: () => peer.assign(...byHand.pairs.next().value),
    },
    "stamps.add": {
      ours: () => stamps.add(ours.passes.next().value),
      byHand: () => peer.addStamp(byHand.passes.next().value),
    },
  };
}

/** Users in random order, with tags that they do not have. */
export function createNewPairs(
  users: number,
): Generator<readonly [userId: string, slug: string], never, undefined> {
  // The ids are created now, not when the first pair is requested and its use is timed.
  const ids = Array.from({ length: users }, (_, ordinal) => userId(ordinal));
  return generatePairs(ids);
}

function* generatePairs(ids: readonly string[]): ReturnType<typeof createNewPairs> {
  const scatteredIds = cycleScattered(ids);
  for (let tag = 0; tag < NEW_TAGS; tag += 1) {
    for (let at = 0; at < ids.length; at += 1) yield [scatteredIds.next().value, `new-${tag}`];
  }
  throw new Error("every user has every new tag: run it with more users");
}

/** Adds tags that no user has. */
export async function addNewTags(storage: StorageAdapter): Promise<void> {
  const { tags } = new LoyaltyService({ storage }).organization(ORGANIZATION);
  for (let tag = 0; tag < NEW_TAGS; tag += 1) await tags.create({ name: `new-${tag}` });
}

/** Adds tags that no user has to a file. @returns the file. */
export async function addTagsToFile(file: string): Promise<string> {
  const storage = await sqliteStorage(file);
  await addNewTags(storage);
  await storage.close();
  return file;
}

/** @returns the ids of stamp-card passes. */
export async function addTagsAndPasses(file: string): Promise<string[]> {
  const storage = await sqliteStorage(file);
  await addNewTags(storage);
  const loyalty = new LoyaltyService({ storage });
  const { templates, passes } = loyalty.organization(ORGANIZATION);
  const template = await templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
  const ids: string[] = [];
  for (let at = 0; at < PASSES; at += 1) {
    ids.push((await passes.create(template.id, { userId: userId(at) })).id);
  }
  await loyalty.close();
  return ids;
}

async function openBoth(
  ours: string,
  byHand: string,
  work: (organization: Organization, peer: HandWritten) => Promise<void>,
): Promise<void> {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(ours) });
  const peer = new HandWritten(byHand);
  await work(loyalty.organization(ORGANIZATION), peer);
  await loyalty.close();
  peer.close();
}
