import Database from "better-sqlite3";
import type { Organization, SegmentCondition } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { createTemporaryFile } from "./temporary-file.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/**
 * Records the statements that read rows of points or purchases for segments during the work, as reads of all
 * customers or of some.
 */
async function recordReads(work: () => Promise<unknown>): Promise<("everyone" | "some")[]> {
  const database = new Database(":memory:");
  const prototype = Object.getPrototypeOf(database.prepare("select 1"));
  database.close();
  const { all } = prototype;
  const reads: ("everyone" | "some")[] = [];
  prototype.all = function (this: Database.Statement, ...parameters: unknown[]) {
    if (/left join "loyalty_point_lots"|cross join "loyalty_purchases"/.test(this.source))
      reads.push(/^select json_group_array/.test(this.source) ? "everyone" : "some");
    return Reflect.apply(all, this, parameters);
  };
  try {
    await work();
    return reads;
  } finally {
    prototype.all = all;
  }
}

/** Opens a shop on 1 March 2026 at 10:00 UTC, whose cards give one point per 1.00 EUR, usable for 10 days. */
async function openShop() {
  const { acme, clock } = openAcme({ storage: await sqliteStorage(createTemporaryFile()) });
  clock.now = Date.parse("2026-03-01T10:00:00Z");
  await acme.settings.update({ timeZone: "UTC" });
  const { id: templateId } = await acme.templates.create({
    name: "Points",
    type: "LOYALTY_CARD",
    earning: { currency: "EUR", rules: [{ give: 1, per: { amount: 100 } }] },
    points: { expiry: { days: 10 } },
  });
  const [ada, bob] = [await createHolder(acme, templateId), await createHolder(acme, templateId)];
  const conditions: readonly SegmentCondition[] = [
    { points: { templateId, min: 5 } },
    { pointsExpire: { templateId, withinDays: 3 } },
    { spent: { days: 2, currency: "EUR", min: 500 } },
    { purchases: { days: 2, min: 1 } },
  ];
  const query = async () => {
    const found: number[] = [];
    for (const condition of conditions) {
      const filter = { operator: "AND", conditions: [condition] } as const;
      found.push((await acme.segments.query({ filter })).totalElements);
    }
    return found;
  };
  return { acme, clock, ada, bob, query };
}

async function createHolder(acme: Organization, templateId: string) {
  const { id: userId } = await acme.users.create({ email: someEmail() });
  const { id: passId } = await acme.passes.create(templateId, { userId });
  return { userId, passId };
}

describe("columns of points and purchases on SQLite", () => {
  it("are read once, and then answer later calls without reading rows", async () => {
    const { acme, clock, ada, query } = await openShop();
    await acme.points.add(ada.passId, { points: 7 });
    expect(await recordReads(query)).toEqual(["everyone", "everyone", "everyone", "everyone"]);
    clock.move(HOUR);
    expect(await recordReads(query)).toEqual([]);
  });

  it("reread only the customers that a change names, for every kind of change", async () => {
    const { acme, clock, ada, bob, query } = await openShop();
    await query();
    const receipt = ["till", "1"] as const;
    const put = (userId: string, amount: number, revision: number) => () =>
      acme.purchases.put(...receipt, { userId, currency: "EUR", lines: [{ amount, quantity: 2 }], revision });
    const changes: readonly (readonly [found: readonly number[], change: () => Promise<unknown>])[] = [
      [[1, 0, 1, 1], put(ada.userId, 600, 1)],
      [[1, 0, 1, 1], put(ada.userId, 600, 2)],
      [[1, 0, 1, 1], put(bob.userId, 700, 3)],
      [
        [0, 0, 0, 1],
        () => acme.purchases.addReturn(...receipt, { returnId: "a", lines: [{ id: "0", amount: 300 }] }),
      ],
      [[0, 0, 0, 0], () => acme.purchases.addReturn(...receipt, { returnId: "b", all: true })],
      [
        [1, 1, 0, 0],
        () => acme.points.add(ada.passId, { points: 9, expiresAt: new Date(clock.now + DAY).toISOString() }),
      ],
      [[0, 1, 0, 0], () => acme.points.spend(ada.passId, { points: 5 })],
      [[0, 0, 0, 0], () => acme.points.remove(ada.passId, { points: 4 })],
      [[1, 0, 0, 0], () => acme.points.add(bob.passId, { points: 5 })],
      [[0, 0, 0, 0], () => acme.users.erase(bob.userId)],
    ];
    for (const [found, change] of changes) {
      await change();
      let totals: readonly number[] = [];
      const reads = await recordReads(async () => {
        totals = await query();
      });
      expect(totals).toEqual(found);
      expect(reads).not.toContain("everyone");
    }
  });

  it("reread only the customers whose points expire, and all purchases with each new day", async () => {
    const { acme, clock, ada, bob, query } = await openShop();
    await acme.points.add(ada.passId, { points: 7, expiresAt: "2026-03-01T12:00:00Z" });
    await acme.points.add(bob.passId, { points: 7 });
    expect(await query()).toEqual([2, 1, 0, 0]);
    clock.move(2 * HOUR - 1);
    expect(await recordReads(query)).toEqual([]);
    clock.move(1);
    expect(await recordReads(query)).toEqual(["some", "some"]);
    expect(await query()).toEqual([1, 0, 0, 0]);
    clock.move(8 * DAY);
    expect(await recordReads(query)).toEqual(["everyone", "everyone"]);
    expect(await query()).toEqual([1, 1, 0, 0]);
    clock.move(3 * DAY);
    expect(await query()).toEqual([0, 0, 0, 0]);
  });
});
