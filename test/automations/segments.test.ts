import { describe, expect, it } from "vitest";
import { adapters } from "../kit/adapters.js";
import { DAY, openAutomatedShop } from "./automated-shop.js";

describe("an automation that starts when a customer enters a segment", () => {
  async function openScene() {
    const shop = await openAutomatedShop(await adapters.memory());
    const { acme, automate } = shop;
    const vips = await acme.segments.create({
      name: "Best",
      filter: { operator: "AND", conditions: [{ slug: "vip" }] },
      emitsEvents: true,
    });
    const id = await automate({ on: { segmentEntered: vips.slug }, do: [{ assignTag: "new" }] });
    return { ...shop, id };
  }

  it("starts for each customer who enters, and for none who was already in it", async () => {
    const { acme, loyalty, createCustomer, listRuns, id } = await openScene();
    const [ada, bob] = [await createCustomer(), await createCustomer()];
    const refreshAndRun = async () => {
      await loyalty.refreshSegments();
      await loyalty.runAutomations();
    };
    await acme.tags.assign(ada.id, "vip");
    await acme.tags.assign(bob.id, "gone");
    await refreshAndRun();
    await acme.tags.assign(ada.id, "gone");
    await acme.tags.unassign(ada.id, "vip");
    await refreshAndRun();
    await acme.tags.assign(ada.id, "vip");
    await refreshAndRun();
    const startedRuns = (await listRuns(id)).map(({ userId, status }) => [userId, status]);
    expect(startedRuns).toEqual([
      [ada.id, "DONE"],
      [ada.id, "DONE"],
    ]);
  });

  it("doesn't start for a customer who enters through an automation", async () => {
    const { loyalty, automate, createCustomer, listRuns, listTagSlugs, id } = await openScene();
    await automate({ on: { event: "user.created" }, do: [{ assignTag: "vip" }] });
    const ada = await createCustomer();
    await loyalty.refreshSegments();
    await loyalty.runAutomations();
    expect(await loyalty.refreshSegments()).toMatchObject({ entered: 1 });
    await loyalty.runAutomations();
    expect(await listTagSlugs(ada.id)).toEqual(["vip"]);
    expect(await listRuns(id)).toEqual([]);
  });

  it("starts for an entry caused by an automation and another change, even if the automation's is newest", async () => {
    const { acme, loyalty, automate, createCustomer, listRuns, listTagSlugs, id } = await openScene();
    const welcome = await automate({ on: { event: "user.created" }, do: [{ assignTag: "vip" }] });
    const ada = await createCustomer();
    await loyalty.runAutomations();
    expect(await loyalty.refreshSegments()).toMatchObject({ entered: 1 });
    const [enteredEvent] = (await acme.events.list({ types: ["segment.entered"] })).content;
    expect(enteredEvent?.actor).toEqual({
      ...{ kind: "automation", id: welcome, subject: null },
      ...{ location: null, receipt: null },
    });
    await loyalty.runAutomations();
    expect(await listTagSlugs(ada.id)).toEqual(["new", "vip"]);
    expect(await listRuns(id)).toMatchObject([{ status: "DONE", userId: ada.id }]);
  });

  it("doesn't start for an imported customer, unless the customer changes before the refresh", async () => {
    const { acme, loyalty, listRuns, id } = await openScene();
    await acme.users.import([{ email: "ada@example.com", tags: ["vip"] }]);
    await loyalty.refreshSegments();
    await acme.users.import([{ email: "bob@example.com", tags: ["vip"] }]);
    const { content } = await acme.contacts.list({ search: "bob" });
    const [bob] = content;
    await acme.users.update(bob?.id ?? "", { name: "Bob" });
    expect(await loyalty.refreshSegments()).toMatchObject({ entered: 1 });
    await loyalty.runAutomations();
    expect(await listRuns(id)).toMatchObject([{ status: "DONE", userId: bob?.id }]);
  });

  it("starts when time alone moves a customer in, even after a change by an automation", async () => {
    const { acme, loyalty, clock, automate, template, createHolder, listRuns } = await openAutomatedShop(
      await adapters.memory(),
    );
    const { slug } = await acme.segments.create({
      name: "Lost",
      filter: { operator: "AND", conditions: [{ lastVisit: { beforeDays: 1 } }] },
      emitsEvents: true,
    });
    const trigger = { event: "pass.created" };
    await automate({ on: trigger, do: [{ addStamps: { templateId: template.id, count: 1 } }] });
    const id = await automate({ on: { segmentEntered: slug }, do: [{ assignTag: "gone" }] });
    const { user } = await createHolder();
    await loyalty.runAutomations();
    await loyalty.refreshSegments();
    for (let day = 0; day < 3; day += 1) {
      clock.move(DAY);
      await loyalty.refreshSegments();
      await loyalty.runAutomations();
    }
    expect(await listRuns(id)).toMatchObject([{ status: "DONE", userId: user.id }]);
  });

  it.each([
    ["within a day of that midnight", 0.9, [{ status: "DONE" }]],
    ["more than a day after that midnight", 1.1, [{ status: "SKIPPED", reason: "late" }]],
  ])("is due at the midnight when a customer entered, if the entry is found %s", async (_when, days, run) => {
    const { acme, loyalty, clock, automate, createHolder, listRuns } = await openAutomatedShop(
      await adapters.memory(),
    );
    const { slug } = await acme.segments.create({
      name: "Lost",
      filter: { operator: "AND", conditions: [{ lastVisit: { beforeDays: 1 } }] },
      emitsEvents: true,
    });
    const [now, later] = await Promise.all(
      [0, 3].map((after) => automate({ on: { segmentEntered: slug }, after, do: [{ assignTag: "gone" }] })),
    );
    const { card } = await createHolder();
    const midnight = Math.floor(clock.now / DAY) * DAY + 2 * DAY;
    await acme.stamps.add(card.id);
    await loyalty.refreshSegments();
    // Accepts the clock that jumped, as a person or a new process does.
    clock.now = midnight + days * DAY;
    await loyalty.refreshSegments({ acceptClock: true });
    await loyalty.runAutomations();
    expect(await listRuns(now ?? "")).toMatchObject(run.map((each) => ({ ...each, dueAt: midnight })));
    expect(await listRuns(later ?? "")).toMatchObject([{ status: "WAITING", dueAt: midnight + 3 * DAY }]);
  });

  it("evaluates segments in its filter as they are when it runs", async () => {
    const { acme, loyalty, automate, createCustomer, listRuns } = await openAutomatedShop(
      await adapters.memory(),
    );
    const { slug } = await acme.segments.create({
      name: "Best",
      filter: { operator: "AND", conditions: [{ slug: "vip" }] },
    });
    const filter = { operator: "NOT", conditions: [{ segment: slug }] };
    const id = await automate({ on: { event: "user.created" }, if: filter, do: [{ assignTag: "new" }] });
    const [ada, bob] = [await createCustomer(), await createCustomer()];
    await acme.tags.assign(bob.id, "vip");
    await loyalty.runAutomations();
    expect((await listRuns(id)).map(({ userId, status }) => [userId, status])).toEqual([
      [ada.id, "DONE"],
      [bob.id, "SKIPPED"],
    ]);
  });
});
