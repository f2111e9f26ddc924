import { LoyaltyService } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { scheduleDateChecks } from "../../src/automations/automations.js";
import { createCallContext, Tenant } from "../../src/kernel/tenant.js";
import { automationJobs } from "../../src/storage/automations.js";
import { adapters, adaptersInProcess } from "../kit/adapters.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { DAY, HOUR, openAutomatedShop } from "./automated-shop.js";

const at = (date: string) => Date.parse(date);

/** Opens a shop in Vienna on a morning in March 2026, with an automation for birthdays at 9 a.m. */
async function openBirthdayShop(open: (typeof everyAdapter)[number]["open"], daysBefore = 0) {
  // Retains runs long enough to list last year's runs.
  const shop = await openAutomatedShop(await open(), { retention: { runDays: 1_000 } });
  const { acme, automate, clock, loyalty, storage } = shop;
  await acme.settings.update({ timeZone: "Europe/Vienna" });
  clock.now = at("2026-03-01T07:30:00Z");
  const trigger = { date: { metadata: ["birthday"], daysBefore, at: "09:00" } };
  const id = await automate({ on: trigger, do: [{ assignTag: "vip" }] });
  const tenant = new Tenant(Reflect.get(loyalty, "engine"), "acme", "all", createCallContext());
  await storage.transaction("acme", function* (tx) {
    yield* tx.lockQueue(automationJobs);
    const automation = yield* tx.findAutomation(id);
    if (automation !== null) yield* scheduleDateChecks(tenant, tx, automation);
  });
  return { ...shop, id };
}

describe.each(everyAdapter)("an automation with a date trigger, on $name", ({ open }) => {
  it("runs for customers whose date is that day, at its time of day in the shop's time zone", async () => {
    const { loyalty, clock, createCustomer, listRuns, id, listTagSlugs } = await openBirthdayShop(open);
    const ada = await createCustomer({ birthday: "1990-03-02" });
    const bob = await createCustomer({ birthday: "2026-03-02T10:00:00Z" });
    await createCustomer({ birthday: "1990-03-03" });
    await createCustomer({ birthday: "soon" });
    const leapling = await createCustomer({ birthday: "1992-02-29" });
    await loyalty.runAutomations();
    expect(await listRuns(id)).toEqual([]);
    clock.now = at("2026-03-01T08:00:00Z");
    await loyalty.runAutomations();
    expect(await listRuns(id)).toMatchObject([
      { status: "DONE", userId: leapling.id, occasion: "2026-03-01" },
    ]);
    clock.now = at("2026-03-02T07:59:59Z");
    await loyalty.runAutomations();
    expect(await listRuns(id)).toHaveLength(1);
    clock.now = at("2026-03-02T08:00:00Z");
    await loyalty.runAutomations();
    await loyalty.runAutomations();
    const startedRuns = (await listRuns(id))
      .slice(1)
      .map(({ userId, occasion, status }) => [userId, occasion, status]);
    expect(startedRuns.sort()).toEqual([ada, bob].map((user) => [user.id, "2026-03-02", "DONE"]).sort());
    expect(await listTagSlugs(ada.id)).toEqual(["vip"]);
  });
});

describe("an automation with a date trigger", () => {
  const open = adapters.memory;

  it("runs for coming days, and never for days before it was created", async () => {
    const { loyalty, clock, createCustomer, listRuns, id } = await openBirthdayShop(open, 3);
    const today = await createCustomer({ birthday: "1990-03-04" });
    await createCustomer({ birthday: "1990-03-03" });
    clock.now = at("2026-03-01T08:00:00Z");
    await loyalty.runAutomations();
    expect(await listRuns(id)).toMatchObject([{ userId: today.id, occasion: "2026-03-04" }]);
  });

  it("catches up on missed days, and skips runs that are more than 24 hours late", async () => {
    const { loyalty, clock, createCustomer, listRuns, id } = await openBirthdayShop(open);
    for (const day of ["02", "03", "04", "05", "06"]) await createCustomer({ birthday: `1990-03-${day}` });
    clock.now = at("2026-03-05T08:30:00Z");
    await loyalty.runAutomations();
    expect((await listRuns(id)).map(({ occasion, status, reason }) => [occasion, status, reason])).toEqual([
      ["2026-03-02", "SKIPPED", "late"],
      ["2026-03-03", "SKIPPED", "late"],
      ["2026-03-04", "SKIPPED", "late"],
      ["2026-03-05", "DONE", null],
    ]);
  });

  it("ignores days more than a month ago", async () => {
    const { loyalty, clock, createCustomer, listRuns, id } = await openBirthdayShop(open);
    await createCustomer({ birthday: "1990-03-02" });
    const lateCustomer = await createCustomer({ birthday: "1990-08-20" });
    clock.now = at("2026-09-01T08:30:00Z");
    await loyalty.runAutomations();
    expect(await listRuns(id)).toMatchObject([
      { userId: lateCustomer.id, status: "SKIPPED", reason: "late" },
    ]);
  });

  it("runs again the next year", async () => {
    const { loyalty, clock, createCustomer, listRuns, id } = await openBirthdayShop(open);
    await createCustomer({ birthday: "1990-03-02" });
    for (let day = 0; day < 400; day += 1) {
      clock.now = at("2026-03-01T09:00:00Z") + day * DAY;
      await loyalty.runAutomations();
    }
    expect((await listRuns(id)).map(({ occasion, status }) => [occasion, status])).toEqual([
      ["2026-03-02", "DONE"],
      ["2027-03-02", "DONE"],
    ]);
  });

  it("follows a time zone that is set later", async () => {
    const { acme, loyalty, clock, createCustomer, listRuns, id } = await openBirthdayShop(open);
    await createCustomer({ birthday: "1990-03-02" });
    clock.now = at("2026-03-01T10:00:00Z");
    await loyalty.runAutomations();
    await acme.settings.update({ timeZone: "Asia/Tokyo" });
    for (let hour = 0; hour < 20; hour += 1) {
      const isDue = clock.now >= at("2026-03-02T00:00:00Z");
      await loyalty.runAutomations();
      expect(await listRuns(id)).toHaveLength(isDue ? 1 : 0);
      clock.move(HOUR);
    }
  });

  it.each(adaptersInProcess)(
    "creates one run for each of many customers although two processes look for them, on $name",
    async ({ open }) => {
      const { acme, loyalty, storage, clock, listRuns, id } = await openBirthdayShop(open);
      const customerCount = 600;
      await acme.users.import(
        Array.from({ length: customerCount }, (_, nth) => ({
          email: `many-${nth}@example.com`,
          metadata: { birthday: nth % 2 === 0 ? "1990-03-02" : "1991-06-01" },
        })),
      );
      clock.now = at("2026-03-02T08:00:00Z");
      const other = new LoyaltyService({ storage, clock: clock.read });
      await Promise.all([loyalty.runAutomations(), other.runAutomations(), other.runAutomations()]);
      await loyalty.runAutomations();
      const createdRuns = await listRuns(id);
      expect(createdRuns).toHaveLength(customerCount / 2);
      expect(new Set(createdRuns.map(({ userId }) => userId)).size).toBe(customerCount / 2);
      expect(createdRuns.every(({ status }) => status === "DONE")).toBe(true);
      const { content } = await acme.events.list({ types: ["user_tag.assigned"], limit: 1_000 });
      expect(content).toHaveLength(customerCount / 2);
    },
  );
});
