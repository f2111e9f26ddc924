import { LoyaltyService, type Organization, type SegmentFilter, type StorageAdapter } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { serviceInternals } from "../../src/internals.js";
import { type EmittedEvent, recordEvents } from "../events/recorded-events.js";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { replaceTransactions } from "../kit/intercept-calls.js";
import { ManualClock } from "../kit/manual-clock.js";
import { sharedDatabases } from "../kit/shared-databases.js";
import { createEmittingSegment } from "./emitting.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const allOf = (...conditions: SegmentFilter["conditions"] & object): SegmentFilter => ({
  operator: "AND",
  conditions,
});

/** Customers who visited on the day itself. */
const today = allOf({ lastVisit: { withinDays: 0 } });

/** Opens an organization with a stamp card. */
async function openShop(storage: StorageAdapter) {
  const { loyalty, acme, clock } = openAcme({ storage });
  const midnight = clock.now;
  clock.move(HOUR);
  const { id: templateId } = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 5 });
  const save = (name: string, filter: SegmentFilter) => createEmittingSegment(acme, name, filter);
  return { storage, loyalty, acme, clock, midnight, templateId, save };
}

async function createHolder(acme: Organization, templateId: string) {
  const user = await acme.users.create({ email: someEmail() });
  return { user, pass: await acme.passes.create(templateId, { userId: user.id }) };
}

/** Describes the emitted events in order, with the segment, the time and the cause of each move. */
function describeEvents(events: readonly EmittedEvent[]): string[] {
  return events.map(({ type, data }) =>
    "because" in data ? `${type} ${data.segment.slug} ${data.at} ${data.because}` : type,
  );
}

const toIso = (ms: number) => new Date(ms).toISOString();

