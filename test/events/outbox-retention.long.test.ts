import type { StorageAdapter } from "loyalty-kit";
import { describe, expect, it, vi } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { appendEvents, fillOutbox } from "../kit/filled-outbox.js";
import { interceptCalls, replaceTransactions } from "../kit/intercept-calls.js";

const DAY = 86_400_000;

describe.each(everyAdapter)("old events on $name", ({ open }) => {
  it("are removed, except the newest `maxEvents`", async () => {
    const { change, positions } = await fillOutbox(open, { count: 995, retention: { maxEvents: 10 } });
    await change(5);
    expect(await positions()).toEqual(listRange(991, 1_000));
  });

  it("are removed when they are older than `eventDays`", async () => {
    const ageOf = (at: number) => (at < 600 ? 2 * DAY + 1 : 2 * DAY);
    const { change, positions } = await fillOutbox(open, { count: 999, ageOf, retention: { eventDays: 2 } });
    await change();
    expect(await positions()).toEqual(listRange(601, 1_000));
  });

  it("are removed after 30 days by default, however many there are", async () => {
    const ageOf = (at: number) => (at < 600 ? 30 * DAY + 1 : 30 * DAY);
    const { change, positions } = await fillOutbox(open, { count: 2_999, ageOf });
    await change();
    expect(await positions()).toEqual(listRange(601, 3_000));
  });

  it("are removed when they are too old or too many, whichever comes first", async () => {
    const ageOf = (at: number) => (at < 600 ? 2 * DAY : 0);
    for (const [retention, first] of [
      [{ eventDays: 1, maxEvents: 700 }, 601],
      [{ eventDays: 1, maxEvents: 300 }, 701],
      [{ eventDays: 3, maxEvents: 700 }, 301],
    ] as const) {
      const { change, positions } = await fillOutbox(open, { count: 999, ageOf, retention });
      await change();
      expect(await positions()).toEqual(listRange(first, 1_000));
    }
  });

  it("are removed even if there are thousands", async () => {
    const { change, positions } = await fillOutbox(open, { count: 4_998, retention: { maxEvents: 5 } });
    await change(2);
    expect(await positions()).toEqual(listRange(4_996, 5_000));
  });

  it("are left for a later removal when the service closes", async () => {
    const { change, loyalty, storage } = await fillOutbox(open, {
      count: 8_999,
      retention: { maxEvents: 5 },
    });
    await change();
    await loyalty.close();
    const [first] = await runStep(storage.reader("acme").listEvents(null, 0, 1));
    expect(first?.position).toBeLessThan(4_002);
  });

  it("stay until the position passes a multiple of 1,000", async () => {
    for (const [count, changes, first] of [
      [990, 9, 1],
      [990, 10, 991],
      [1_000, 9, 1],
      [1_990, 10, 1_991],
    ] as const) {
      const { change, positions } = await fillOutbox(open, { count, retention: { maxEvents: 10 } });
      await change(changes);
      expect(await positions()).toEqual(listRange(first, count + changes));
    }
  });

  it("may accumulate again after a multiple of 1,000", async () => {
    const { change, storage, positions } = await fillOutbox(open, {
      count: 990,
      retention: { maxEvents: 10 },
    });
    await change(10);
    await vi.waitFor(async () => {
      const [first] = await runStep(storage.reader("acme").listEvents(null, 0, 1));
      expect(first?.position).toBe(991);
    }, 10_000);
    await change(9);
    expect(await positions()).toEqual(listRange(991, 1_009));
  });

  it("are removed when one change with several events passes the multiple", async () => {
    const { acme, positions } = await fillOutbox(open, { count: 993, retention: { maxEvents: 3 } });
    const { id } = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 1 });
    const pass = await acme.passes.create(id, { user: { email: someEmail() } });
    await acme.stamps.add(pass.id, { count: 7 });
    expect(await positions()).toEqual(listRange(1_002, 1_004));
  });

  it("of another organization aren't removed", async () => {
    const { storage, change, loyalty, positions } = await fillOutbox(open, {
      count: 999,
      retention: { maxEvents: 10 },
    });
    await appendEvents(storage, "globex", 1_500, () => 0);
    await loyalty.organization("globex").tags.create({ name: "VIP" });
    await change();
    expect(await positions()).toEqual(listRange(991, 1_000));
    expect(await positions("globex")).toEqual(listRange(1, 1_501));
  });

  it("are missing from the list, which begins with the stored ones", async () => {
    const { acme, change, storage, positions } = await fillOutbox(open, {
      count: 995,
      retention: { maxEvents: 3 },
    });
    await change(5);
    await positions();
    const page = await acme.events.list({ after: "10" });
    expect(page.content.map(({ id }) => id)).toEqual(
      (await runStep(storage.reader("acme").listEvents(null, 997, 10))).map(({ id }) => id),
    );
    expect(page.content).toHaveLength(3);
    expect(page.next).toBe("1000");
  });

  it("cause no failure when the service closes while a change passes the multiple", async () => {
    const storage = await open();
    await appendEvents(storage, "acme", 999, () => 0);
    const { loyalty, acme } = openAcme({ storage, retention: { maxEvents: 10 } });
    const creation = acme.tags.create({ name: "VIP" });
    await loyalty.close();
    expect((await creation).slug).toBe("vip");
  });

  it("affect no change when they can't be removed, and are removed the next time", async () => {
    const failure = new Error("no removal now");
    const errors: unknown[] = [];
    let isBroken = true;
    const wrapStorage = (storage: StorageAdapter) =>
      replaceTransactions(storage, (organizationId, work) =>
        storage.transaction(organizationId, (tx) =>
          work(
            interceptCalls(tx, function* (method, proceed) {
              if (method === "removeEvents" && isBroken) throw failure;
              return yield* proceed();
            }),
          ),
        ),
      );
    const onError = (error: unknown) => errors.push(error);
    const { acme, change, storage, positions } = await fillOutbox(open, {
      count: 999,
      retention: { maxEvents: 1 },
      wrapStorage,
      onError,
    });
    await change();
    await expect.poll(() => errors).toEqual([failure]);
    expect(await acme.templates.list()).toHaveLength(1);
    expect(await runStep(storage.reader("acme").listEvents(null, 0, 2_000))).toHaveLength(1_000);
    isBroken = false;
    await appendEvents(storage, "acme", 999, () => 0);
    await change();
    expect(await positions()).toEqual([2_000]);
    expect(errors).toEqual([failure]);
  });
});

function listRange(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}
