import { randomUUID } from "node:crypto";
import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { checkStorage } from "loyalty-kit/storage";
import { beforeAll, describe, expect, it } from "vitest";
import { toSqlName } from "../../adapters/storage/kysely/sql/columns.js";
import { emptyDayCounts } from "../../src/storage/day-counts.js";
import { type Damageable, databases, onSqlite } from "./damageable.js";

/** The same day for all of the test's data, even if midnight passes. */
const now = Date.now();
const today = Math.floor(now / 86_400_000);

/** Fills three blocks of the search index, which hold 256 users each. */
const CUSTOMERS = 520;

async function fillStorage(storage: StorageAdapter, customers = CUSTOMERS) {
  const acme = new LoyaltyService({ storage, clock: () => now }).organization("acme");
  await acme.tags.create({ name: "VIP" });
  await acme.users.import(
    Array.from({ length: customers }, (_, at) => ({
      email: `customer-${at}@example.com`,
      name: `Zoë ${at}`,
      tags: ["vip"],
    })),
  );
  await acme.users.update((await acme.contacts.list({ search: "zoë 17" })).content[0]?.id ?? "", {
    name: "Ad",
  });
  const { id } = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
  const user = { email: "ada@example.com" };
  const { id: card } = await acme.passes.create(id, { user });
  await acme.stamps.add(card, { count: 23 });
  await acme.stamps.remove(card);
  await acme.stamps.redeem(card);
  for (const { entryId } of [await acme.stamps.redeem(card), await acme.stamps.add(card, { count: 9 })]) {
    await acme.stamps.reverse(card, { entryId });
  }
  const filter = { operator: "AND", conditions: [{ slug: "vip" }, { joined: { withinDays: 0 } }] } as const;
  await acme.segments.create({ name: "New", filter, emitsEvents: true });
  await acme.webhooks.create({ url: "https://hooks.example/loyalty" });
  return { acme, card };
}

describe.each(databases)("a storage check on $name", ({ open }) => {
  let shop: Damageable & Awaited<ReturnType<typeof fillStorage>>;

  // Opened once for all tests: each of them leaves the storage repaired.
  beforeAll(async () => {
    const database = await open();
    shop = { ...database, ...(await fillStorage(database.storage)) };
  });

  it("finds nothing in undamaged storage", async () => {
    const { storage } = shop;
    expect(await checkStorage(storage)).toEqual([]);
  });

  it.each([
    { kind: "ledger", statement: "update loyalty_wallet_passes set current_stamps = 9", about: null },
    { kind: "ledger", statement: "update loyalty_wallet_passes set rewards_available = 7", about: null },
    { kind: "ledger", statement: "update loyalty_wallet_passes set total_stamps_collected = 1", about: null },
    { kind: "savedSegments", statement: "delete from loyalty_segment_slices", about: "members of new" },
    {
      kind: "counters",
      statement: "update loyalty_organizations set next_user_ordinal = 3",
      about: "next_user_ordinal",
    },
    {
      kind: "counters",
      statement: "update loyalty_organizations set next_tag_ordinal = 0",
      about: "next_tag_ordinal",
    },
    { kind: "counters", statement: "update loyalty_webhook_endpoints set pending = 5", about: null },
    {
      kind: "search",
      statement: "update loyalty_users set search_text = 'somebody else' where ordinal = 300",
      about: "block 1",
    },
    { kind: "segments", statement: "delete from loyalty_segment_chunks", about: "vip" },
    {
      kind: "statistics",
      statement: "update loyalty_organizations set current_day_counts = null",
      about: null,
    },
    {
      kind: "counters",
      statement: "update loyalty_webhook_endpoints set position = 9000",
      about: "newest_event_position",
    },
  ])("finds and repairs damage of kind $kind: $statement", async ({ kind, statement, about }) => {
    const { storage, damage, acme, card } = shop;
    const before = await acme.stamps.state(card);
    await damage(statement);
    const found = await checkStorage(storage, { organizationId: "acme" });
    expect(found.map((finding) => finding.kind)).toContain(kind);
    if (about !== null)
      expect(found).toContainEqual({ organizationId: "acme", kind, about, isRepaired: false });
    expect(await checkStorage(storage, { organizationId: "globex" })).toEqual([]);
    // A check without repair changes nothing: the next one finds the same.
    expect(await checkStorage(storage)).toEqual(found);
    const repaired = await checkStorage(storage, { repair: true });
    expect(repaired.length).toBeGreaterThan(0);
    expect(repaired.every(({ isRepaired }) => isRepaired)).toBe(true);
    expect(await checkStorage(storage)).toEqual([]);
    expect(await acme.stamps.state(card)).toEqual(before);
    await acme.users.create({ email: `${randomUUID()}@example.com` });
    expect(await checkStorage(storage)).toEqual([]);
    // Moves the newest user from the newest event to the organization's row.
    await acme.tags.create({ name: randomUUID() });
  });
});

