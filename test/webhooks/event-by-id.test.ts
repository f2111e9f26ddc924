import fc from "fast-check";
import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import type { StorageReader } from "loyalty-kit/storage";
import { v7 } from "uuid";
import { describe, expect, it, onTestFinished } from "vitest";
import { generateRanges } from "../../src/webhooks/events.js";
import { someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { appendEvents } from "../kit/filled-outbox.js";
import { interceptCalls } from "../kit/intercept-calls.js";
import { getErrorDetail, notFound } from "../kit/refusal.js";
import { runs } from "../properties/runs.js";

const COUNT = 11_000;

/** Returns a storage that records the position ranges in which events were looked up by id. */
function recordLookups(storage: StorageAdapter, lookups: unknown[]): StorageAdapter {
  const recordReads = (reader: StorageReader) =>
    interceptCalls(reader, (method, proceed, args) => {
      if (method === "findEventIn") lookups.push(args[1]);
      return proceed();
    });
  return new Proxy(storage, {
    get(target, key) {
      if (key === "snapshot") {
        const snapshot: StorageAdapter["snapshot"] = (organizationId, work, options) =>
          target.snapshot(organizationId, (reader) => work(recordReads(reader)), options);
        return snapshot;
      }
      const member: unknown = Reflect.get(target, key);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/** Opens an organization with an endpoint, in a service that has the same clock as the ids. */
async function openHooks(storage: StorageAdapter, uuid: () => string = v7) {
  const loyalty = new LoyaltyService({ storage, uuid });
  onTestFinished(() => loyalty.close());
  const acme = loyalty.organization("acme");
  const { id } = (await acme.webhooks.create({ url: "https://example.com" })).webhookEndpoint;
  const replayEvent = async (eventId: string) => {
    await acme.webhooks.replay(id, { eventId });
    const [delivery] = (await acme.webhooks.deliveries(id, { limit: 1 })).content;
    return delivery?.eventId;
  };
  return { acme, replayEvent };
}

describe.each(everyAdapter)("an event that is replayed by its id, on $name", ({ open }) => {
  it("is found anywhere in the outbox, even if ids don't contain the time of their creation", async () => {
    const storage = await open();
    const { replayEvent } = await openHooks(storage);
    await appendEvents(storage, "acme", COUNT, () => Date.now());
    for (const at of [0, 1, COUNT / 2, COUNT - 1]) expect(await replayEvent(`evt_${at}`)).toBe(`evt_${at}`);
    expect(await getErrorDetail(replayEvent(`evt_${COUNT}`))).toEqual(notFound);
  });

  it("is found among the events of its time in one read", async () => {
    const lookups: unknown[] = [];
    const storage = recordLookups(await open(), lookups);
    await appendEvents(storage, "acme", COUNT, () => Date.now() - 3_600_000);
    const { acme, replayEvent } = await openHooks(storage);
    await acme.users.create({ email: someEmail() });
    await appendEvents(storage, "acme", COUNT, () => Date.now() + 3_600_000);
    const [event] = (await acme.events.list({ after: String(COUNT) })).content;
    const id = event?.id ?? "";
    expect(await replayEvent(id)).toBe(id);
    expect(lookups).toHaveLength(1);
  });

  it("is found even if its id contains a different time than the clock had", async () => {
    const storage = await open();
    const createUuid = () => v7({ msecs: 1_000 });
    const { acme, replayEvent } = await openHooks(storage, createUuid);
    await appendEvents(storage, "acme", COUNT, () => Date.now() - 3_600_000);
    await acme.users.create({ email: someEmail() });
    const [event] = (await acme.events.list({ after: String(COUNT) })).content;
    const id = event?.id ?? "";
    expect(await replayEvent(id)).toBe(id);
  });
});

describe("an event that is replayed by its id", () => {
  it("is not found in an empty outbox", async () => {
    const { replayEvent } = await openHooks(memoryStorage());
    expect(await getErrorDetail(replayEvent(`evt_${v7()}`))).toEqual(notFound);
  });
});

describe("the ranges in which an event is searched", () => {
  it("cover each position of the outbox once, at most 5,000 per range, starting with the expected position", () => {
    const places = fc
      .tuple(fc.nat(50_000), fc.nat(30_000), fc.nat(30_000))
      .map(([start, before, behind]) => ({ start, middle: start + before, end: start + before + behind }));
    fc.assert(
      fc.property(places, ({ start, middle, end }) => {
        const ranges = [...generateRanges(start, middle, end)];
        const [first] = ranges;
        expect(first?.after).toBeLessThanOrEqual(middle);
        expect(first?.to).toBeGreaterThanOrEqual(middle);
        for (const { after, to } of ranges) expect(to - after).toBeLessThanOrEqual(5_000);
        let at = start;
        for (const { after, to } of ranges.toSorted((a, b) => a.after - b.after)) {
          expect(after).toBe(at);
          at = to;
        }
        expect(at).toBe(end);
      }),
      runs(200),
    );
  });
});
