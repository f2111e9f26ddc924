import type { CreateAutomation, Scope, StorageAdapter } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { adapters, adaptersInProcess } from "../kit/adapters.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail } from "../kit/refusal.js";
import { DAY, openAutomatedShop } from "./automated-shop.js";

/** Opens a shop in Vienna on a morning in March 2026, with a card that gives a point for every 10.00 spent. */
async function openPointShop(storage: StorageAdapter) {
  const shop = await openAutomatedShop(storage);
  const { acme, clock, createCustomer } = shop;
  await acme.settings.update({ timeZone: "Europe/Vienna" });
  clock.now = Date.parse("2026-03-01T07:30:00Z");
  const points = await acme.templates.create({
    name: "Points",
    type: "LOYALTY_CARD",
    points: { expiry: { days: 5 } },
    earning: { currency: "EUR", rules: [{ give: 1, per: { amount: 1_000 } }] },
  });
  let receipts = 0;
  const buy = async (userId: string | null, amount: number) => {
    receipts += 1;
    const customer = userId === null ? {} : { userId };
    return acme.purchases.put("till", `${receipts}`, { ...customer, currency: "EUR", lines: [{ amount }] });
  };
  const createMember = async () => {
    const user = await createCustomer();
    const pass = await acme.passes.create(points.id, { userId: user.id });
    return { user, pass };
  };
  const automate = (content: Omit<CreateAutomation, "name">) =>
    acme.automations.create({ name: "Points", ...content });
  const givePoints = { givePoints: { templateId: points.id, points: 50 } };
  return { ...shop, points, buy, createMember, automate, givePoints };
}

const assignVip = { assignTag: "vip" };

describe.each(everyAdapter)("a points automation, on $name", ({ open }) => {
  it("starts for purchases that name a customer, once per receipt", async () => {
    const { acme, loyalty, automate, buy, createMember, listRuns } = await openPointShop(await open());
    const { id } = await automate({ on: { event: "purchase.recorded" }, do: [assignVip] });
    const { user } = await createMember();
    await buy(user.id, 2_000);
    await buy(null, 500);
    await acme.purchases.put("till", "1", { userId: user.id, currency: "EUR", lines: [{ amount: 3_000 }] });
    await loyalty.runAutomations();
    expect(await listRuns(id)).toMatchObject([{ status: "DONE", userId: user.id }]);
  });

  it("adds points to the oldest card, as their actor, and starts no run with them", async () => {
    const { acme, clock, loyalty, points, automate, buy, createMember, givePoints } = await openPointShop(
      await open(),
    );
    const on = { event: "purchase.recorded" } as const;
    const { id } = await automate({ on, do: [givePoints], per: "once" });
    const { user, pass } = await createMember();
    clock.move(1);
    const newer = await acme.passes.create(points.id, { userId: user.id });
    await buy(user.id, 2_000);
    await loyalty.runAutomations();
    expect(await acme.points.state(pass.id)).toMatchObject({ available: 52 });
    expect(await acme.points.state(newer.id)).toMatchObject({ available: 0 });
    const [entry] = (await acme.points.history(pass.id)).content;
    expect(entry).toMatchObject({
      type: "added",
      points: 50,
      expiresAt: "2026-03-06T23:00:00.000Z",
      actor: { kind: "automation", id },
    });
    const { content } = await acme.events.list({ types: ["points.added"] });
    expect(content).toMatchObject([{ data: { entry }, actor: { kind: "automation", id } }]);
  });

  it("fails for a customer without the card, as its preview says, and then changes nothing", async () => {
    const { acme, loyalty, automate, buy, createCustomer, createMember, givePoints, listRuns, listTagSlugs } =
      await openPointShop(await open());
    const on = { event: "purchase.recorded" } as const;
    const { id } = await automate({ on, do: [assignVip, givePoints] });
    const stranger = await createCustomer();
    const { user } = await createMember();
    const previews = [
      { action: "assignTag", reason: null, channels: null },
      { action: "givePoints", reason: "resource_not_found", channels: null },
    ];
    expect(await acme.automations.test(id, { userId: stranger.id })).toMatchObject({
      wouldRun: false,
      reason: "resource_not_found",
      actions: previews,
    });
    expect(await acme.automations.test(id, { userId: user.id })).toMatchObject({ wouldRun: true });
    await buy(stranger.id, 1_000);
    await loyalty.runAutomations();
    expect(await listRuns(id)).toMatchObject([
      { status: "FAILED", reason: "resource_not_found", actionIndex: 1 },
    ]);
    expect(await listTagSlugs(stranger.id)).toEqual([]);
  });

  it("starts the configured number of days before the last day of usable points, once per day", async () => {
    const { acme, clock, loyalty, points, automate, buy, createMember, listRuns } = await openPointShop(
      await open(),
    );
    const at = (text: string) => {
      clock.now = Date.parse(text);
      return loyalty.runAutomations();
    };
    const on = { date: { pointsExpiry: points.id, daysBefore: 2, at: "09:00" } };
    const { id } = await automate({ on, do: [assignVip] });
    const [ada, bob, spender, poor] = [
      await createMember(),
      await createMember(),
      await createMember(),
      await createMember(),
    ];
    // The points of 1 March can be used until the end of 6 March, Vienna time.
    for (const { user } of [ada, ada, spender]) await buy(user.id, 2_000);
    await buy(poor.user.id, 900);
    const noon = "2026-03-06T12:00:00Z";
    await acme.points.add(bob.pass.id, { points: 5, expiresAt: noon });
    await acme.points.add(ada.pass.id, { points: 5, expiresAt: "2026-03-08T23:00:00Z" });
    await acme.points.spend(spender.pass.id, { points: 2 });
    await at("2026-03-04T07:59:59Z");
    expect(await listRuns(id)).toEqual([]);
    await at("2026-03-04T08:00:00Z");
    await at("2026-03-05T08:00:00Z");
    await at("2026-03-06T08:00:00Z");
    const runs = (await listRuns(id)).map(({ userId, occasion, status }) => [userId, occasion, status]);
    expect(runs.sort()).toEqual(
      [
        [ada.user.id, "2026-03-06", "DONE"],
        [bob.user.id, "2026-03-06", "DONE"],
        [ada.user.id, "2026-03-08", "DONE"],
      ].sort(),
    );
  });
});

