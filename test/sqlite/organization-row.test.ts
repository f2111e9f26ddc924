import { LoyaltyService } from "loyalty-kit";
import { checkStorage, copyStorage } from "loyalty-kit/storage";
import { describe, expect, it } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { open, otherProgram } from "./open-storage.js";
import { createTemporaryFile } from "./temporary-file.js";

const MINUTE = 60_000;

/** Opens an organization with a stamp card, whose clock stands still. */
async function openFileShop() {
  const file = createTemporaryFile();
  const storage = await open(file);
  const clock = { now: Date.parse("2026-06-10T12:00:00Z") };
  const options = { storage, clock: () => clock.now };
  const acme = new LoyaltyService(options).organization("acme");
  const { id: userId } = await acme.users.create({ email: "ada@example.com" });
  await acme.tags.create({ name: "VIP" });
  const { id: templateId } = await acme.templates.create({
    name: "Coffee",
    type: "STAMP_CARD",
    maxStamps: 10,
  });
  const { id: card } = await acme.passes.create(templateId, { userId });
  const other = otherProgram(file);
  const readRow = () => other.prepare("select * from loyalty_organizations").get();
  const countStampsToday = async (of = acme) => (await of.statistics.get()).days.at(-1)?.stamps;
  return { file, storage, clock, acme, userId, card, other, row: readRow, countStampsToday };
}

