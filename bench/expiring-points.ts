import assert from "node:assert/strict";
import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { PassToInsert } from "loyalty-kit/storage";
import { createPointCard, PointLedger } from "../src/points/ledger.js";
import { NOW } from "./behavior-file.js";
import type { Bench } from "./bench.js";
import { ORGANIZATION, userId } from "./customers.js";
import { timeTransactions } from "./midnight.js";
import { copyFile, createOurFile } from "./our-file.js";
import { atLeast, atMost, formatGoal, formatMs, formatWhole, printTable } from "./report.js";

const LOTS_OF_CARD = 5;
const DAY_MS = 86_400_000;
const PASSES_AT_ONCE = 1_000;
const MIDNIGHT = Math.ceil(NOW / DAY_MS) * DAY_MS;

/** The points of all customers expire at one midnight: five lots each, of the last five days. */
export const runExpiringPoints: Bench = async ({ sharedFolder, folder, users }) => {
  const file = copyFile(await createOurFile(sharedFolder, users), folder, "ours");
  const longest = { ms: 0 };
  const clock = { now: NOW };
  const storage = timeTransactions(await sqliteStorage(file), longest);
  const loyalty = new LoyaltyService({ storage, clock: () => clock.now });
  const { templates, points } = loyalty.organization(ORGANIZATION);
  const { id: templateId } = await templates.create({ name: "Club", type: "LOYALTY_CARD", points: {} });
  await addCards(storage, templateId, users);
  longest.ms = 0;
  clock.now = MIDNIGHT;
  const start = performance.now();
  await loyalty.refreshSegments();
  const ms = performance.now() - start;
  const lots = LOTS_OF_CARD * users;
  for (const ordinal of [0, users - 1]) {
    const { content, totalElements } = await points.history(passIdOf(ordinal));
    const [newest] = content;
    assert.equal(totalElements, LOTS_OF_CARD + 1);
    assert.deepEqual([newest?.type, newest?.points, newest?.lots.length], ["expired", -50, LOTS_OF_CARD]);
  }
  const rate = (lots / ms) * 1_000;
  printTable(`Points that expire at one midnight, ${formatWhole(users)} users`, {
    [`${LOTS_OF_CARD} lots of each`]: {
      lots: formatWhole(lots),
      "a second": `${formatWhole(rate)} ${formatGoal(atLeast(rate, 30_000))}`,
      "longest transaction": `${formatMs(longest.ms)} ${formatGoal(atMost(longest.ms, 50, " ms"))}`,
    },
  });
  await loyalty.close();
};

async function addCards(storage: StorageAdapter, templateId: string, users: number): Promise<void> {
  for (let first = 0; first < users; first += PASSES_AT_ONCE) {
    const count = Math.min(PASSES_AT_ONCE, users - first);
    const passes = Array.from({ length: count }, (_, at) => createPass(first + at, templateId));
    await storage.transaction(ORGANIZATION, (tx) => tx.insertPasses(passes));
  }
}

function createPass(ordinal: number, templateId: string): PassToInsert {
  const id = passIdOf(ordinal);
  const ledger = new PointLedger(createPointCard(id), [], NOW, { actor: '{"kind":"worker"}', subject: null });
  for (let days = LOTS_OF_CARD; days > 0; days -= 1) {
    const at = NOW - days * DAY_MS;
    ledger.give("added", 10, { usableFrom: at, expiresAt: MIDNIGHT }, { at });
  }
  const card = { currentStamps: 0, timesCompleted: 0, rewardsAvailable: 0, totalStampsCollected: 0 };
  return {
    pass: {
      ...{ id, userId: userId(ordinal), templateId, code: `club-${ordinal}`, isPreviewPass: false },
      installationStatus: null,
      card: { maxStamps: 10, ...card, lastStampAt: null, visits: "[]", entries: 0 },
      ...{ createdAt: NOW, updatedAt: NOW },
    },
    entries: [],
    points: ledger.change,
  };
}

function passIdOf(ordinal: number): string {
  return `wp_club_${ordinal}`;
}