describe("a points automation", () => {
  it("doesn't start for pending points, or for points that expire before it runs", async () => {
    const { acme, clock, loyalty, points, automate, buy, createMember, listRuns } = await openPointShop(
      await adapters.memory(),
    );
    await acme.templates.update(points.id, {
      points: { pendingDays: 6, expiry: { days: 5 } },
    });
    const { id } = await automate({
      on: { date: { pointsExpiry: points.id, daysBefore: 0, at: "00:30" } },
      do: [assignVip],
    });
    const [ada, bob] = [await createMember(), await createMember()];
    await buy(ada.user.id, 1_000);
    await acme.points.add(bob.pass.id, { points: 1, expiresAt: "2026-03-02T00:00:00Z" });
    // On 2 March it runs late.
    for (
      clock.now = Date.parse("2026-03-02T00:00:00Z");
      clock.now < Date.parse("2026-03-08");
      clock.move(DAY)
    )
      await loyalty.runAutomations();
    expect(await listRuns(id)).toEqual([]);
  });

  it.each(adaptersInProcess)("starts for each of many customers, on $name", async ({ open }) => {
    const { acme, clock, loyalty, points, automate, listRuns } = await openPointShop(await open());
    const { id } = await automate({
      on: { date: { pointsExpiry: points.id, daysBefore: 0, at: "09:00" } },
      do: [assignVip],
    });
    // More customers than one search reads.
    const rows = Array.from({ length: 5_600 }, (_, nth) => ({
      email: `many-${nth}@example.com`,
      passes: [{ templateId: points.id, points: nth % 11 === 0 ? 1 : 0 }],
    }));
    await acme.passes.import(rows, { emit: "none" });
    clock.now = Date.parse("2026-03-06T08:00:00Z");
    await loyalty.runAutomations();
    const runs = await listRuns(id);
    expect(runs).toHaveLength(Math.ceil(rows.length / 11));
    expect(new Set(runs.map(({ userId }) => userId)).size).toBe(runs.length);
  });

  it("requires the scopes of the data it reads and of its actions", async () => {
    const { loyalty, points, givePoints } = await openPointShop(await adapters.memory());
    const create = (scopes: readonly Scope[], content: Omit<CreateAutomation, "name">) =>
      getErrorDetail(
        loyalty
          .organization("acme", { scopes: ["automation:manage", ...scopes] })
          .automations.create({ name: "Points", ...content }),
      );
    const bought = { on: { event: "purchase.recorded" as const }, do: [assignVip] };
    const expiring = { on: { date: { pointsExpiry: points.id, at: "09:00" } }, do: [givePoints] };
    const denied = (scope: Scope) => ({ code: "access_denied", scope });
    expect(await create(["user_tag:write"], bought)).toEqual(denied("purchase:read"));
    expect(await create(["loyalty:manage"], expiring)).toEqual(denied("pass:read"));
    expect(await create(["pass:read"], expiring)).toEqual(denied("loyalty:manage"));
  });

  it("fails and is disabled once its creator's token may no longer read purchases", async () => {
    const { acme, loyalty, buy, createMember, listRuns } = await openPointShop(await adapters.memory());
    const scopes: Scope[] = ["automation:manage", "purchase:read", "user_tag:write"];
    const { apiToken } = await acme.apiTokens.create({ name: "Maker", scopes });
    const maker = loyalty.organization("acme", { scopes, actor: { kind: "token", id: apiToken.id } });
    const { id } = await maker.automations.create({
      name: "Bought",
      on: { event: "purchase.recorded" },
      do: [assignVip],
    });
    await buy((await createMember()).user.id, 1_000);
    await acme.apiTokens.delete(apiToken.id);
    await loyalty.runAutomations();
    expect(await listRuns(id)).toMatchObject([{ status: "FAILED", reason: "access_denied" }]);
    expect(await acme.automations.get(id)).toMatchObject({ isEnabled: false });
  });
});
