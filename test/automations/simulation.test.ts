import { LoyaltyService } from "loyalty-kit";
import { expect, it } from "vitest";
import { scheduleDateChecks } from "../../src/automations/automations.js";
import { createCallContext, Tenant } from "../../src/kernel/tenant.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { storedSeeds } from "../properties/runs.js";
import { DAY, HOUR, openAutomatedShop } from "./automated-shop.js";
import { type Customer, Oracle, type SimulatedAction, type SimulatedAutomation, STAMPS } from "./oracle.js";

/** Creates a seeded generator of numbers from 0 to below `limit`. */
function createRandom(seed: number) {
  let state = seed * 2_654_435_761 + 1;
  return (limit: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b_3c6d) + 0x9e37_79b9) | 0;
    state ^= state >>> 13;
    return (state >>> 0) % limit;
  };
}

type Numbers = ReturnType<typeof createRandom>;

function pickItem<Item>(number: Numbers, items: readonly [Item, ...Item[]]): Item {
  return items[number(items.length)] ?? items[0];
}

const BIRTHDAYS = ["05-02", "05-04", "05-05", "05-09", "02-29"] as const;

function createSomeAutomation(number: Numbers): Omit<SimulatedAutomation, "id"> {
  const actions = Array.from({ length: 1 + number(2) }, (): SimulatedAction => {
    const kind = number(10);
    if (kind < 4) return { assignTag: "new" };
    if (kind < 6) return { unassignTag: "new" };
    return kind === 9 ? { assignTag: "nothing" } : { addStamps: 1 + number(3) };
  });
  return {
    on: pickItem<SimulatedAutomation["on"]>(number, [
      { event: "user.created" },
      { event: "stamp.added" },
      { event: "stamp.added", toGo: 2 },
      { event: "stamp_card.completed" },
      { birthdays: number(3) },
    ]),
    tag: pickItem(number, [null, "vip"]),
    after: pickItem(number, [0, 0, 0, 1, 2]),
    per: pickItem<SimulatedAutomation["per"]>(number, [
      "once",
      "occasion",
      "occasion",
      { everyDays: 1 + number(3) },
    ]),
    do: actions,
  };
}

const withDateOption = (trigger: SimulatedAutomation["on"]) =>
  "birthdays" in trigger
    ? { date: { metadata: ["birthday"], daysBefore: trigger.birthdays, at: "12:00" } }
    : trigger;

/** Runs a random history of a shop, and compares each customer and run with the oracle after each step. */
async function simulate(open: (typeof everyAdapter)[number]["open"], seed: number, steps: number) {
  const number = createRandom(seed);
  const shop = await openAutomatedShop(await open());
  const { acme, automate, clock, loyalty, storage, template, listRuns, listTagSlugs } = shop;
  clock.now = Date.UTC(2026, 4, 1, 9);
  const other = new LoyaltyService({ storage, clock: clock.read });
  const automations: SimulatedAutomation[] = [];
  for (let count = 1 + number(4); count > 0; count -= 1) {
    const automationInput = createSomeAutomation(number);
    const filter =
      automationInput.tag === null
        ? undefined
        : { operator: "AND", conditions: [{ slug: automationInput.tag }] };
    const actions = automationInput.do.map((action) =>
      "addStamps" in action ? { addStamps: { templateId: template.id, count: action.addStamps } } : action,
    );
    const { after, per } = automationInput;
    const id = await automate({
      on: withDateOption(automationInput.on),
      after,
      per,
      do: actions,
      ...(filter && { if: filter }),
    });
    automations.push({ ...automationInput, id });
  }
  const tenant = new Tenant(Reflect.get(loyalty, "engine"), "acme", "all", createCallContext());
  await storage.transaction("acme", function* (tx) {
    for (const automation of yield* tx.listAutomations()) yield* scheduleDateChecks(tenant, tx, automation);
  });
  const oracle = new Oracle(automations, clock.now);
  const cards = new Map<Customer, string>();
  for (let step = 0; step < steps; step += 1) {
    const at = clock.now;
    const customer = oracle.customers[number(Math.max(1, oracle.customers.length))];
    const kind = number(10);
    if (customer === undefined || kind === 0) {
      const birthday = pickItem(number, BIRTHDAYS);
      const { id } = await acme.users.create({
        email: `someone-${step}@example.com`,
        metadata: { birthday: `2000-${birthday}` },
      });
      const newCustomer: Customer = { id, tags: new Set(), stamps: number(3) === 0 ? null : 0, birthday };
      oracle.customers.push(newCustomer);
      oracle.recordEvent("user.created", newCustomer, null, at);
      if (newCustomer.stamps !== null)
        cards.set(newCustomer, (await acme.passes.create(template.id, { userId: id })).id);
    } else if (kind === 1 && number(4) === 0) {
      await acme.users.delete(customer.id);
      oracle.delete(customer);
    } else if (kind <= 3) {
      const isVip = customer.tags.has("vip");
      if (isVip) await acme.tags.unassign(customer.id, "vip");
      else await acme.tags.assign(customer.id, "vip");
      if (isVip) customer.tags.delete("vip");
      else customer.tags.add("vip");
    } else {
      const card = cards.get(customer);
      const count = 1 + number(STAMPS - 1);
      if (card !== undefined) await acme.stamps.add(card, { count });
      oracle.addStamps(customer, count, at, true);
    }
    clock.move(pickItem(number, [1, 20 * 60_000, HOUR, 5 * HOUR, DAY - 1, DAY, 30 * HOUR, 2 * DAY]));
    if (number(5) === 0) continue;
    await (number(2) === 0 ? loyalty : other).runAutomations();
    oracle.run(clock.now);
    const position = `seed ${seed}, step ${step}`;
    for (const { id, tags, ...known } of oracle.customers) {
      expect(await listTagSlugs(id), position).toEqual([...tags].sort());
      const [pass] = await acme.passes.ofUser(id);
      expect(pass?.stampProgress?.currentStamps ?? null, position).toBe(known.stamps);
    }
    for (const automation of automations) {
      const real = (await listRuns(automation.id)).map(({ userId, status, reason }) => [
        userId,
        status,
        reason,
      ]);
      const expected = oracle.runs.filter((run) => run.automation === automation);
      const expectedRuns = expected.map(({ customer, status, reason }) => [customer.id, status, reason]);
      expect(real.map(String).sort(), `${position}, ${JSON.stringify(automation)}`).toEqual(
        expectedRuns.map(String).sort(),
      );
    }
  }
}

it.each(everyAdapter)(
  "automations behave like a simple model of them, on $name",
  async ({ name, open }) => {
    for (const seed of storedSeeds(name === "memory" ? 40 : 5)) await simulate(open, seed, 60);
  },
  120_000,
);