describe("the row of an organization", () => {
  it("has the newest position and the day's counts after each change", async () => {
    const { clock, acme, userId, card, row, countStampsToday, storage } = await openFileShop();
    await acme.stamps.add(card, { count: 3 });
    await acme.tags.assign(userId, "vip");
    await acme.stamps.add(card, { count: 2 });
    expect(await countStampsToday()).toBe(5);
    const position = await runStep(storage.reader("acme").newestEventPosition());
    expect(row()).toMatchObject({ newest_event_position: position });
    expect((await acme.events.list()).content).toHaveLength(position);
    clock.now += MINUTE;
    await acme.stamps.add(card);
    expect(row()).toMatchObject({ newest_event_position: position + 1 });
    expect(await countStampsToday()).toBe(6);
    expect(await checkStorage(storage)).toEqual([]);
  });

  it("is shared by all storages on the file, which continue from it", async () => {
    const { file, storage, clock, acme, card, countStampsToday } = await openFileShop();
    await acme.stamps.add(card, { count: 3 });
    const position = await runStep(storage.reader("acme").newestEventPosition());
    const second = await open(file);
    const there = new LoyaltyService({ storage: second, clock: () => clock.now }).organization("acme");
    await there.stamps.add(card, { count: 4 });
    await acme.stamps.add(card);
    for (const one of [storage, second]) {
      expect(await runStep(one.reader("acme").newestEventPosition())).toBe(position + 2);
    }
    for (const one of [acme, there]) expect(await countStampsToday(one)).toBe(8);
    expect(await checkStorage(second)).toEqual([]);
  });

  it("stays correct after the newest event is removed", async () => {
    const { storage, clock, acme, card, other, countStampsToday } = await openFileShop();
    await acme.stamps.add(card, { count: 3 });
    const position = await runStep(storage.reader("acme").newestEventPosition());
    const all = { since: clock.now + 1, atMost: 0 };
    await storage.transaction("acme", (tx) => tx.removeEvents(all, { after: 0, limit: 1_000 }));
    expect(other.prepare("select count(*) from loyalty_events").pluck().get()).toBe(0);
    expect(await runStep(storage.reader("acme").newestEventPosition())).toBe(position);
    expect(await countStampsToday()).toBe(3);
    await acme.stamps.add(card);
    expect((await acme.events.list()).content).toHaveLength(1);
    expect(await runStep(storage.reader("acme").newestEventPosition())).toBe(position + 1);
    expect(await countStampsToday()).toBe(4);
  });

  it("also has the newest user, after whom the next ordinal is assigned", async () => {
    const { file, storage, clock, acme, row, userId } = await openFileShop();
    const emails = ["bob", "cyd", "dan"].map((name) => `${name}@example.com`);
    for (const email of emails) await acme.users.create({ email });
    const second = await open(file);
    const there = new LoyaltyService({ storage: second, clock: () => clock.now }).organization("acme");
    const newest = await there.users.create({ email: "eve@example.com" });
    expect(await checkStorage(second)).toEqual([]);
    await acme.users.delete(newest.id);
    const { ordinal, newest: newestUser } = await second.transaction("acme", (tx) => tx.nextUser());
    expect([ordinal, newestUser?.id]).toEqual([5, newest.id]);
    const last = await acme.users.create({ email: "fay@example.com" });
    expect((await runStep(storage.reader("acme").findUser(last.id)))?.ordinal).toBe(5);
    const all = { since: clock.now + 1, atMost: 0 };
    await storage.transaction("acme", (tx) => tx.removeEvents(all, { after: 0, limit: 1_000 }));
    expect(row()).toMatchObject({ next_user_ordinal: 6, newest_user_id: last.id });
    await acme.users.delete(userId);
    const next = await there.users.create({ email: "gil@example.com" });
    expect((await runStep(second.reader("acme").findUser(next.id)))?.ordinal).toBe(6);
    expect((await there.contacts.list({ search: "gil@" })).totalElements).toBe(1);
    for (const one of [storage, second]) expect(await checkStorage(one)).toEqual([]);
  });

  it("is copied, and the copy continues from it", async () => {
    const { storage, acme, userId } = await openFileShop();
    const newest = await acme.users.create({ email: "bob@example.com" });
    await acme.users.delete(newest.id);
    await acme.stamps.add((await acme.passes.ofUser(userId))[0]?.id ?? "");
    const copied = await open(createTemporaryFile());
    await copyStorage(storage, copied);
    expect((await copied.transaction("acme", (tx) => tx.nextUser())).ordinal).toBe(2);
    expect(await checkStorage(copied)).toEqual([]);
  });

  it("assigns no ordinal twice after a check repaired lost counters", async () => {
    const { storage, acme, other } = await openFileShop();
    await acme.users.create({ email: "bob@example.com" });
    other.exec("update loyalty_organizations set next_user_ordinal = 1, newest_user_created_at = 1");
    const finding = { organizationId: "acme", kind: "counters", isRepaired: true };
    expect(await checkStorage(storage, { repair: true })).toEqual(
      expect.arrayContaining([
        { ...finding, about: "next_user_ordinal" },
        { ...finding, about: "newest_user" },
      ]),
    );
    expect((await storage.transaction("acme", (tx) => tx.nextUser())).ordinal).toBe(2);
    await acme.users.create({ email: "cyd@example.com" });
    expect(await checkStorage(storage)).toEqual([]);
  });

  it("lets workers find queues that follow events", async () => {
    const { storage, clock, acme, card } = await openFileShop();
    const { id } = (await acme.webhooks.create({ url: "https://hooks.example" })).webhookEndpoint;
    const listEndpointsWithWork = () =>
      runStep(storage.all.endpointsWithDueWork(clock.now, 10, clock.now - MINUTE));
    expect(await listEndpointsWithWork()).toEqual([]);
    await acme.stamps.add(card);
    expect(await listEndpointsWithWork()).toMatchObject([{ organizationId: "acme", endpointId: id }]);
  });

  it("is repaired by a check if its counts are lost", async () => {
    const { storage, clock, acme, card, other, countStampsToday } = await openFileShop();
    await acme.stamps.add(card, { count: 3 });
    other.exec("update loyalty_organizations set current_day_counts = null");
    expect(await countStampsToday()).toBe(0);
    const day = "2026-06-10";
    for (const isRepaired of [false, true]) {
      const finding = { organizationId: "acme", kind: "statistics", isRepaired };
      expect(await checkStorage(storage, { repair: isRepaired })).toEqual([
        { ...finding, about: `members of ${day}` },
        { ...finding, about: `cards of ${day}` },
        { ...finding, about: `stamps of ${day}` },
        { ...finding, about: `visitsAt${new Date(clock.now).getUTCHours()} of ${day}` },
      ]);
    }
    expect(await countStampsToday()).toBe(3);
    expect(await checkStorage(storage)).toEqual([]);
  });

  it("keeps the day's counts when a check raises the position above the newest event", async () => {
    const { storage, acme, card, other, countStampsToday } = await openFileShop();
    await acme.webhooks.create({ url: "https://hooks.example" });
    await acme.stamps.add(card, { count: 3 });
    other.exec("update loyalty_webhook_endpoints set position = 9000");
    const finding = { organizationId: "acme", kind: "counters", about: "newest_event_position" };
    expect(await checkStorage(storage, { repair: true })).toEqual([{ ...finding, isRepaired: true }]);
    expect(await countStampsToday()).toBe(3);
    await acme.stamps.add(card);
    expect(await runStep(storage.reader("acme").newestEventPosition())).toBe(9_001);
    expect(await countStampsToday()).toBe(4);
  });
});
