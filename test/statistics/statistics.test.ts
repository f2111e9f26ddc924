import { isLoyaltyError, type Organization } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { type Acme, openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { replaceTransactions } from "../kit/intercept-calls.js";
import { ManualClock } from "../kit/manual-clock.js";
import { getRefusedFields, untyped } from "../kit/refusal.js";
import { type RecordedEvent, recountStatistics } from "./recount.js";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

async function listEvents({ events }: Organization): Promise<RecordedEvent[]> {
  const all: RecordedEvent[] = [];
  for (let after = "0"; ; ) {
    const { content, next } = await events.list({ after, limit: 1_000 });
    if (content.length === 0) return all;
    all.push(...content);
    after = next;
  }
}

/** Simulates a shop for some days: customers come and go, cards are stamped, filled, redeemed and corrected. */
async function makeTrade({ acme, clock }: Acme): Promise<void> {
  const { id: templateId } = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 3 });
  const { id: clubId } = await acme.templates.create({
    ...{ name: "Club", type: "LOYALTY_CARD" },
    ...{ points: { expiry: { days: 1 } } },
  });
  const passes: string[] = [];
  for (let day = 0; day < 6; day += 1) {
    const user = { email: `${day}@example.com` };
    const { id, userId } = await acme.passes.create(templateId, { user });
    await acme.passes.create(templateId, { userId }, { isPreviewPass: true });
    passes.push(id);
    for (const passId of passes) await acme.stamps.add(passId, { count: 2 });
    await acme.stamps.add(id, { count: 7 });
    await acme.stamps.redeem(id);
    const { entryId } = await acme.stamps.add(id, { count: 2 });
    clock.move(HOUR_MS);
    await acme.stamps.reverse(id, { entryId });
    await acme.stamps.set(id, { stamps: 2 });
    await acme.stamps.remove(id);
    await acme.passes.markInstalled(id);
    await tradePoints(acme, clubId, userId);
    if (day === 3) {
      await acme.users.delete(userId);
      passes.pop();
    }
    if (day === 4) await acme.passes.delete(passes.shift() ?? "");
    // The clock is set back now and then, and the shop is closed on some days.
    clock.move(day === 2 ? -DAY_MS : day === 4 ? 3 * DAY_MS : DAY_MS);
  }
  const rows = Array.from({ length: 700 }, (_, at) => ({ email: `${at}@example.com`, name: "Imported" }));
  await acme.users.import(rows);
}

/** Gives a customer points, spends, removes and reverses some, and lets others expire when the next day ends. */
async function tradePoints({ passes, points }: Organization, templateId: string, userId: string) {
  const { id } = await passes.create(templateId, { userId });
  const { entryId: added } = await points.add(id, { points: 70 });
  await points.reverse(id, { entryId: added });
  await points.add(id, { points: 50, expiresAt: null });
  await points.add(id, { points: 40 });
  await points.add(id, { points: 7, expiresAt: "2025-12-24T00:00:00Z" });
  const { entryId: spent } = await points.spend(id, { points: 30 });
  const { entryId: removed } = await points.remove(id, { points: 3 });
  await points.spend(id, { points: 10 });
  await points.reverse(id, { entryId: spent });
  await points.reverse(id, { entryId: removed });
}

describe.each(everyAdapter)("statistics on $name", ({ open }) => {
  it("match the events at any time and for any days", async () => {
    const shop = openAcme({ storage: await open() });
    const { acme } = shop;
    await makeTrade(shop);
    await shop.loyalty.refreshSegments();
    const events = await listEvents(acme);
    for (const [from, to] of [
      ["2025-12-01", "2026-02-01"],
      ["2026-01-01", "2026-01-01"],
      ["2026-01-03", "2026-01-05"],
      ["2026-01-06", "2026-01-08"],
      ["2020-01-01", "2020-01-07"],
      ["2027-01-01", "2027-01-07"],
    ] as const) {
      expect(await acme.statistics.get({ from, to })).toEqual(recountStatistics(events, from, to));
    }
    expect((await acme.statistics.get()).customers).toBe(700);
  });

  it("count nothing that was rolled back, wherever it failed", async () => {
    const storage = await open();
    let failsAt = Number.POSITIVE_INFINITY;
    const failing = replaceTransactions(storage, (organizationId, work, options) =>
      storage.transaction(
        organizationId,
        function* (tx) {
          const result = yield* work(tx);
          failsAt -= 1;
          if (failsAt < 0) throw new Error("rolled back");
          return result;
        },
        options,
      ),
    );
    const { acme } = openAcme({ storage: failing });
    await acme.users.create({ email: "ada@example.com" });
    failsAt = 1;
    await acme.users.create({ email: "bob@example.com" });
    await expect(acme.users.create({ email: "cy@example.com" })).rejects.toThrow("rolled back");
    await expect(acme.users.import([{ email: "di@example.com" }])).rejects.toThrow("rolled back");
    expect((await acme.statistics.get({ days: 1 })).customers).toBe(2);
  });

  it("are counted without an outbox, and separately for each organization", async () => {
    const storage = await open();
    const { loyalty, acme } = openAcme({ storage, outbox: false });
    await acme.users.create({ email: "ada@example.com" });
    expect((await acme.statistics.get()).customers).toBe(1);
    expect((await loyalty.organization("other").statistics.get()).customers).toBe(0);
  });

  it("count concurrent changes once each", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { id } = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 3 });
    const pass = await acme.passes.create(id, { user: { email: "ada@example.com" } });
    const stamping = Array.from({ length: 20 }, (_, at) =>
      acme.stamps.add(pass.id, { idempotencyKey: `receipt-${at % 10}` }).catch((error: unknown) => {
        if (!isLoyaltyError(error, "idempotency_key_in_use")) throw error;
      }),
    );
    await Promise.all(stamping);
    const { stamps, rewardsEarned } = await acme.statistics.get();
    const state = await acme.stamps.state(pass.id);
    expect({ stamps, rewardsEarned }).toEqual({
      stamps: state.totalStampsCollected,
      rewardsEarned: state.timesCompleted,
    });
  });
});

