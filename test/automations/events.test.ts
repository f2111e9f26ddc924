import { describe, expect, it } from "vitest";
import { adapters } from "../kit/adapters.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { DAY, HOUR, openAutomatedShop } from "./automated-shop.js";

const welcome = { on: { event: "user.created" }, do: [{ assignTag: "new" }] };

describe.each(everyAdapter)("an automation with an event trigger, on $name", ({ open }) => {
  it("runs once per event, and only for events after its creation", async () => {
    const { loyalty, acme, automate, listRuns, listTagSlugs, createCustomer } = await openAutomatedShop(
      await open(),
    );
    const before = await createCustomer();
    const id = await automate(welcome);
    const ada = await createCustomer();
    await loyalty.runAutomations();
    await loyalty.runAutomations();
    expect([await listTagSlugs(before.id), await listTagSlugs(ada.id)]).toEqual([[], ["new"]]);
    const { content } = await acme.events.list({ types: ["user.created"] });
    const occasion = content.at(-1)?.id;
    expect(await listRuns(id)).toMatchObject([{ status: "DONE", userId: ada.id, occasion, reason: null }]);
    const assignedEvents = await acme.events.list({ types: ["user_tag.assigned"] });
    expect(assignedEvents.content).toMatchObject([{ actor: { kind: "automation", id } }]);
  });

  it("starts only for cards of its template, and only at the given number of stamps to go", async () => {
    const { acme, loyalty, template, automate, listRuns, createHolder } = await openAutomatedShop(
      await open(),
    );
    const other = await acme.templates.create({ name: "Tea", type: "STAMP_CARD", maxStamps: 5 });
    const trigger = { event: "stamp.added", templateId: template.id, toGo: 2 };
    const id = await automate({ on: trigger, do: [{ assignTag: "vip" }] });
    const { user, card } = await createHolder();
    const tea = await acme.passes.create(other.id, { userId: user.id });
    await acme.stamps.add(tea.id, { count: 3 });
    for (let times = 0; times < 4; times += 1) await acme.stamps.add(card.id);
    await loyalty.runAutomations();
    expect(await listRuns(id)).toMatchObject([{ status: "DONE", userId: user.id }]);
  });

  it("starts when a card is issued, installed, filled or redeemed", async () => {
    const { acme, loyalty, automate, listRuns, createHolder } = await openAutomatedShop(await open());
    const ids: string[] = [];
    for (const event of ["pass.created", "pass.installed", "stamp_card.completed", "stamp_card.redeemed"])
      ids.push(await automate({ on: { event }, do: [{ assignTag: "vip" }] }));
    const { user, card } = await createHolder();
    await acme.passes.markInstalled(card.id);
    await acme.stamps.add(card.id, { count: 5 });
    await acme.stamps.redeem(card.id);
    await loyalty.runAutomations();
    for (const id of ids) expect(await listRuns(id)).toMatchObject([{ status: "DONE", userId: user.id }]);
  });

  it("is the actor of its changes in the ledgers of cards", async () => {
    const { acme, loyalty, template, automate, createHolder } = await openAutomatedShop(await open());
    const trigger = { event: "stamp_card.redeemed" };
    const id = await automate({ on: trigger, do: [{ addStamps: { templateId: template.id, count: 2 } }] });
    const { card } = await createHolder();
    await acme.stamps.add(card.id, { count: 5 });
    await acme.stamps.redeem(card.id);
    await loyalty.runAutomations();
    expect(await acme.stamps.state(card.id)).toMatchObject({ currentStamps: 2 });
    const { content } = await acme.stamps.history(card.id);
    expect(content[0]).toMatchObject({ delta: 2, actor: { kind: "automation", id } });
  });

  it("grants a reward, which appears in the card's ledger and in the statistics", async () => {
    const { acme, loyalty, template, automate, listRuns, createHolder } = await openAutomatedShop(
      await open(),
    );
    const give = { giveReward: { templateId: template.id } };
    const id = await automate({ on: { event: "stamp.added" }, do: [give], per: "once" });
    const { card } = await createHolder();
    await acme.stamps.add(card.id);
    await loyalty.runAutomations();
    expect(await listRuns(id)).toMatchObject([{ status: "DONE" }]);
    const state = await acme.stamps.state(card.id);
    expect(state).toMatchObject({ currentStamps: 1, rewardsAvailable: 1, timesCompleted: 0 });
    const [entry] = (await acme.stamps.history(card.id)).content;
    expect(entry).toMatchObject({ type: "granted", delta: 0, actor: { kind: "automation", id } });
    const { content } = await acme.events.list({ types: ["reward.granted"] });
    expect(content).toMatchObject([{ data: state, actor: { kind: "automation", id } }]);
    expect(await acme.statistics.get()).toMatchObject({ rewardsEarned: 1, rewardsRedeemed: 0 });
    await acme.stamps.reverse(card.id, { entryId: entry?.id ?? "" });
    expect(await acme.stamps.state(card.id)).toMatchObject({ rewardsAvailable: 0 });
    expect(await acme.statistics.get()).toMatchObject({ rewardsEarned: 0, rewardsRedeemed: 0 });
  });

  it("rolls back all actions of a run when one of them is refused", async () => {
    const { acme, loyalty, template, automate, listRuns, listTagSlugs, createCustomer } =
      await openAutomatedShop(await open());
    const add = { addStamps: { templateId: template.id, count: 1 } };
    const id = await automate({ on: welcome.on, do: [{ assignTag: "new" }, add, { assignTag: "vip" }] });
    const other = await automate({ on: welcome.on, do: [{ assignTag: "vip" }] });
    const ada = await createCustomer();
    await loyalty.runAutomations();
    expect(await listRuns(id)).toMatchObject([
      { status: "FAILED", reason: "resource_not_found", actionIndex: 1, nextAttemptAt: null },
    ]);
    expect(await listRuns(other)).toMatchObject([{ status: "DONE" }]);
    expect(await listTagSlugs(ada.id)).toEqual(["vip"]);
    expect((await acme.events.list({ types: ["user_tag.assigned"] })).content).toHaveLength(1);
  });

  it("loses its waiting run without a failure when the customer is deleted", async () => {
    const { acme, loyalty, automate, listRuns, createCustomer, passTime } = await openAutomatedShop(
      await open(),
    );
    const id = await automate({ ...welcome, after: 2 });
    const ada = await createCustomer();
    await loyalty.runAutomations();
    expect(await listRuns(id)).toMatchObject([{ status: "WAITING" }]);
    await acme.users.delete(ada.id);
    await passTime(3 * DAY);
    expect(await listRuns(id)).toEqual([]);
  });
});

