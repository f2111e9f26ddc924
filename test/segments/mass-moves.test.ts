import type { Organization, SegmentFilter, StorageAdapter } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { type EmittedEvent, recordEvents } from "../events/recorded-events.js";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { interceptCalls, replaceTransactions } from "../kit/intercept-calls.js";
import { createPhone, openShop } from "../wallets/some-shop.js";
import { createEmittingSegment } from "./emitting.js";

const allOf = (...conditions: SegmentFilter["conditions"] & object): SegmentFilter => ({
  operator: "AND",
  conditions,
});

const HOUR = 3_600_000;

/** More customers than are moved at the same time. */
const MANY = 1_100;

/** Opens an organization with many customers, who all have a tag. */
async function openCrowded(storage: StorageAdapter) {
  const { loyalty, acme, clock } = openAcme({ storage });
  await acme.tags.create({ name: "VIP" });
  const rows = Array.from({ length: MANY }, () => ({ email: someEmail(), tags: ["vip"] }));
  await acme.passes.import(rows, { emit: "none" });
  return { loyalty, acme, clock };
}

/** Counts the emitted events by type, segment and cause. */
function countByType(events: readonly EmittedEvent[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { type, data } of events) {
    const name = "because" in data ? `${type} ${data.segment.slug} ${data.because}` : type;
    found[name] = (found[name] ?? 0) + 1;
  }
  return found;
}

const listSlugs = (events: readonly EmittedEvent[]) =>
  events.map(({ type, data }) => ("because" in data ? `${type} ${data.segment.slug}` : type));

const countMembers = async ({ segments }: Organization, slug: string) => (await segments.get(slug)).members;

describe.each(everyAdapter)("a change that moves many customers, on $name", ({ open }) => {
  it("that deletes a template of a segment works with sets, and moves each customer once, after its event", async () => {
    const storage = await open();
    let calls = 0;
    const counting = replaceTransactions(storage, (organizationId, work, options) =>
      storage.transaction(
        organizationId,
        (tx) => {
          return work(
            interceptCalls(tx, (_method, proceed) => {
              calls += 1;
              return proceed();
            }),
          );
        },
        options,
      ),
    );
    const { loyalty, acme } = await openCrowded(counting);
    const { id } = await acme.templates.create({ name: "Tea", type: "STAMP_CARD", maxStamps: 5 });
    const never = allOf({ lastVisit: { templateId: id, never: true } });
    const strangers = await createEmittingSegment(acme, "strangers", never);
    const others = await createEmittingSegment(acme, "others", { operator: "NOT", filters: [never] });
    expect((await runStep(storage.reader("acme").segmentMembers(strangers))).count()).toBe(MANY);
    const events = recordEvents(loyalty);
    calls = 0;
    await acme.templates.delete(id);
    await loyalty.refreshSegments();
    expect(calls).toBeLessThan(MANY / 10);
    expect(events[0]?.type).toBe("template.deleted");
    expect(countByType(events)).toEqual({
      "template.deleted": 1,
      "segment.left strangers change": MANY,
      "segment.entered others change": MANY,
    });
    const eventLines = events.map(({ type, data }) => ("userId" in data ? `${type} ${data.userId}` : type));
    expect(new Set(eventLines).size).toBe(eventLines.length);
    const members = await Promise.all(
      [strangers, others].map(async (each) =>
        (await runStep(storage.reader("acme").segmentMembers(each))).count(),
      ),
    );
    expect(members).toEqual([0, MANY]);
    expect([await countMembers(acme, "strangers"), await countMembers(acme, "others")]).toEqual([0, MANY]);
  });

  it("that deletes a large tag takes it from each customer, who leaves and enters once", async () => {
    const storage = await open();
    const { loyalty, acme } = await openCrowded(storage);
    const vips = await createEmittingSegment(acme, "vips", allOf({ slug: "vip" }));
    const plain = await createEmittingSegment(acme, "plain", {
      operator: "NOT",
      conditions: [{ slug: "vip" }],
    });
    await loyalty.refreshSegments();
    const events = recordEvents(loyalty);
    await acme.tags.delete("vip");
    await loyalty.refreshSegments();
    expect(countByType(events)).toEqual({
      "user_tag.unassigned": MANY,
      "user_tag.deleted": 1,
      "segment.left vips change": MANY,
      "segment.entered plain change": MANY,
    });
    const place = new Map(
      events.map(({ type, data }, at) => ["userId" in data ? `${type} ${data.userId}` : type, at] as const),
    );
    for (const { type, data } of events) {
      if (type !== "segment.left" || !("userId" in data)) continue;
      const [untaggedAt, left, entered] = ["user_tag.unassigned", "segment.left", "segment.entered"].map(
        (each) => place.get(`${each} ${data.userId}`) ?? Number.NaN,
      );
      expect([(untaggedAt ?? 0) < (left ?? 0), (left ?? 0) < (entered ?? 0)]).toEqual([true, true]);
    }
    expect((await runStep(storage.reader("acme").segmentMembers(vips))).count()).toBe(0);
    expect((await runStep(storage.reader("acme").segmentMembers(plain))).count()).toBe(MANY);
  });
});

