import { LoyaltyService, type Organization, type SegmentFilter, type StorageAdapter } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { serviceInternals } from "../../src/internals.js";
import { recordEvents } from "../events/recorded-events.js";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { interceptCalls, replaceTransactions } from "../kit/intercept-calls.js";
import { ManualClock } from "../kit/manual-clock.js";
import { getErrorDetail } from "../kit/refusal.js";
import { createEmittingSegment } from "./emitting.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const allOf = (...conditions: SegmentFilter["conditions"] & object): SegmentFilter => ({
  operator: "AND",
  conditions,
});

const vips = allOf({ slug: "vip" });
const young = allOf({ joined: { withinDays: 0 } });

const createUser = async (acme: Organization, ...tags: string[]) => {
  const { id } = await acme.users.create({ email: someEmail() });
  for (const tag of tags) await acme.tags.assign(id, tag);
  return id;
};

const listMoves = async (storage: StorageAdapter) => {
  const events = await runStep(
    storage.reader("acme").listEvents(["segment.entered", "segment.left"], 0, 1_000),
  );
  return events.map(({ type, data }) => {
    const { segment, userId, because, at } = JSON.parse(data);
    return { type, slug: segment.slug, userId, because, at };
  });
};

const listMembers = async (storage: StorageAdapter, slug: string) => {
  const segment = await runStep(storage.reader("acme").findSegment(slug));
  return (await runStep(storage.reader("acme").segmentMembers(segment?.id ?? ""))).count();
};