describe.each(databases)("a tag that is deleted while its set lacks a user, on $name", ({ open }) => {
  it("leaves an assignment that isn't visible, and that a check finds and removes", async () => {
    const { storage, damage, rows } = await open();
    const { tags, users } = new LoyaltyService({ storage }).organization("acme");
    for (const name of ["VIP", "Regular"]) await tags.create({ name });
    const { id } = await users.create({ email: "ada@example.com" });
    await tags.assign(id, "vip");
    await tags.assign(id, "regular");
    const { id: other } = await users.create({ email: "bob@example.com" });
    await tags.assign(other, "vip");
    await damage("delete from loyalty_segment_chunks where set_id = 1");
    await tags.delete("vip");
    await users.delete(other);
    expect(await tags.ofUser(id)).toMatchObject([{ slug: "regular" }]);
    expect(await rows("select tag_ordinal from loyalty_user_tag_assignments")).toHaveLength(2);
    const found = { organizationId: "acme", kind: "references", about: "user_tag_assignments.tag_ordinal" };
    expect(await checkStorage(storage)).toEqual([{ ...found, isRepaired: false }]);
    expect(await checkStorage(storage, { repair: true })).toEqual([{ ...found, isRepaired: true }]);
    expect(await checkStorage(storage)).toEqual([]);
    expect(await rows("select tag_ordinal from loyalty_user_tag_assignments")).toHaveLength(1);
    await users.delete(id);
    expect(await checkStorage(storage)).toEqual([]);
  });
});

const hour = new Date(now).getUTCHours();

/** The statistics of a day, by their names here and in the tables. */
const numbers = {
  members: "members",
  cards: "cards",
  stamps: "stamps",
  rewardsEarned: "rewards_earned",
  rewardsRedeemed: "rewards_redeemed",
  pointsGiven: "points_given",
  pointsSpent: "points_spent",
  pointsExpired: "points_expired",
  installsApple: "installs_apple",
  installsGoogle: "installs_google",
  installsOther: "installs_other",
  [`visitsAt${hour}`]: `visits_at${hour}`,
};

/** Builds SQL that inserts a row that adds one to a daily count. */
function insertDayCountSql(number: string, day: number): string {
  const columns = Object.keys(emptyDayCounts).map(toSqlName);
  return `insert into loyalty_day_counts (organization_id, day, ${columns.join(", ")})
    select 'acme', ${day}, ${columns.map((each) => (each === number ? 1 : 0)).join(", ")}`;
}