describe.each(everyAdapter)("a wallet, on $name", ({ open }) => {
  it("makes its customer enter with the first device and leave with the last; device changes without an event are silent", async () => {
    const storage = await open();
    const { loyalty, backend, acme, newCard, clock } = await openShop(storage);
    await createEmittingSegment(acme, "anywhere", allOf({ wallet: { installed: true } }));
    const apple = await createEmittingSegment(
      acme,
      "apple",
      allOf({ wallet: { installed: true, platform: "apple" } }),
    );
    await createEmittingSegment(acme, "nowhere", allOf({ wallet: { installed: false } }));
    const events = recordEvents(loyalty);
    const { id } = await newCard();
    const slugsMovedBy = async (work: () => Promise<unknown>) => {
      const from = events.length;
      clock.move(HOUR);
      await work();
      await loyalty.refreshSegments();
      return listSlugs(events.slice(from));
    };
    await loyalty.refreshSegments();
    expect(listSlugs(events)).toEqual(["user.created", "pass.created", "segment.entered nowhere"]);
    const google = { passId: id, platform: "google", deviceId: "google", pushToken: null } as const;
    const { devices } = backend;
    expect(await slugsMovedBy(() => devices.register("acme", createPhone(id, "one")))).toEqual([
      ...["pass.installed", "segment.left nowhere", "segment.entered anywhere", "segment.entered apple"],
    ]);
    expect(await slugsMovedBy(() => devices.register("acme", createPhone(id, "two")))).toEqual([]);
    expect(await slugsMovedBy(() => devices.register("acme", createPhone(id, "two")))).toEqual([]);
    expect(await slugsMovedBy(() => devices.register("acme", google))).toEqual([]);
    expect(await slugsMovedBy(() => devices.unregister("acme", createPhone(id, "one")))).toEqual([]);
    expect(await slugsMovedBy(() => devices.unregister("acme", createPhone(id, "two")))).toEqual([]);
    expect(await countMembers(acme, "apple")).toBe(0);
    expect((await runStep(storage.reader("acme").segmentMembers(apple))).count()).toBe(0);
    expect(await slugsMovedBy(() => devices.unregister("acme", google))).toEqual([
      ...["pass.uninstalled", "segment.left anywhere", "segment.entered nowhere"],
    ]);
    expect(await countMembers(acme, "nowhere")).toBe(1);
  });
});

describe.each(everyAdapter)("the segments of an erased customer, on $name", ({ open }) => {
  it("emit nothing for the erasure, and their events retain only the ids", async () => {
    const storage = await open();
    const { loyalty, acme, clock } = openAcme({ storage });
    await acme.tags.create({ name: "VIP" });
    const id = await createEmittingSegment(acme, "VIPs", allOf({ slug: "vip" }));
    const { id: userId } = await acme.users.create({ email: "ada@example.com", name: "Ada" });
    await acme.tags.assign(userId, "vip");
    await loyalty.refreshSegments();
    const at = clock.timestamp;
    const segment = { id, slug: "vips", name: "VIPs" };
    const listMoves = async () => {
      const types = ["segment.entered", "segment.left"] as const;
      return (await acme.events.list({ types: [...types] })).content.map(({ type, data }) => ({
        type,
        data,
      }));
    };
    const enteredEvent = { type: "segment.entered", data: { segment, userId, at, because: "change" } };
    expect(await listMoves()).toEqual([enteredEvent]);
    const events = recordEvents(loyalty);
    await acme.users.erase(userId);
    await loyalty.refreshSegments();
    expect(events.map(({ type }) => type)).toEqual(["user.deleted"]);
    expect(await listMoves()).toEqual([enteredEvent]);
    expect((await runStep(storage.reader("acme").segmentMembers(id))).count()).toBe(0);
    expect(await countMembers(acme, "vips")).toBe(0);
  });
});