describe.each(everyAdapter)("entering and leaving segments, on $name", ({ open }) => {
  it("by a change is emitted by the next refresh: per customer, first leaving and then entering, older segments first", async () => {
    const { loyalty, acme, clock, templateId, save } = await openShop(await open());
    await save("one", allOf({ stamps: { templateId, min: 1 } }));
    await save("none", allOf({ stamps: { templateId, max: 0 } }));
    await save("some", allOf({ stamps: { templateId, min: 1, max: 2 } }));
    const [ada, bob] = [await createHolder(acme, templateId), await createHolder(acme, templateId)];
    await loyalty.refreshSegments();
    const events = recordEvents(loyalty);
    await acme.stamps.add(bob.pass.id);
    const ofBob = toIso(clock.now);
    clock.move(HOUR);
    await acme.stamps.add(ada.pass.id);
    const first = toIso(clock.now);
    clock.move(HOUR);
    await acme.stamps.add(ada.pass.id);
    const ofAda = toIso(clock.now);
    clock.move(HOUR);
    const changes = ["stamp.added", "stamp.added", "stamp.added"];
    expect(describeEvents(events)).toEqual(changes);
    expect(await loyalty.refreshSegments()).toMatchObject({ midnights: 0, entered: 4, left: 2 });
    expect(describeEvents(events)).toEqual([
      ...changes,
      ...[ofBob, ofAda].flatMap((at) => [
        `segment.left none ${at} change`,
        `segment.entered one ${at} change`,
        `segment.entered some ${at} change`,
      ]),
    ]);
    expect(first).not.toBe(ofAda);
    expect(await loyalty.refreshSegments()).toMatchObject({ midnights: 0, entered: 0, left: 0 });
  });

  it("is not emitted for a customer who enters and leaves between two refreshes", async () => {
    const { loyalty, acme, templateId, save } = await openShop(await open());
    await save("one", allOf({ stamps: { templateId, min: 1 } }));
    await save("none", allOf({ stamps: { templateId, max: 0 } }));
    const { pass } = await createHolder(acme, templateId);
    await loyalty.refreshSegments();
    const events = recordEvents(loyalty);
    await acme.stamps.add(pass.id);
    await acme.stamps.remove(pass.id);
    await loyalty.refreshSegments();
    expect(describeEvents(events)).toEqual(["stamp.added", "stamp.removed"]);
  });

  it("by time is emitted at the midnight, once", async () => {
    const { loyalty, acme, clock, midnight, templateId, save } = await openShop(await open());
    await save("today", today);
    const { pass } = await createHolder(acme, templateId);
    await acme.stamps.add(pass.id);
    await loyalty.refreshSegments();
    const events = recordEvents(loyalty);
    clock.move(DAY);
    expect(await loyalty.refreshSegments()).toEqual({
      midnights: 1,
      entered: 0,
      left: 1,
      isClockRejected: false,
    });
    expect(await loyalty.refreshSegments()).toEqual({
      midnights: 0,
      entered: 0,
      left: 0,
      isClockRejected: false,
    });
    expect(describeEvents(events)).toEqual([`segment.left today ${toIso(midnight + DAY)} time`]);
    const [{ actor, timestamp } = { actor: null, timestamp: null }] = events;
    expect(actor).toMatchObject({ kind: "worker", id: "segments" });
    expect(timestamp).toBe(toIso(clock.now));
  });

  it("emits the effect of time first when a change comes after a midnight that is run late", async () => {
    const { storage, loyalty, acme, clock, midnight, templateId, save } = await openShop(await open());
    await acme.tags.create({ name: "VIP" });
    const id = await save("today", today);
    await save("vip", allOf({ slug: "vip" }));
    const { user, pass } = await createHolder(acme, templateId);
    await acme.stamps.add(pass.id);
    await loyalty.refreshSegments();
    const events = recordEvents(loyalty);
    clock.move(DAY);
    serviceInternals(loyalty).now();
    clock.move(DAY);
    await acme.tags.assign(user.id, "vip");
    expect(await loyalty.refreshSegments()).toEqual({
      ...{ midnights: 2, entered: 1, left: 1 },
      isClockRejected: false,
    });
    expect(describeEvents(events)).toEqual([
      "user_tag.assigned",
      `segment.left today ${toIso(midnight + DAY)} time`,
      `segment.entered vip ${toIso(clock.now)} change`,
    ]);
    const [{ ordinal } = { ordinal: -1 }] = await runStep(storage.reader("acme").usersById([user.id]));
    expect((await runStep(storage.reader("acme").segmentMembers(id))).has(ordinal)).toBe(false);
  });

  it("emits the effect of a change first if it came before a midnight, even if it is read after it", async () => {
    const { loyalty, acme, clock, midnight, templateId, save } = await openShop(await open());
    await save("today", today);
    const { pass } = await createHolder(acme, templateId);
    await loyalty.refreshSegments();
    const events = recordEvents(loyalty);
    await acme.stamps.add(pass.id);
    const at = toIso(clock.now);
    clock.move(DAY);
    expect(await loyalty.refreshSegments()).toMatchObject({ midnights: 1, entered: 1, left: 1 });
    expect(describeEvents(events)).toEqual([
      "stamp.added",
      `segment.entered today ${at} change`,
      `segment.left today ${toIso(midnight + DAY)} time`,
    ]);
  });

  it("at exactly midnight emits the effect of time first, then that of the change", async () => {
    const { loyalty, acme, clock, midnight, templateId, save } = await openShop(await open());
    await save("came", allOf({ lastVisit: { beforeDays: 0 } }));
    await save("two", allOf({ stamps: { templateId, min: 2 } }));
    const { pass } = await createHolder(acme, templateId);
    await acme.stamps.add(pass.id);
    await loyalty.refreshSegments();
    const events = recordEvents(loyalty);
    clock.now = midnight + DAY;
    await acme.stamps.set(pass.id, { stamps: 2 });
    await loyalty.refreshSegments();
    expect(describeEvents(events)).toEqual([
      "stamp.set",
      `segment.entered came ${toIso(clock.now)} time`,
      `segment.entered two ${toIso(clock.now)} change`,
    ]);
  });

  it("is emitted for customers who are created or imported, unless the import emits none or a summary", async () => {
    const { storage, loyalty, acme, clock, templateId, save } = await openShop(await open());
    const id = await save("untagged", { operator: "NOT", conditions: [{ slug: "vip" }] });
    const stamped = await save("stamped", allOf({ stamps: { templateId, min: 1 } }));
    const events = recordEvents(loyalty);
    await acme.users.create({ email: someEmail() });
    await acme.users.import([{ email: someEmail() }]);
    await loyalty.refreshSegments();
    const expectedTypes = [
      ...["user.created", "user.created"],
      ...[
        `segment.entered untagged ${toIso(clock.now)} change`,
        `segment.entered untagged ${toIso(clock.now)} change`,
      ],
    ];
    expect(describeEvents(events)).toEqual(expectedTypes);
    const createRows = () => [{ email: someEmail(), passes: [{ templateId, stamps: 1 }] }];
    await acme.passes.import(createRows(), { emit: "none" });
    await acme.passes.import(createRows(), { emit: "summary" });
    expect(await loyalty.refreshSegments()).toMatchObject({ entered: 0, left: 0 });
    expect(describeEvents(events)).toEqual([...expectedTypes, "import.completed"]);
    const count = async (segmentId: string) =>
      (await runStep(storage.reader("acme").segmentMembers(segmentId))).count();
    expect([await count(id), await count(stamped)]).toEqual([4, 2]);
    expect(await runStep(storage.reader("acme").silentChanges(10))).toEqual([]);
  });

  it("is emitted when a customer loses a pass or a tag, but not when one is deleted", async () => {
    const { storage, loyalty, acme, clock, templateId, save } = await openShop(await open());
    await acme.tags.create({ name: "VIP" });
    const vip = await save("vip", allOf({ slug: "vip" }));
    await save("held", allOf({ stamps: { templateId } }));
    const { user, pass } = await createHolder(acme, templateId);
    const other = await acme.users.create({ email: someEmail() });
    await acme.tags.assignUsers("vip", { userIds: [user.id, other.id] });
    await loyalty.refreshSegments();
    const events = recordEvents(loyalty);
    await acme.users.delete(other.id);
    expect((await runStep(storage.reader("acme").segmentMembers(vip))).count()).toBe(1);
    await acme.passes.delete(pass.id);
    await loyalty.refreshSegments();
    await acme.tags.delete("vip");
    await loyalty.refreshSegments();
    const at = toIso(clock.now);
    expect(describeEvents(events)).toEqual([
      "user.deleted",
      ...["pass.revoked", `segment.left held ${at} change`],
      ...["user_tag.unassigned", "user_tag.deleted", `segment.left vip ${at} change`],
    ]);
    expect((await runStep(storage.reader("acme").segmentMembers(vip))).count()).toBe(0);
  });

  it("is not emitted for customers who are deleted or erased before a midnight is run", async () => {
    const { loyalty, acme, clock, templateId, save } = await openShop(await open());
    await save("today", today);
    const [ada, bob, cat] = [
      await createHolder(acme, templateId),
      await createHolder(acme, templateId),
      await createHolder(acme, templateId),
    ];
    for (const { pass } of [ada, bob, cat]) await acme.stamps.add(pass.id);
    await loyalty.refreshSegments();
    const events = recordEvents(loyalty);
    clock.move(DAY);
    await acme.users.delete(ada.user.id);
    await acme.users.erase(bob.user.id);
    expect(await loyalty.refreshSegments()).toMatchObject({ midnights: 1, left: 1 });
    const userIds = events.flatMap(({ data }) => ("because" in data ? [data.userId] : []));
    expect(userIds).toEqual([cat.user.id]);
  });

  it("considers all writes of one change together, even if each moves the customer between other segments", async () => {
    const { loyalty, acme, clock, templateId, save } = await openShop(await open());
    await acme.tags.create({ name: "VIP" });
    await save("come", allOf({ lastVisit: { withinDays: 3 } }));
    await save("never", allOf({ lastVisit: { never: true } }));
    await save("two", allOf({ stamps: { templateId, min: 2 } }));
    await save("one", allOf({ stamps: { templateId, min: 1, max: 1 } }));
    await save("vip", allOf({ slug: "vip" }, { stamps: { templateId, min: 2 } }));
    await save("full", allOf({ rewards: { templateId } }));
    const addStamps = { templateId, count: 1 };
    await acme.automations.create({
      name: "Welcome",
      on: { event: "pass.created" },
      do: [{ addStamps }, { assignTag: "vip" }, { addStamps }, { addStamps: { templateId, count: 3 } }],
    });
    const user = await acme.users.create({ email: someEmail() });
    await acme.passes.create(templateId, { userId: user.id });
    await loyalty.refreshSegments();
    const events = recordEvents(loyalty);
    await loyalty.runAutomations();
    await loyalty.refreshSegments();
    const at = toIso(clock.now);
    expect(describeEvents(events).filter((line) => line.startsWith("segment."))).toEqual([
      `segment.left never ${at} change`,
      `segment.entered come ${at} change`,
      `segment.entered full ${at} change`,
    ]);
  });

  it("is counted for each local day, with the members at its end", async () => {
    const { storage, loyalty, acme, clock, midnight, templateId, save } = await openShop(await open());
    const id = await save("today", today);
    const { pass } = await createHolder(acme, templateId);
    await acme.stamps.add(pass.id);
    clock.move(DAY);
    await loyalty.refreshSegments();
    const day = midnight / DAY;
    expect(await runStep(storage.reader("acme").segmentDays(id, day, day + 1))).toEqual([
      { segmentId: id, day, members: 1, entered: 1, left: 0 },
      { segmentId: id, day: day + 1, members: null, entered: 0, left: 1 },
    ]);
  });

  it("continues after a sweep that was killed between two slices, and emits each move once", async () => {
    const storage = await open();
    const { loyalty, acme, clock, templateId, save } = await openShop(storage);
    const id = await save("today", today);
    const rows = Array.from({ length: 2_300 }, () => ({
      email: someEmail(),
      passes: [{ templateId, stamps: 1, lastStampAt: toIso(clock.now) }],
    }));
    await acme.passes.import(rows, { emit: "none" });
    await loyalty.refreshSegments();
    clock.move(DAY);
    let transactions = 0;
    const dying = replaceTransactions(storage, async (organizationId, work, options) => {
      transactions += 1;
      if (transactions >= 4) throw new Error("killed");
      return storage.transaction(organizationId, work, options);
    });
    const killed = new LoyaltyService({ storage: dying, clock: clock.read, onError: () => {} });
    const toldBefore = recordEvents(killed);
    await expect(killed.refreshSegments()).rejects.toThrow("killed");
    const events = recordEvents(loyalty);
    const { midnights, left } = await loyalty.refreshSegments();
    expect([midnights, left + toldBefore.length]).toEqual([1, 2_300]);
    expect(toldBefore).toHaveLength(1_000);
    const movedUserIds = [...toldBefore, ...events].map(({ data }) =>
      "userId" in data ? data.userId : null,
    );
    expect(new Set(movedUserIds).size).toBe(2_300);
    expect((await runStep(storage.reader("acme").segmentMembers(id))).count()).toBe(0);
  });
});