describe("visits by hour", () => {
  it("are counted by weekday and hour in the shop's time zone, on any day, less the reversed ones", async () => {
    // A Thursday, 23:30 in London and 5:00 the next morning in Kolkata.
    const clock = new ManualClock(Date.UTC(2026, 0, 1, 23, 30));
    const { acme } = openAcme({ clock: clock.read });
    await acme.settings.update({ timeZone: "Asia/Kolkata" });
    const { id } = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 9 });
    const pass = await acme.passes.create(id, { user: { email: "ada@example.com" } });
    const history = [{ type: "added", count: 3, at: "2025-12-30T10:00:00Z" } as const];
    await acme.passes.import([
      { email: "old@example.com", passes: [{ templateId: id, code: "old1", history }] },
    ]);
    await acme.stamps.add(pass.id, { count: 3 });
    clock.move(7 * DAY_MS);
    await acme.stamps.add(pass.id);
    const { entryId } = await acme.stamps.add(pass.id);
    await acme.stamps.reverse(pass.id, { entryId });
    clock.move(3 * DAY_MS + HOUR_MS);
    await acme.stamps.add(pass.id, { count: 2 });
    const readVisits = async (query: { days: number }) =>
      (await acme.statistics.get(query)).visitsByHour.flatMap((hours, weekday) =>
        hours.flatMap((count, hour) => (count === 0 ? [] : [[weekday, hour, count]])),
      );
    const [friday, monday] = [4, 0];
    expect(await readVisits({ days: 30 })).toEqual([
      [monday, 6, 1],
      [friday, 5, 2],
    ]);
    expect(await readVisits({ days: 1 })).toEqual([[monday, 6, 1]]);
  });
});

describe("the days of statistics", () => {
  it("are the last 30 by default, including today", async () => {
    const { acme } = openAcme({ clock: new ManualClock(Date.UTC(2026, 2, 1, 23, 59)).read });
    const { from, to, days } = await acme.statistics.get();
    expect([from, to, days.length]).toEqual(["2026-01-31", "2026-03-01", 30]);
    expect((await acme.statistics.get({ days: 7 })).days.map(({ date }) => date)).toEqual([
      "2026-02-23",
      "2026-02-24",
      "2026-02-25",
      "2026-02-26",
      "2026-02-27",
      "2026-02-28",
      "2026-03-01",
    ]);
  });

  it.each([
    [{ days: 0 }, "days"],
    [{ days: 1_101 }, "days"],
    [{ days: 7, from: "2026-01-01", to: "2026-01-02" }, "days"],
    [{ from: "2026-01-01" }, "to"],
    [{ to: "2026-01-01" }, "from"],
    [{ from: "2026-01-02", to: "2026-01-01" }, "to"],
    [{ from: "2020-01-01", to: "2026-01-01" }, "to"],
    [{ from: "2026-02-30", to: "2026-03-01" }, "from"],
    [{ from: "1 January", to: "2026-03-01" }, "from"],
  ])("are refused as %j", async (query, field) => {
    const { acme } = openAcme();
    expect(await getRefusedFields(acme.statistics.get(query))).toEqual([field]);
  });

  it("may be up to 1,100, and can't be a text", async () => {
    const { acme } = openAcme();
    expect((await acme.statistics.get({ days: 1_100 })).days).toHaveLength(1_100);
    await expect(acme.statistics.get(untyped({ days: "7" }))).rejects.toMatchObject({
      code: "wrong_param_type",
    });
  });
});
