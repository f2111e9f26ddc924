import { LoyaltyService, type Organization } from "loyalty-kit";
import { checkStorage } from "loyalty-kit/storage";
import { describe, expect, it } from "vitest";
import { type Damageable, databases } from "../checking/damageable.js";
import { openAcme, someEmail } from "../kit/acme.js";
import { addCleanup } from "../kit/cleanup.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { replaceTransactions } from "../kit/intercept-calls.js";
import { ManualClock } from "../kit/manual-clock.js";
import { sharedDatabases } from "../kit/shared-databases.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Counts the new users of each day. The first day must be before the first user. */
async function countJoined({ statistics }: Organization, from: string, to: string) {
  let before = 0;
  return (await statistics.get({ from, to })).days.flatMap(({ date, customers }) => {
    const newCustomers = customers - before;
    before = customers;
    return newCustomers === 0 ? [] : [[date, newCustomers] as const];
  });
}

const createUser = ({ users }: Organization) => users.create({ email: someEmail() });

describe.each(everyAdapter)("statistics of an organization with a time zone, on $name", ({ open }) => {
  it("count by local days, up to today's local date", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    await acme.settings.update({ timeZone: "Europe/Vienna" });
    // Midnight in Vienna is at 23:00 UTC, and at 22:00 from 29 March on.
    for (const time of [
      "2026-03-28T22:59:59.999Z",
      "2026-03-28T23:00:00.000Z",
      "2026-03-29T21:59:59.999Z",
      "2026-03-29T22:00:00.000Z",
    ]) {
      clock.now = Date.parse(time);
      await createUser(acme);
    }
    const { from, to, days } = await acme.statistics.get({ days: 3 });
    expect([from, to]).toEqual(["2026-03-28", "2026-03-30"]);
    expect(days.map(({ date, customers }) => [date, customers])).toEqual([
      ["2026-03-28", 1],
      ["2026-03-29", 3],
      ["2026-03-30", 4],
    ]);
  });

  it("have a date that the zone skipped, with nothing on it", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    await acme.settings.update({ timeZone: "Pacific/Apia" });
    for (const hour of [-1, 0, 1]) {
      clock.now = Date.parse("2011-12-30T10:00:00Z") + hour * HOUR;
      await createUser(acme);
    }
    expect(
      (await acme.statistics.get({ days: 3 })).days.map(({ date, customers }) => [date, customers]),
    ).toEqual([
      ["2011-12-29", 1],
      ["2011-12-30", 1],
      ["2011-12-31", 3],
    ]);
  });

  it("count by a new zone from its change on, and don't move earlier counts", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    clock.now = Date.parse("2026-06-10T02:00:00Z");
    const countJoinedInJune = () => countJoined(acme, "2026-06-08", "2026-06-12");
    await createUser(acme);
    await acme.settings.update({ timeZone: "America/New_York" });
    await createUser(acme);
    await createUser(acme);
    expect(await countJoinedInJune()).toEqual([
      ["2026-06-09", 2],
      ["2026-06-10", 1],
    ]);
    clock.move(3 * HOUR);
    await createUser(acme);
    await acme.settings.update({ timeZone: "Pacific/Kiritimati" });
    clock.move(6 * HOUR);
    await createUser(acme);
    expect(await countJoinedInJune()).toEqual([
      ["2026-06-09", 2],
      ["2026-06-10", 2],
      ["2026-06-11", 1],
    ]);
  });

  it("count imports on the local day, whether or not they emit events", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    await acme.settings.update({ timeZone: "Asia/Tokyo" });
    clock.now = Date.parse("2026-06-10T20:00:00Z");
    await acme.users.import(Array.from({ length: 30 }, () => ({ email: someEmail() })));
    const { id: templateId } = await acme.templates.create({
      name: "Card",
      type: "STAMP_CARD",
      maxStamps: 3,
    });
    const passes = [{ templateId, stamps: 1 }];
    for (const emit of ["all", "summary", "none"] as const) {
      const rows = Array.from({ length: 10 }, () => ({ email: someEmail(), passes }));
      expect((await acme.passes.import(rows, { emit })).failed).toEqual([]);
    }
    expect(await countJoined(acme, "2026-06-09", "2026-06-12")).toEqual([["2026-06-11", 60]]);
  });

  it("count by the previous zone when its change is rolled back", async () => {
    const storage = await open();
    let isFailing = false;
    const failing = replaceTransactions(storage, (organizationId, work, options) =>
      storage.transaction(
        organizationId,
        function* (tx) {
          const result = yield* work(tx);
          if (isFailing) throw new Error("rolled back");
          return result;
        },
        options,
      ),
    );
    const { acme, clock } = openAcme({ storage: failing });
    clock.now = Date.parse("2026-06-10T20:00:00Z");
    await createUser(acme);
    isFailing = true;
    await expect(acme.settings.update({ timeZone: "Asia/Tokyo" })).rejects.toThrow("rolled back");
    isFailing = false;
    await createUser(acme);
    expect(await acme.settings.get()).toMatchObject({ timeZone: "UTC" });
    expect(await countJoined(acme, "2026-06-09", "2026-06-12")).toEqual([["2026-06-10", 2]]);
  });
});