describe.each(Object.entries(sharedDatabases))("two processes on one %s", (_name, place) => {
  it("emit each move once when they sweep at the same time while customers come", async () => {
    const open = await place();
    const clock = new ManualClock();
    const storages = [await open(), await open()];
    const services = storages.map((storage) => new LoyaltyService({ storage, clock: clock.read }));
    const [service] = services;
    if (service === undefined) throw new RangeError("there are two");
    const acme = service.organization("acme");
    const { id: templateId } = await acme.templates.create({
      name: "Card",
      type: "STAMP_CARD",
      maxStamps: 5,
    });
    await createEmittingSegment(acme, "today", today);
    const passes: string[] = [];
    for (let index = 0; index < 30; index += 1) passes.push((await createHolder(acme, templateId)).pass.id);
    const events = services.map((each) => recordEvents(each));
    const addStamps = (some: readonly string[]) =>
      Promise.all(some.map((pass, nth) => services[nth % 2]?.organization("acme").stamps.add(pass)));
    await addStamps(passes);
    await Promise.all(services.map((each) => each.refreshSegments()));
    clock.move(DAY);
    await Promise.all(services.map((each) => each.refreshSegments()));
    await Promise.all([...services.map((each) => each.refreshSegments()), addStamps(passes.slice(0, 10))]);
    await Promise.all(services.map((each) => each.refreshSegments()));
    const segmentEvents = events.flat().filter(({ type }) => type.startsWith("segment."));
    const countOfType = (type: string) => segmentEvents.filter((each) => each.type === type).length;
    expect([countOfType("segment.entered"), countOfType("segment.left")]).toEqual([40, 30]);
    for (const each of services) await each.close();
  });
});