describe.each(everyAdapter)("a refresh of segments, on $name", ({ open }) => {
  async function openTagShop(options: Partial<ConstructorParameters<typeof LoyaltyService>[0]> = {}) {
    const storage = await open();
    const shop = openAcme({ ...options, storage });
    await shop.acme.tags.create({ name: "VIP" });
    return { ...shop, storage };
  }

  it("emits a move with the time and the actor of the customer's newest change", async () => {
    const { acme, loyalty, clock } = await openTagShop();
    await createEmittingSegment(acme, "vips", vips);
    const till = loyalty.organization("acme", { actor: { kind: "console", id: "till-1", subject: "eve" } });
    const id = await createUser(acme, "vip");
    clock.move(HOUR);
    await till.users.update(id, { name: "Ada" });
    const at = clock.timestamp;
    clock.move(HOUR);
    await createUser(acme);
    await loyalty.refreshSegments();
    const [entered] = (await acme.events.list({ types: ["segment.entered"] })).content;
    expect(entered).toMatchObject({
      actor: { kind: "console", id: "till-1", subject: "eve" },
      data: { userId: id, at, because: "change" },
      timestamp: clock.timestamp,
    });
  });

  it("emits the name that a concurrent change gave the segment", async () => {
    const storage = await open();
    const rename = { now: async () => {} };
    const racing = replaceTransactions(storage, async (organizationId, work, options) => {
      const before = rename.now;
      rename.now = async () => {};
      await before();
      return storage.transaction(organizationId, work, options);
    });
    const { acme, clock } = openAcme({ storage });
    await acme.tags.create({ name: "VIP" });
    await createEmittingSegment(acme, "vips", vips);
    await createUser(acme, "vip");
    const slow = new LoyaltyService({ storage: racing, clock: clock.read });
    rename.now = async () => void (await acme.segments.update("vips", { name: "Best" }));
    await slow.refreshSegments();
    const [entered] = (await acme.events.list({ types: ["segment.entered"] })).content;
    expect(entered?.data).toMatchObject({ segment: { slug: "vips", name: "Best" } });
  });

  it("recounts all customers silently when events that it has not read are gone", async () => {
    const { acme, loyalty, clock, storage } = await openTagShop({ retention: { eventDays: 1 } });
    await createEmittingSegment(acme, "vips", vips);
    const deletedUser = await createUser(acme, "vip");
    await loyalty.refreshSegments();
    await acme.tags.unassign(deletedUser, "vip");
    await createUser(acme, "vip");
    clock.move(DAY);
    serviceInternals(loyalty).now();
    clock.move(2 * HOUR);
    // The next change removes old events.
    await createUser(acme);
    await expect
      .poll(async () => (await runStep(storage.reader("acme").listEvents(null, 0, 1)))[0]?.type)
      .toBe("user.created");
    await createUser(acme, "vip");
    const moves = await listMoves(storage);
    expect(await loyalty.refreshSegments()).toMatchObject({ entered: 0, left: 0 });
    expect(await listMembers(storage, "vips")).toBe(2);
    expect((await listMoves(storage)).length).toBeLessThanOrEqual(moves.length);
    await createUser(acme, "vip");
    expect(await loyalty.refreshSegments()).toMatchObject({ entered: 1, left: 0 });
  });

  it("protects events from removal by the maximum number until it has read them", async () => {
    const { acme, loyalty, storage } = await openTagShop({ retention: { maxEvents: 10 } });
    await createEmittingSegment(acme, "vips", vips);
    const [position] = [await runStep(storage.reader("acme").newestEventPosition())];
    await acme.users.import(Array.from({ length: 1_100 }, () => ({ email: someEmail(), tags: ["vip"] })));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const [oldest] = await runStep(storage.reader("acme").listEvents(null, position, 1));
    expect(oldest?.position).toBe(position + 1);
    expect(await loyalty.refreshSegments()).toMatchObject({ entered: 1_100 });
  });

  it("emits nothing for changes without an event, but everything for a customer whom an event names, too", async () => {
    const { acme, loyalty, storage } = await openTagShop();
    await createEmittingSegment(acme, "german", allOf({ language: "de" }));
    const [ada, bob] = [await createUser(acme), await createUser(acme)];
    await loyalty.refreshSegments();
    await acme.subscriptions.put(ada, { language: "de" });
    await acme.subscriptions.put(bob, { language: "de" });
    await acme.users.update(bob, { name: "Bob" });
    expect(await loyalty.refreshSegments()).toMatchObject({ entered: 1, left: 0 });
    expect(await listMoves(storage)).toMatchObject([{ type: "segment.entered", userId: bob }]);
    expect(await listMembers(storage, "german")).toBe(2);
    await acme.subscriptions.put(ada, { language: null, wallet: { status: "SUBSCRIBED", text: "Yes" } });
    expect(await loyalty.refreshSegments()).toMatchObject({ entered: 0, left: 1 });
  });

  it("stores the members that a service without an outbox changed, and emits nothing for them", async () => {
    const { acme, loyalty, clock, storage } = await openTagShop();
    await createEmittingSegment(acme, "vips", vips);
    const quiet = new LoyaltyService({ storage, clock: clock.read, outbox: false }).organization("acme");
    await createUser(quiet, "vip");
    expect(await loyalty.refreshSegments()).toMatchObject({ entered: 0, left: 0 });
    expect(await listMembers(storage, "vips")).toBe(1);
  });

  it("a service without an outbox refuses segments that emit events", async () => {
    const { acme } = await openTagShop({ outbox: false });
    const code = "outbox_disabled";
    expect(
      await getErrorDetail(acme.segments.create({ name: "A", filter: vips, emitsEvents: true })),
    ).toMatchObject({
      code,
    });
    await acme.segments.create({ name: "A", filter: vips });
    expect(await getErrorDetail(acme.segments.update("a", { emitsEvents: true }))).toMatchObject({ code });
    expect(await acme.segments.update("a", { emitsEvents: false, name: "B" })).toMatchObject({ name: "B" });
  });

  it("loses and repeats no move when it is killed many times", async () => {
    const { acme, loyalty, clock, storage } = await openTagShop();
    await createEmittingSegment(acme, "vips", vips);
    await createEmittingSegment(acme, "young", young);
    const ids: string[] = [];
    let midnights = 0;
    for (let killedAfter = 0; killedAfter < 8; killedAfter += 1) {
      for (let index = 0; index < 3; index += 1) ids.push(await createUser(acme, "vip"));
      if (killedAfter % 3 === 2) clock.move(DAY);
      serviceInternals(loyalty).now();
      let calls = 0;
      const dying = replaceTransactions(storage, (organizationId, work, options) =>
        storage.transaction(
          organizationId,
          (tx) =>
            work(
              interceptCalls(tx, (_method, proceed) => {
                calls += 1;
                if (calls > killedAfter * 2) throw new Error("killed");
                return proceed();
              }),
            ),
          options,
        ),
      );
      const killed = new LoyaltyService({ storage: dying, clock: clock.read, onError: () => {} });
      await killed.refreshSegments().catch((error: unknown) => expect(String(error)).toContain("killed"));
      midnights += (await loyalty.refreshSegments()).midnights;
    }
    expect(midnights).toBeGreaterThan(0);
    const moves = await listMoves(storage);
    const usersWhoMoved = (slug: string, type: string) =>
      moves.filter((move) => move.slug === slug && move.type === type).map(({ userId }) => userId);
    expect(usersWhoMoved("vips", "segment.entered").sort()).toEqual([...ids].sort());
    expect(usersWhoMoved("vips", "segment.left")).toEqual([]);
    expect(new Set(usersWhoMoved("young", "segment.entered")).size).toBe(
      usersWhoMoved("young", "segment.entered").length,
    );
    expect(new Set(usersWhoMoved("young", "segment.left")).size).toBe(
      usersWhoMoved("young", "segment.left").length,
    );
    expect(await listMembers(storage, "vips")).toBe(ids.length);
  });

  it("runs a midnight that has passed before the filter, the emitting or the time zone is changed", async () => {
    const edits: ((acme: Organization) => Promise<unknown>)[] = [
      (acme) => acme.segments.update("young", { filter: vips }),
      (acme) => acme.segments.update("young", { emitsEvents: false }),
      (acme) => acme.settings.update({ timeZone: "Asia/Tokyo" }),
      (acme) => acme.segments.create({ name: "Other", filter: vips, emitsEvents: true }),
    ];
    for (const edit of edits) {
      const { acme, loyalty, clock, storage } = await openTagShop();
      clock.move(12 * HOUR);
      const midnight = (Math.floor(clock.now / DAY) + 1) * DAY;
      await createEmittingSegment(acme, "young", young);
      const id = await createUser(acme);
      await loyalty.refreshSegments();
      clock.now = midnight + HOUR;
      await edit(acme);
      const at = new Date(midnight).toISOString();
      const leftMove = { type: "segment.left", slug: "young", userId: id, because: "time", at };
      expect((await listMoves(storage)).slice(1)).toEqual([leftMove]);
      const { midnights } = await loyalty.refreshSegments();
      expect(midnights).toBeLessThanOrEqual(1);
      expect((await listMoves(storage)).length).toBe(2);
    }
  });

  it("processes a large change in slices, each customer once, while other organizations take their turns", async () => {
    const { acme, loyalty, storage } = await openTagShop();
    await createEmittingSegment(acme, "vips", vips);
    const rows = Array.from({ length: 1_700 }, () => ({ email: someEmail(), tags: ["vip"] }));
    await acme.users.import(rows);
    const other = loyalty.organization("globex");
    await other.tags.create({ name: "VIP" });
    await createEmittingSegment(other, "vips", vips);
    await createUser(other, "vip");
    const events = recordEvents(loyalty);
    const backend = serviceInternals(loyalty).backends.segments;
    // Organizations with the earliest midnight come first; both have the same.
    expect((await backend.queuesWithDueJobs(10)).sort()).toEqual(["acme", "globex"]);
    expect(await backend.advance("acme")).toBe(true);
    expect(events.length).toBeLessThanOrEqual(1_000);
    await backend.advance("globex");
    expect(events.filter(({ type }) => type === "segment.entered").length).toBeLessThan(1_702);
    while (await backend.advance("acme"));
    const movedUserIds = (await listAllMoves(storage)).map(({ userId }) => userId);
    expect([movedUserIds.length, new Set(movedUserIds).size]).toEqual([1_700, 1_700]);
    expect(await backend.queuesWithDueJobs(10)).toEqual([]);
  });
});

const listAllMoves = async (storage: StorageAdapter) => {
  const events = await runStep(storage.reader("acme").listEvents(["segment.entered"], 0, 10_000));
  return events.map(({ data }) => JSON.parse(data) as { userId: string });
};

describe("a refresh when no segment emits events", () => {
  it("checks the clock anyway", async () => {
    const clock = new ManualClock();
    const loyalty = new LoyaltyService({ storage: memoryStorage(), clock: clock.read, onError: () => {} });
    serviceInternals(loyalty).now();
    clock.move(3 * DAY);
    expect(await loyalty.refreshSegments()).toMatchObject({ midnights: 0, isClockRejected: true });
    clock.move(-3 * DAY);
    expect(await loyalty.refreshSegments()).toMatchObject({ midnights: 0, isClockRejected: false });
  });

  it("records the members of each day", async () => {
    const { acme, loyalty, clock } = openAcme();
    await acme.segments.create({ name: "Young", filter: young });
    await createUser(acme);
    clock.move(DAY);
    expect(await loyalty.refreshSegments()).toMatchObject({ midnights: 1, entered: 0, left: 0 });
    const { days } = await acme.segments.statistics("young", { days: 2 });
    expect(days.map(({ members }) => members)).toEqual([1, 0]);
  });
});