describe.each(Object.entries(sharedDatabases))("two services on one %s database", (_name, database) => {
  async function openFile() {
    const open = await database();
    const clock = new ManualClock(Date.parse("2026-06-10T20:00:00Z"));
    const openAcmeOnFile = async () => {
      const loyalty = new LoyaltyService({ storage: await open(), clock: clock.read });
      addCleanup(() => loyalty.close());
      return loyalty.organization("acme");
    };
    return { clock, one: await openAcmeOnFile(), other: await openAcmeOnFile() };
  }

  it("count by the zone that either of them sets, from the next change on", async () => {
    const { one, other } = await openFile();
    await createUser(one);
    await other.settings.update({ timeZone: "Asia/Tokyo" });
    await createUser(one);
    await one.settings.update({ timeZone: "UTC" });
    await createUser(other);
    const expected = [
      ["2026-06-10", 2],
      ["2026-06-11", 1],
    ];
    expect(await countJoined(one, "2026-06-09", "2026-06-12")).toEqual(expected);
    expect(await countJoined(other, "2026-06-09", "2026-06-12")).toEqual(expected);
  });

  it("count nothing by the previous zone after the change returns, with many calls in progress", async () => {
    const { one, other } = await openFile();
    const createUsers = (acme: Organization) =>
      Promise.all(Array.from({ length: 20 }, () => createUser(acme)));
    await createUsers(one);
    const during = createUsers(one);
    await other.settings.update({ timeZone: "Asia/Tokyo" });
    await createUsers(one);
    await during;
    const days = new Map(await countJoined(one, "2026-06-09", "2026-06-12"));
    const [before = 0, after = 0] = [days.get("2026-06-10"), days.get("2026-06-11")];
    expect(before + after).toBe(60);
    expect(before).toBeGreaterThanOrEqual(20);
    expect(after).toBeGreaterThanOrEqual(20);
  });
});

describe.each(databases)("a check of statistics on $name", ({ open }) => {
  const addOneCustomer = ({ damage }: Damageable, day: number) =>
    damage(`update loyalty_day_counts set stamps = stamps + 1 where day = ${day}`);

  it("finds no problem before, on and after the day of a zone change", async () => {
    const database = await open();
    const { acme, clock } = openAcme({ storage: database.storage });
    clock.now = Date.parse("2026-06-10T02:00:00Z");
    const { id } = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 3 });
    const makeTrade = async () => {
      for (let hour = 0; hour < 60; hour += 5) {
        const pass = await acme.passes.create(id, { user: { email: someEmail() } });
        await acme.stamps.add(pass.id, { count: 4 });
        clock.move(5 * HOUR);
      }
    };
    for (const timeZone of ["America/New_York", "Pacific/Kiritimati", "Asia/Kolkata", "UTC"]) {
      await makeTrade();
      await acme.settings.update({ timeZone });
      expect(await checkStorage(database.storage), timeZone).toEqual([]);
    }
    await makeTrade();
    expect(await checkStorage(database.storage)).toEqual([]);
  });

  it("finds no problem if the clock was set back before a zone change", async () => {
    const { storage } = await open();
    const { acme, clock } = openAcme({ storage });
    for (const days of [0, 3, -3]) {
      clock.move(days * DAY);
      for (let hour = 0; hour < 24; hour += 2) {
        await createUser(acme);
        clock.move(2 * HOUR);
      }
    }
    for (const timeZone of ["Pacific/Kiritimati", "Pacific/Pago_Pago"]) {
      await acme.settings.update({ timeZone });
      await createUser(acme);
      expect(await checkStorage(storage)).toEqual([]);
    }
  });

  it("repairs counts that are missing right after a zone change, so that they count today", async () => {
    const { storage, damage } = await open();
    const { acme } = openAcme({ storage });
    await createUser(acme);
    await acme.settings.update({ timeZone: "Pacific/Pago_Pago" });
    await createUser(acme);
    await damage("update loyalty_organizations set current_day_counts = null");
    expect(await checkStorage(storage, { repair: true })).toMatchObject([{ isRepaired: true }]);
    expect(await checkStorage(storage)).toEqual([]);
    expect((await acme.statistics.get({ from: "2025-12-01", to: "2026-01-01" })).customers).toBe(2);
  });

  it("compares the days after a zone change by the new zone, and the days until then by their sums", async () => {
    const database = await open();
    const { storage } = database;
    const { acme, clock } = openAcme({ storage });
    clock.now = Date.parse("2026-06-10T20:00:00Z");
    const day = Math.floor(clock.now / DAY);
    await createUser(acme);
    await acme.settings.update({ timeZone: "Asia/Tokyo" });
    for (let days = 0; days < 5; days += 1) {
      await createUser(acme);
      clock.move(DAY);
    }
    // In Tokyo it was already the 11th, and two days may contain counts of other zones.
    for (const uncompared of [0, 1, 2, 3]) await addOneCustomer(database, day + uncompared);
    expect(await checkStorage(storage)).toEqual([]);
    await addOneCustomer(database, day + 4);
    const about = "stamps of 2026-06-14";
    expect(await checkStorage(storage)).toEqual([
      { organizationId: "acme", kind: "statistics", about, isRepaired: false },
    ]);
    expect(await checkStorage(storage, { repair: true })).toMatchObject([{ about, isRepaired: true }]);
    expect(await checkStorage(storage)).toEqual([]);
    await database.damage("update loyalty_day_counts set members = members + 1");
    expect(await checkStorage(storage, { repair: true })).toMatchObject([
      { isRepaired: true },
      { isRepaired: true },
    ]);
    expect((await acme.statistics.get()).customers).toBe(6);
  });
});
