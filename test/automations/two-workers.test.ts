import type { CreateAutomation, UpdateAutomation } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";
import { overtake } from "../kit/overtake.js";
import { openAutomatedShop } from "./automated-shop.js";

const MINUTE = 60_000;

const welcome = {
  name: "Welcome",
  on: { event: "user.created" },
  do: [{ assignTag: "new" }],
} satisfies CreateAutomation;

/** Opens a shop with a second process, which is slow. */
async function openShop() {
  const storage = memoryStorage();
  const shop = await openAutomatedShop(storage);
  const overtaken = overtake(storage);
  const { loyalty: slow } = openAcme({ storage: overtaken.storage, clock: shop.clock.read });
  return { ...shop, ...overtaken, slow };
}

describe("the slower of two automation workers", () => {
  it("doesn't overwrite a run that it failed if another worker has finished it", async () => {
    const { acme, loyalty, template, clock, slow, afterFailure, createCustomer } = await openShop();
    const addStamps = { templateId: template.id, count: 1 };
    const { id } = await acme.automations.create({ ...welcome, do: [{ addStamps }] });
    const ada = await createCustomer();
    afterFailure(async () => {
      await acme.passes.create(template.id, { userId: ada.id });
      clock.move(MINUTE);
      await loyalty.runAutomations();
    });
    await slow.runAutomations();
    expect((await acme.automations.runs(id)).content).toMatchObject([{ status: "DONE", reason: null }]);
  });

  it("continues with events newer than those that another worker has processed", async () => {
    const { loyalty, acme, slow, beforeNext, createCustomer, listTagSlugs } = await openShop();
    await acme.automations.create(welcome);
    await createCustomer();
    let late = "";
    beforeNext(async () => {
      await loyalty.runAutomations();
      late = (await createCustomer()).id;
    });
    await slow.runAutomations();
    expect(await listTagSlugs(late)).toEqual(["new"]);
  });

  it("starts no run of an automation that was disabled after it read the events", async () => {
    const { acme, slow, beforeNext, createCustomer } = await openShop();
    const { id } = await acme.automations.create(welcome);
    await createCustomer();
    beforeNext(() => acme.automations.update(id, { isEnabled: false }));
    await slow.runAutomations();
    expect((await acme.automations.runs(id)).content).toEqual([]);
  });

  it("starts no run of an automation that was re-enabled or got another trigger after it read the events", async () => {
    const { acme, slow, beforeNext, createCustomer } = await openShop();
    const { id } = await acme.automations.create(welcome);
    await createCustomer();
    beforeNext(async () => {
      await acme.automations.update(id, { isEnabled: false });
      await acme.automations.update(id, { isEnabled: true });
    });
    await slow.runAutomations();
    await createCustomer();
    beforeNext(() => acme.automations.update(id, { on: { event: "stamp.added" } }));
    await slow.runAutomations();
    expect((await acme.automations.runs(id)).content).toEqual([]);
  });

  it.each<[string, UpdateAutomation]>([
    ["has been disabled", { isEnabled: false }],
    ["has been moved to another date", { on: { date: { metadata: ["nameDay"], at: "09:00" } } }],
  ])(
    "starts no run on a date for an automation that %s since the worker read it",
    async (_change, change) => {
      const { acme, slow, clock, beforeNext, createCustomer } = await openShop();
      clock.now = Date.parse("2026-03-01T08:00:00Z");
      const on = { date: { metadata: ["birthday"], at: "09:00" } };
      const { id } = await acme.automations.create({ ...welcome, on });
      await createCustomer({ birthday: "1990-03-01", nameDay: "1990-03-02" });
      await slow.runAutomations();
      clock.now = Date.parse("2026-03-01T09:00:00Z");
      beforeNext(() => acme.automations.update(id, change));
      await slow.runAutomations();
      expect((await acme.automations.runs(id)).content).toEqual([]);
    },
  );
});
