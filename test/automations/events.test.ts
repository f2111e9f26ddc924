import { describe, expect, it } from "vitest";
import { adapters } from "../kit/adapters.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { DAY, HOUR, openAutomatedShop } from "./automated-shop.js";

const welcome = { on: { event: "user.created" }, do: [{ assignTag: "new" }] };

describe.each(everyAdapter)("an automation that starts by events, on $name", ({ open }) => {
  it("does what it is to do once for each, from its own beginning on", async () => {
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

  it("starts for the card of its template with so many stamps to go alone", async () => {
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

  it("starts by cards that are issued, installed, filled and redeemed", async () => {
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

  it("changes cards with its own name in their ledgers", async () => {
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

  it("gives a reward, which its card's ledger and the statistics have", async () => {
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

  it("undoes all of what it has done when an action is refused", async () => {
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

  it("goes silently with its customer", async () => {
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

  it("is not started by what an automation does, nor by an import that does not ask for it", async () => {
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

  it("leaves events of an import as they are shown", async () => {
    const { acme } = await openShop();
    await acme.users.import([{ email: "imported@example.com" }]);
    const { content } = await acme.events.list({ actorKind: "library", types: ["user.created"] });
    expect(content).toMatchObject([
      { actor: { kind: "library", id: null, subject: null, location: null, receipt: null } },
    ]);
  });

  it("is done for a customer as often as it says", async () => {
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

  it("that is done once is done once for two events at once", async () => {
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

  it("is skipped for whom its filter does not match, which uses it up for nobody", async () => {
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

  it("asks its filter at the event, and again after its days", async () => {
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

  it("is done 24 hours after it was due", async () => {
    const { automate, listRuns, createCustomer, passTime } = await openShop();
    const id = await automate(welcome);
    await createCustomer();
    await passTime(24 * HOUR);
    expect(await listRuns(id)).toMatchObject([{ status: "DONE" }]);
  });

  it("is skipped for a customer for whom five were done within an hour, of all together", async () => {
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

  it("is skipped where as many runs wait as the organization may have", async () => {
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

  it("takes no tag from who has none, and gives none twice", async () => {
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