describe("a clock that jumps", () => {
  /** Opens a service whose customer visited on the first day. */
  async function openJumping() {
    const storage = memoryStorage();
    const clock = new ManualClock();
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const loyalty = new LoyaltyService({ storage, clock: clock.read, onError });
    const acme = loyalty.organization("acme");
    const { id: templateId } = await acme.templates.create({
      name: "Card",
      type: "STAMP_CARD",
      maxStamps: 5,
    });
    await createEmittingSegment(acme, "today", today);
    const { pass } = await createHolder(acme, templateId);
    await acme.stamps.add(pass.id);
    await loyalty.refreshSegments();
    return { storage, clock, errors, loyalty, acme, pass, heard: recordEvents(loyalty) };
  }

  it("by more than a day runs no midnight, and is reported once", async () => {
    const { clock, errors, loyalty, acme, pass, heard } = await openJumping();
    clock.move(5 * DAY);
    const nothing = { midnights: 0, entered: 0, left: 0, isClockRejected: true };
    expect(await loyalty.refreshSegments()).toEqual(nothing);
    await acme.stamps.add(pass.id);
    expect(await loyalty.refreshSegments()).toEqual(nothing);
    expect(heard.map(({ type }) => type)).toEqual(["stamp.added"]);
    expect(errors.map(String)).toEqual([expect.stringContaining("segment refresh --accept-clock")]);
    expect(serviceInternals(loyalty).isClockRejected).toBe(true);
  });

  it("is followed again when it is back, when it is accepted, and in another process that starts", async () => {
    const back = await openJumping();
    back.clock.move(5 * DAY);
    await back.loyalty.refreshSegments();
    back.clock.move(-4 * DAY);
    expect(await back.loyalty.refreshSegments()).toMatchObject({
      midnights: 1,
      left: 1,
      isClockRejected: false,
    });

    const accepted = await openJumping();
    accepted.clock.move(5 * DAY);
    await accepted.loyalty.refreshSegments();
    const result = await accepted.loyalty.refreshSegments({ acceptClock: true });
    expect(result).toEqual({ midnights: 5, entered: 0, left: 1, isClockRejected: false });

    const { storage, clock, loyalty } = await openJumping();
    clock.move(5 * DAY);
    await loyalty.refreshSegments();
    const restarted = new LoyaltyService({ storage, clock: clock.read });
    expect(await restarted.refreshSegments()).toMatchObject({
      midnights: 5,
      left: 1,
      isClockRejected: false,
    });
    expect(await loyalty.refreshSegments()).toMatchObject({ midnights: 0, isClockRejected: false });
  });
});
