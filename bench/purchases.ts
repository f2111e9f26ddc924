import assert from "node:assert/strict";
import { LoyaltyService, type Organization } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Purchase } from "../src/purchases/schema.js";
import { type Bench, shorten } from "./bench.js";
import { addClub, generatePurchases, SOURCE } from "./club.js";
import { cycleScattered, ORGANIZATION, userId } from "./customers.js";
import { countEvents } from "./new-customers.js";
import { copyFile, createOurFile } from "./our-file.js";
import { PurchasesByHand } from "./purchases-by-hand.js";
import { atLeast, atMost, formatMs, formatRate, formatWhole, print, type Row } from "./report.js";
import { type ReadiedWork, timeInTurn, type Work } from "./timing.js";
import { CALLERS, runConcurrently } from "./writes.js";

/** How often both sides run each task before their files are compared. */
const TRIALS = 5;
/** What each card has before points are spent, in one lot. */
const GIFT = 1_000_000;
const LOTS = 1_000;
const DAY_MS = 86_400_000;

/**
 * Purchases, returns and spent points, against the same rows written by hand; the same purchase again; and a card with many
 * lots.
 */
export const runPurchases: Bench = async (settings) => {
  const { sharedFolder, folder, users } = settings;
  const ours = copyFile(await createOurFile(sharedFolder, users), folder, "ours");
  const passIds = await openFile(ours, async (organization) => {
    const ids = await addClub(organization, settings);
    for (const id of ids) await organization.points.add(id, { points: GIFT });
    return ids;
  });
  const byHand = copyFile(ours, folder, "by-hand");
  const sides = { ours: createInputs(passIds), byHand: createInputs(passIds) };

  await openBoth(ours, byHand, async (organization, peer) => {
    for (const works of Object.values(createWorks(organization, peer, sides)))
      for (const work of Object.values(works)) for (let at = 0; at < TRIALS; at += 1) await runReadied(work);
  });
  await assertSamePurchases(ours, byHand, passIds);

  await openBoth(ours, byHand, async (organization, peer) => {
    const rows: Row[] = [];
    for (const [label, works] of Object.entries(createWorks(organization, peer, sides))) {
      const getTime = await timeInTurn({ ...works }, settings);
      const ratio = getTime("byHand") / getTime("ours");
      const isCounted = !label.startsWith("purchases.addReturn");
      rows.push({
        label,
        ours: formatRate(getCalls(label), getTime("ours")),
        peer: formatRate(getCalls(label), getTime("byHand")),
        peerName: "a transaction by hand",
        ratio,
        goals: isCounted ? [atLeast(ratio, 0.6)] : [],
      });
    }
    print(`Purchases and points, ${formatWhole(users)} users (ratio: share of the rate by hand)`, rows);
    print(`The same purchase again, ${formatWhole(users)} users (ratio: times users.get)`, [
      await compareRepeats(organization, passIds, settings),
    ]);
    const lots = shorten(LOTS, settings);
    await addLots(organization, passIds, lots);
    print(`A card with ${formatWhole(lots)} open lots (ratio: times users.get)`, [
      await readManyLots(organization, passIds, settings),
    ]);
  });
};

type Pace = Parameters<typeof timeInTurn>[1];
type Inputs = ReturnType<typeof createInputs>;

function createInputs(passIds: readonly string[]) {
  return {
    purchases: generatePurchases(passIds, "R"),
    returned: generatePurchases(passIds, "X"),
    passes: cycleScattered(passIds),
  };
}

interface Sides {
  readonly ours: Work | ReadiedWork;
  readonly byHand: Work | ReadiedWork;
}

const MANY = `from ${CALLERS} callers`;

function getCalls(label: string): number {
  return label.endsWith(MANY) ? CALLERS : 1;
}

function createWorks(
  { purchases, points }: Organization,
  peer: PurchasesByHand,
  { ours, byHand }: { readonly ours: Inputs; readonly byHand: Inputs },
): Readonly<Record<string, Sides>> {
  const put = () => {
    const { receipt, input } = ours.purchases.next().value;
    return purchases.put(SOURCE, receipt, input);
  };
  const putByHand = () => peer.put(byHand.purchases.next().value);
  const spend = () => points.spend(ours.passes.next().value, { points: 3 });
  const spendByHand = () => peer.spend(byHand.passes.next().value, 3);
  return {
    "purchases.put, one by one": { ours: put, byHand: putByHand },
    [`purchases.put ${MANY}`]: {
      ours: runConcurrently(put),
      byHand: () => peer.putAll(takeMany(byHand.purchases)),
    },
    "purchases.addReturn": {
      ours: readyReturn(
        ours.returned,
        ({ receipt, input }) => purchases.put(SOURCE, receipt, input),
        ({ receipt }) =>
          purchases.addReturn(SOURCE, receipt, { returnId: "1", lines: [{ id: "0", quantity: 1 }] }),
      ),
      byHand: readyReturn(
        byHand.returned,
        (purchase) => peer.put(purchase),
        ({ receipt, input }) => peer.addReturn(input.walletPassId, receipt, 1),
      ),
    },
    "points.spend, one by one": { ours: spend, byHand: spendByHand },
    [`points.spend ${MANY}`]: {
      ours: runConcurrently(spend),
      byHand: () => peer.spendAll(takeMany(byHand.passes), 3),
    },
  };
}