describe.each(databases)("a check of statistics on $name", ({ open }) => {
  it("finds and repairs each statistic that is one too high or one too low", async () => {
    const { storage, damage } = await open();
    // Only a few customers, because the check runs dozens of times.
    const { acme, card } = await fillStorage(storage, 20);
    await acme.passes.markInstalled(card);
    const before = await acme.statistics.get();
    for (const [number, column] of Object.entries(numbers)) {
      await damage(insertDayCountSql(column, today));
      for (const isRepaired of [false, true]) {
        const about = `${number} of ${new Date(now).toISOString().slice(0, 10)}`;
        expect(await checkStorage(storage, { repair: isRepaired })).toEqual([
          { organizationId: "acme", kind: "statistics", about, isRepaired },
        ]);
      }
      await damage(`update loyalty_day_counts set ${column} = -1`);
      expect(await checkStorage(storage, { repair: true })).toMatchObject([{ isRepaired: true }]);
      expect(await acme.statistics.get()).toEqual(before);
      await damage("delete from loyalty_day_counts");
    }
  });

  it("finds nothing after imports that emit all events, a summary or none", async () => {
    const { storage } = await open();
    const { acme, card } = await fillStorage(storage, 20);
    const { templateId } = await acme.passes.get(card);
    const club = await acme.templates.create({ name: "Club", type: "LOYALTY_CARD", points: {} });
    const clubPass = { templateId: club.id, points: 50 };
    const expired = "2024-05-01T10:00:00Z";
    for (const [at, emit] of (["all", "summary", "none"] as const).entries()) {
      const passes = [{ templateId, code: `balance${at}`, stamps: 4, completions: 2, rewards: 1 }];
      const history = [{ type: "added", count: 3, at: "2024-05-01T10:00:00Z" } as const];
      const rows = [
        { email: `balance-${at}@example.com`, passes },
        { email: `history-${at}@example.com`, passes: [{ templateId, code: `history${at}`, history }] },
        { email: `points-${at}@example.com`, passes: [{ ...clubPass, code: `points${at}` }] },
        {
          email: `expired-${at}@example.com`,
          passes: [{ ...clubPass, code: `expired${at}`, pointsExpireAt: expired }],
        },
      ];
      const { failed } = await acme.passes.import(rows, { emit });
      expect(failed).toEqual([]);
      for (const code of [`balance${at}`, `history${at}`]) {
        const pass = await acme.passes.lookup(code);
        await acme.stamps.add(pass.id, { count: 2 });
        await acme.stamps.set(pass.id, { stamps: 1 });
      }
      const { id } = await acme.passes.lookup(`points${at}`);
      await acme.points.add(id, { points: 9 });
      const { entryId } = await acme.points.spend(id, { points: 20 });
      await acme.points.reverse(id, { entryId });
      await acme.points.spend(id, { points: 8 });
    }
    expect(await acme.statistics.get()).toMatchObject({
      ...{ pointsGiven: 27, pointsSpent: 24, pointsExpired: 150 },
    });
    expect(await checkStorage(storage)).toEqual([]);
    await acme.passes.delete((await acme.passes.lookup("points0")).id);
    await acme.users.delete((await acme.contacts.list({ search: "balance-1" })).content[0]?.id ?? "");
    expect(await checkStorage(storage)).toEqual([]);
  });

  it("compares statistics with the events that are still stored, and with the existing users and cards", async () => {
    const { storage, damage } = await open();
    const { acme, card } = await fillStorage(storage);
    await damage("delete from loyalty_events where position <= 500");
    await damage(insertDayCountSql("stamps", today));
    expect(await checkStorage(storage)).toEqual([]);
    await damage("update loyalty_day_counts set stamps = 0");
    const yesterday = "created_at - 86400000";
    await damage(`update loyalty_events set created_at = ${yesterday} where position < 505`);
    await damage(insertDayCountSql("members", today - 40));
    expect(await checkStorage(storage, { repair: true })).toContainEqual(
      expect.objectContaining({ kind: "statistics", isRepaired: true }),
    );
    expect(await checkStorage(storage)).toEqual([]);
    const { customers, activeCards } = await acme.statistics.get();
    expect({ customers, activeCards }).toEqual({
      customers: (await acme.contacts.list()).totalElements,
      activeCards: 1,
    });
    expect(await acme.stamps.state(card)).toMatchObject({ totalStampsCollected: 23 });
  });
});

describe.each(databases)("a check of the audit trail on $name", ({ open }) => {
  it("finds an altered entry, and doesn't repair it", async () => {
    const { storage, damage } = await open();
    await fillStorage(storage, 20);
    await damage("update loyalty_audit set target = 'whe_other'");
    const finding = { organizationId: "acme", kind: "audit", about: "entry 1", isRepaired: false };
    expect(await checkStorage(storage)).toEqual([finding]);
    expect(await checkStorage(storage, { repair: true })).toEqual([finding]);
  });
});

describe("a storage check on SQLite", () => {
  it("finds missing words of the search index, and dangling references", async () => {
    const { storage, damage } = await onSqlite.open();
    const { acme } = await fillStorage(storage);
    await damage("delete from loyalty_user_words where rowid & 4294967295 = 20");
    expect(await checkStorage(storage)).toMatchObject([{ kind: "search", about: "block 0" }]);
    expect((await acme.contacts.list({ search: "zoë 20" })).totalElements).toBe(10);
    expect(await checkStorage(storage, { repair: true })).toMatchObject([{ isRepaired: true }]);
    expect((await acme.contacts.list({ search: "zoë 20" })).totalElements).toBe(11);
    await damage("delete from loyalty_templates");
    expect(await checkStorage(storage, { repair: true })).toEqual([
      { organizationId: "acme", kind: "references", about: "wallet_passes.template_id", isRepaired: false },
    ]);
  });

  it("rejects memory storage", async () => {
    await expect(checkStorage(memoryStorage())).rejects.toThrow(TypeError);
  });
});
