import { LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { Outbox } from "../../src/kernel/events/outbox.js";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe("how long what is kept", () => {
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

describe("when organizations were looked at for old events", () => {
  it("is known of 10,000 of them", () => {
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
  it("go within an hour of the next change, however few there are", async () => {
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