type GeneratedPurchase = ReturnType<Inputs["returned"]["next"]>["value"];

/** Records a purchase, which is not timed, and then returns some of it. */
function readyReturn(
  purchases: Inputs["returned"],
  put: (purchase: GeneratedPurchase) => unknown,
  addReturn: (purchase: GeneratedPurchase) => unknown,
): ReadiedWork {
  let purchase = purchases.next().value;
  return {
    ready: () => {
      purchase = purchases.next().value;
      return put(purchase);
    },
    work: () => addReturn(purchase),
  };
}

function takeMany<T>(all: Generator<T, never>): T[] {
  return Array.from({ length: CALLERS }, () => all.next().value);
}

async function runReadied(work: Work | ReadiedWork): Promise<void> {
  if (typeof work === "function") {
    await work();
    return;
  }
  await work.ready();
  await work.work();
}

async function compareRepeats(
  { purchases, users }: Organization,
  passIds: readonly string[],
  pace: Pace,
): Promise<Row> {
  const { receipt, input } = generatePurchases(passIds, "again").next().value;
  await purchases.put(SOURCE, receipt, input);
  const putAgain = () => purchases.put(SOURCE, receipt, input);
  assert.equal((await putAgain()).isApplied, false);
  const getTime = await timeInTurn({ putAgain, get: () => users.get(userId(0)) }, pace);
  const ratio = getTime("putAgain") / getTime("get");
  return {
    label: "purchases.put",
    ours: formatMs(getTime("putAgain")),
    peer: formatMs(getTime("get")),
    peerName: "users.get",
    ratio,
    isLessBetter: true,
    goals: [atMost(ratio, 3)],
  };
}

async function addLots({ points }: Organization, [id = ""]: readonly string[], lots: number): Promise<void> {
  const tomorrow = Date.now() + DAY_MS;
  for (let at = 0; at < lots; at += 1) {
    await points.add(id, { points: 5, expiresAt: new Date(tomorrow + at * DAY_MS).toISOString() });
  }
}

async function readManyLots(
  { points, users }: Organization,
  [id = ""]: readonly string[],
  pace: Pace,
): Promise<Row> {
  const getTime = await timeInTurn({ state: () => points.state(id), get: () => users.get(userId(0)) }, pace);
  return {
    label: "points.state",
    ours: formatMs(getTime("state")),
    peer: formatMs(getTime("get")),
    peerName: "users.get",
    ratio: getTime("state") / getTime("get"),
    isLessBetter: true,
    goals: [atMost(getTime("state"), 1, " ms")],
  };
}

/** @throws when the purchases, the points or the events of both files differ in more than ids and times. */
async function assertSamePurchases(ours: string, byHand: string, passIds: readonly string[]): Promise<void> {
  const read = (file: string) =>
    openFile(file, async (organization) => {
      const { content, totalElements } = await organization.purchases.list({ size: 200 });
      const cards: unknown[] = [];
      for (const id of passIds) {
        const { lastEarnedAt: _, ...card } = await organization.points.state(id);
        const history = await organization.points.history(id);
        cards.push(
          card,
          history.content.map(({ at: _at, createdAt, ...entry }) => entry),
        );
      }
      const purchases = content.map(withoutTimes).toSorted((a, b) => (a.receipt < b.receipt ? -1 : 1));
      return { totalElements, purchases, cards, events: await countEvents(organization) };
    });
  assert.deepEqual(await read(byHand), await read(ours));
}

function withoutTimes({ id: _, at, createdAt, updatedAt, ...purchase }: Purchase) {
  return purchase;
}

async function openFile<T>(file: string, work: (organization: Organization) => Promise<T>): Promise<T> {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
  try {
    return await work(loyalty.organization(ORGANIZATION));
  } finally {
    await loyalty.close();
  }
}

async function openBoth(
  ours: string,
  byHand: string,
  work: (organization: Organization, peer: PurchasesByHand) => Promise<void>,
): Promise<void> {
  const peer = new PurchasesByHand(byHand);
  await openFile(ours, (organization) => work(organization, peer));
  peer.close();
}