describe("an automation", () => {
  const openShop = async () => openAutomatedShop(await adapters.memory());

  it("isn't started by changes of automations, nor by an import that doesn't ask for it", async () => {
    const { acme, loyalty, template, automate, listRuns, createHolder } = await openShop();
    const id = await automate(welcome);
    const trigger = { event: "stamp_card.completed" };
    const stampingId = await automate({
      on: trigger,
      do: [{ addStamps: { templateId: template.id, count: 5 } }],
    });
    await acme.users.import([{ email: "imported@example.com" }]);
    await acme.passes.import([
      { email: "with-card@example.com", passes: [{ templateId: template.id, stamps: 2 }] },
    ]);
    await loyalty.runAutomations();
    expect(await listRuns(id)).toEqual([]);
    await acme.users.import([{ email: "wanted@example.com" }], { startsAutomations: true });
    await loyalty.runAutomations();
    expect(await listRuns(id)).toMatchObject([{ status: "DONE" }]);
    const { card } = await createHolder();
    await acme.stamps.add(card.id, { count: 5 });
    await loyalty.runAutomations();
    expect(await listRuns(stampingId)).toMatchObject([{ status: "DONE" }]);
    expect(await acme.stamps.state(card.id)).toMatchObject({ timesCompleted: 2 });
  });

  it("doesn't change how events of an import are shown", async () => {
    const { acme } = await openShop();
    await acme.users.import([{ email: "imported@example.com" }]);
    const { content } = await acme.events.list({ actorKind: "library", types: ["user.created"] });
    expect(content).toMatchObject([
      { actor: { kind: "library", id: null, subject: null, location: null, receipt: null } },
    ]);
  });

  it("runs for a customer as often as `per` allows", async () => {
    const { acme, automate, listRuns, createHolder, passTime } = await openShop();
    const trigger = { event: "stamp.added" };
    const onceId = await automate({ on: trigger, do: [{ assignTag: "new" }], per: "once" });
    const weekly = await automate({ on: trigger, do: [{ assignTag: "vip" }], per: { everyDays: 7 } });
    const each = await automate({ on: trigger, do: [{ assignTag: "gone" }] });
    const { card } = await createHolder();
    for (let day = 0; day < 15; day += 1) {
      await acme.stamps.add(card.id);
      await passTime(DAY);
    }
    const countDoneRuns = async (id: string) =>
      (await listRuns(id)).filter(({ status }) => status === "DONE").length;
    expect([await countDoneRuns(onceId), await countDoneRuns(weekly), await countDoneRuns(each)]).toEqual([
      1, 3, 15,
    ]);
  });

  it("that runs once per customer runs once for two events processed together", async () => {
    const { acme, loyalty, automate, listRuns, createHolder } = await openShop();
    const trigger = { event: "stamp.added" };
    const id = await automate({ on: trigger, do: [{ assignTag: "new" }], per: "once" });
    const { card } = await createHolder();
    await acme.stamps.add(card.id);
    await acme.stamps.add(card.id);
    await loyalty.runAutomations();
    expect(await listRuns(id)).toMatchObject([
      { status: "DONE" },
      { status: "SKIPPED", reason: "done_before" },
    ]);
  });

  it("skips a customer who doesn't match its filter, without using up the customer's only run", async () => {
    const { acme, loyalty, automate, listRuns, createHolder } = await openShop();
    const trigger = { event: "stamp.added" };
    const filter = { operator: "AND", conditions: [{ slug: "vip" }] };
    const id = await automate({ on: trigger, if: filter, do: [{ assignTag: "new" }], per: "once" });
    const { user, card } = await createHolder();
    await acme.stamps.add(card.id);
    await loyalty.runAutomations();
    await acme.tags.assign(user.id, "vip");
    await acme.stamps.add(card.id);
    await loyalty.runAutomations();
    expect(await listRuns(id)).toMatchObject([
      { status: "SKIPPED", reason: "condition" },
      { status: "DONE" },
    ]);
  });

  it("checks its filter at the event, and again after its delay in days", async () => {
    const { acme, loyalty, automate, listRuns, listTagSlugs, createCustomer, passTime } = await openShop();
    const filter = { operator: "NOT", conditions: [{ slug: "gone" }] };
    const id = await automate({ ...welcome, if: filter, after: 3 });
    const [ada, bob] = [await createCustomer(), await createCustomer()];
    await loyalty.runAutomations();
    expect(await listRuns(id)).toMatchObject([{ status: "WAITING" }, { status: "WAITING" }]);
    await acme.tags.assign(bob.id, "gone");
    await passTime(3 * DAY - 1);
    expect(await listRuns(id)).toMatchObject([{ status: "WAITING" }, { status: "WAITING" }]);
    await passTime(1);
    expect(await listRuns(id)).toMatchObject([
      { status: "DONE" },
      { status: "SKIPPED", reason: "condition" },
    ]);
    expect([await listTagSlugs(ada.id), await listTagSlugs(bob.id)]).toEqual([["new"], ["gone"]]);
    await acme.tags.delete("gone");
    const eve = await createCustomer();
    await acme.tags.create({ name: "Gone" });
    await acme.tags.assign(eve.id, "gone");
    await loyalty.runAutomations();
    expect((await listRuns(id)).at(-1)).toMatchObject({
      status: "SKIPPED",
      reason: "condition",
      userId: eve.id,
    });
  });

  it("is skipped more than 24 hours after it was due", async () => {
    const { automate, listRuns, createCustomer, passTime } = await openShop();
    const [now, later] = [await automate(welcome), await automate({ ...welcome, after: 2 })];
    await createCustomer();
    await passTime(24 * HOUR + 1);
    expect(await listRuns(now)).toMatchObject([{ status: "SKIPPED", reason: "late" }]);
    expect(await listRuns(later)).toMatchObject([{ status: "WAITING" }]);
    await passTime(2 * DAY);
    expect(await listRuns(later)).toMatchObject([{ status: "SKIPPED", reason: "late" }]);
  });

  it("still runs exactly 24 hours after it was due", async () => {
    const { automate, listRuns, createCustomer, passTime } = await openShop();
    const id = await automate(welcome);
    await createCustomer();
    await passTime(24 * HOUR);
    expect(await listRuns(id)).toMatchObject([{ status: "DONE" }]);
  });

  it("is skipped for a customer who had five runs of any automations within an hour", async () => {
    const { acme, automate, listRuns, createHolder, passTime } = await openShop();
    const trigger = { event: "stamp.added" };
    const ids = [
      await automate({ on: trigger, do: [{ assignTag: "new" }] }),
      await automate({ on: trigger, do: [{ assignTag: "vip" }] }),
    ];
    const { card } = await createHolder();
    const listReasons = async () => (await Promise.all(ids.map(listRuns))).flat().map(({ reason }) => reason);
    for (let times = 0; times < 3; times += 1) await acme.stamps.add(card.id);
    await passTime(1);
    expect((await listReasons()).sort()).toEqual([null, null, null, null, null, "too_many_runs"].sort());
    await passTime(HOUR);
    await acme.stamps.add(card.id);
    await passTime(1);
    expect((await listReasons()).filter((reason) => reason === "too_many_runs")).toHaveLength(1);
  });

  it("is skipped when the organization has reached its limit of waiting runs", async () => {
    const storage = await adapters.memory();
    const { loyalty, automate, listRuns, createCustomer } = await openAutomatedShop(storage, {
      limits: { waitingAutomationRuns: 2 },
    });
    const id = await automate({ ...welcome, after: 5 });
    for (let times = 0; times < 3; times += 1) await createCustomer();
    await loyalty.runAutomations();
    expect((await listRuns(id)).map(({ status }) => status).sort()).toEqual([
      "SKIPPED",
      "WAITING",
      "WAITING",
    ]);
  });

  it("completes even if the customer lacks the tag to unassign or already has the one to assign", async () => {
    const { acme, loyalty, automate, listRuns, listTagSlugs, createHolder } = await openShop();
    const trigger = { event: "stamp.added" };
    const id = await automate({ on: trigger, do: [{ assignTag: "new" }, { unassignTag: "gone" }] });
    const { user, card } = await createHolder();
    await acme.tags.assign(user.id, "new");
    await acme.stamps.add(card.id);
    await loyalty.runAutomations();
    await acme.tags.assign(user.id, "gone");
    await acme.stamps.add(card.id);
    await loyalty.runAutomations();
    expect(await listRuns(id)).toMatchObject([{ status: "DONE" }, { status: "DONE" }]);
    expect(await listTagSlugs(user.id)).toEqual(["new"]);
  });
});
