import { LoyaltyService, type Organization } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { Outbox } from "../../src/kernel/events/outbox.js";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const ofPhone = { operator: "AND", conditions: [{ field: { name: "phone", exists: true } }] } as const;

/** Kinds of readers of events, and how an organization gets each of them. */
const readers: Readonly<Record<string, (acme: Organization, loyalty: LoyaltyService) => Promise<unknown>>> = {
  "a webhook endpoint": (acme) => acme.webhooks.create({ url: "https://hooks.example" }),
  "a wallet": async (acme, loyalty) => {
    serviceInternals(loyalty)
      .createWalletBackend(0)
      .attachLinker(() => ({ apple: "https://shop.example", google: null }));
    const { id: templateId } = await acme.templates.create({ name: "Tea", type: "LOYALTY_CARD" });
    const { id } = await acme.passes.create(templateId, { user: { email: "ada@example.com" } });
    return acme.passes.walletLinks(id);
  },
  "an automation": async (acme) => {
    await acme.tags.create({ name: "New" });
    return acme.automations.create({
      name: "Welcome",
      on: { event: "user.created" },
      do: [{ assignTag: "new" }],
    });
  },
  "a segment that emits events": (acme) =>
    acme.segments.create({ name: "Vip", filter: ofPhone, emitsEvents: true }),
};

describe("a retention setting", () => {
  it.each([
    [
      "retention.idempotencyHours must be a whole number from 12 to 720",
      { retention: { idempotencyHours: 11 } },
    ],
    [
      "retention.idempotencyHours must be a whole number from 12 to 720",
      { retention: { idempotencyHours: 721 } },
    ],
    ["retention.deliveryDays must be a whole number from 1 to 3650", { retention: { deliveryDays: 0.5 } }],
    ["retention.eventDays must be a whole number from 1 to 3650", { retention: { eventDays: Number.NaN } }],
    ["retention.maxEvents must be a whole number from 1 to", { retention: { maxEvents: 0 } }],
  ])("is refused: %s", (message, options) => {
    const open = () => new LoyaltyService({ storage: memoryStorage(), ...options });
    expect(open).toThrow(RangeError);
    expect(open).toThrow(message);
  });
});

describe("the time of the last removal of old events", () => {
  it("is remembered for 10,000 organizations", () => {
    let now = 0;
    const outbox = new Outbox(
      memoryStorage(),
      () => now,
      () => {},
      { eventMs: DAY, maxEvents: 1 },
    );
    const isDue = (organization: string | number) => outbox.isCleanupDue(`${organization}`, 1, 2);
    expect([isDue("first"), isDue("second")]).toEqual([false, false]);
    for (let other = 0; other < 9_999; other += 1) isDue(other);
    now += HOUR;
    expect([isDue("second"), isDue("first")]).toEqual([true, false]);
  });
});

describe.each(everyAdapter)("events that are too old on $name", ({ open }) => {
  it("are removed within an hour of the next change, however few they are", async () => {
    const { acme, clock } = openAcme({ storage: await open(), retention: { eventDays: 1 } });
    const listTypes = async () => (await acme.events.list()).content.map(({ type }) => type);
    await acme.tags.create({ name: "VIP" });
    clock.move(DAY + 1);
    await acme.tags.update("vip", { name: "Guest" });
    await expect.poll(listTypes).toEqual(["user_tag.updated"]);
    clock.move(HOUR - 1);
    await acme.tags.delete("vip");
    expect(await listTypes()).toEqual(["user_tag.updated", "user_tag.deleted"]);
  });
});

describe.each(everyAdapter)("events beyond the maximum number on $name", ({ open }) => {
  async function openShop() {
    const shop = openAcme({ storage: await open(), retention: { maxEvents: 1 } });
    const { acme, clock } = shop;
    const listNames = async () => {
      const { content } = await acme.events.list({ types: ["user_tag.created"] });
      return content.map(({ data }) => ("name" in data ? data.name : null));
    };
    /** Creates tags and has old events removed, last in another organization, where nothing reads them. */
    const happen = async (names: readonly string[]) => {
      const globex = shop.loyalty.organization("globex");
      for (const name of names) await acme.tags.create({ name });
      await globex.tags.create({ name: "before" });
      clock.move(HOUR);
      for (const each of [acme, globex]) await each.tags.create({ name: "last" });
      await expect.poll(async () => (await globex.events.list()).content.length).toBe(1);
    };
    return { ...shop, listNames, happen };
  }

  it("are removed when no reader still has to read them", async () => {
    const { happen, listNames } = await openShop();
    await happen(["first", "second"]);
    await expect.poll(listNames).toEqual(["last"]);
  });

  it.each(Object.entries(readers))("stay until %s has read them", async (_name, addReader) => {
    const { acme, loyalty, happen, listNames } = await openShop();
    await addReader(acme, loyalty);
    await happen(["first", "second"]);
    expect(await listNames()).toEqual(["first", "second", "last"]);
  });

  it("stay as long as the slower of two readers hasn't read them", async () => {
    const { acme, happen, listNames } = await openShop();
    await acme.webhooks.create({ url: "https://hooks.example/slow" });
    await acme.tags.create({ name: "before" });
    await acme.webhooks.create({ url: "https://hooks.example" });
    await happen(["first"]);
    expect(await listNames()).toEqual(["before", "first", "last"]);
  });

  it("are removed when the only endpoint is disabled and has read the earlier ones", async () => {
    const { acme, happen, listNames } = await openShop();
    const { webhookEndpoint } = await acme.webhooks.create({ url: "https://hooks.example" });
    await acme.webhooks.update(webhookEndpoint.id, { isDisabled: true });
    await happen(["first", "second"]);
    await expect.poll(listNames).toEqual(["last"]);
  });
});
