import { LoyaltyService, type SegmentFilter, type StorageAdapter } from "loyalty-kit";
import { describe, expect, it, onTestFinished } from "vitest";
import { awaitInStep } from "../../../src/base/concurrency/step.js";
import { serviceInternals } from "../../../src/internals.js";
import type { StorageReader } from "../../../src/storage/storage-adapter.js";
import { someEmail } from "../../kit/acme.js";
import { everyAdapter } from "../../kit/every-adapter.js";
import { DAY, listNames, MINUTE, openSending } from "./sending-scene.js";

const recent: SegmentFilter = { operator: "AND", conditions: [{ lastVisit: { withinDays: 0 } }] };

/** Opens a shop with three subscribers. Two of them, ada and bob, have visited it today. */
async function openVisited(open: () => Promise<StorageAdapter>) {
  const shop = await openSending({ storage: await open() });
  const { acme, template, subscriber } = shop;
  const users = new Map<string, string>();
  const passes = new Map<string, string>();
  for (const name of ["ada", "bob", "cyd"]) {
    const { id } = await subscriber(name);
    users.set(name, id);
    passes.set(name, (await acme.passes.create(template.id, { userId: id })).id);
  }
  const getUserId = (name: string) => users.get(name) ?? "";
  const addVisit = (name: string) => acme.stamps.add(passes.get(name) ?? "");
  await addVisit("ada");
  await addVisit("bob");
  const send = () => shop.send({ audience: { filter: recent } });
  const listEventTypes = async () => (await shop.events()).map(({ type }) => type);
  return { ...shop, getUserId, addVisit, send, kinds: listEventTypes };
}

/** Runs the work once, within or after the first evaluation of a behavior filter, in a snapshot or a transaction. */
function runOnFind(storage: StorageAdapter, work: () => Promise<unknown>, when: "within" | "after"): void {
  const snapshot: StorageAdapter["snapshot"] = storage.snapshot.bind(storage);
  const transaction: StorageAdapter["transaction"] = storage.transaction.bind(storage);
  let hasBegun = false;
  const interceptReader = (reader: StorageReader) => {
    const { matchBehavior } = reader;
    reader.matchBehavior = function* (...args) {
      const isFirst = !hasBegun;
      hasBegun = true;
      if (isFirst && when === "within") yield* awaitInStep(work());
      return yield* matchBehavior.apply(reader, args);
    };
  };
  const endIntercepting = async <T>(result: T): Promise<T> => {
    if (!hasBegun) return result;
    storage.snapshot = snapshot;
    storage.transaction = transaction;
    if (when === "after") await work();
    return result;
  };
  storage.snapshot = async (organizationId, readSnapshot, options) =>
    endIntercepting(
      await snapshot(
        organizationId,
        function* (reader) {
          interceptReader(reader);
          return yield* readSnapshot(reader);
        },
        options,
      ),
    );
  storage.transaction = async (organizationId, change, options) =>
    endIntercepting(
      await transaction(
        organizationId,
        function* (tx) {
          interceptReader(tx);
          return yield* change(tx);
        },
        options,
      ),
    );
}

/** Runs the work once, after a behavior filter was evaluated and before its result is used. */
function runOnceFound(storage: StorageAdapter, work: () => Promise<unknown>): void {
  runOnFind(storage, work, "after");
}

describe.each(everyAdapter)("a message to a behavior filter, on $name", ({ open }) => {
  it("goes to customers who match when it starts, and to none who match later", async () => {
    const { send, addVisit, messages, mail, get, sent } = await openVisited(open);
    const { id } = await send();
    await messages.advance("acme");
    expect(await get(id)).toMatchObject({ status: "SENDING", sums: { customers: 2, pending: 2 } });
    await addVisit("cyd");
    await mail.runOnce();
    expect(listNames(sent)).toEqual(["ada", "bob"]);
    expect(await get(id)).toMatchObject({ status: "SENT", sums: { recipients: 2, accepted: 2 } });
  });

  it("evaluates its filter on the day when it starts, not on the day of the send call", async () => {
    const { draft, acme, clock, mail, get, addVisit, sent } = await openVisited(open);
    const sendAt = new Date(clock.now + 2 * DAY).toISOString();
    const { id } = await draft({ audience: { filter: recent }, sendAt });
    await acme.messages.send(id);
    await mail.runOnce();
    expect(await get(id)).toMatchObject({ status: "SCHEDULED" });
    clock.move(2 * DAY);
    await addVisit("cyd");
    await mail.runOnce();
    expect(listNames(sent)).toEqual(["cyd"]);
  });

  it("is not sent if it is canceled in the meantime", async () => {
    const { send, acme, storage, mail, get, sent, kinds, advance } = await openVisited(open);
    const { id } = await send();
    runOnceFound(storage, () => acme.messages.cancel(id));
    await mail.runOnce();
    await advance();
    expect(sent).toEqual([]);
    expect(await get(id)).toMatchObject({ status: "CANCELED", sums: null });
    expect(await kinds()).toEqual(["message.canceled"]);
  });

  it("starts once, even if another process starts it in the meantime", async () => {
    const { send, storage, clock, mail, get, sent, kinds, messages } = await openVisited(open);
    const other = new LoyaltyService({ storage, clock: clock.read });
    onTestFinished(() => other.close());
    const { id } = await send();
    runOnceFound(storage, async () => {
      expect(await serviceInternals(other).backends.messages.advance("acme")).toBe(false);
      // The first process has taken longer than a process that is alive may take.
      clock.move(2 * MINUTE);
      expect(await serviceInternals(other).backends.messages.advance("acme")).toBe(true);
      expect(await get(id)).toMatchObject({ status: "SENDING" });
    });
    await messages.advance("acme");
    await mail.runOnce();
    expect(listNames(sent)).toEqual(["ada", "bob"]);
    expect(await get(id)).toMatchObject({ status: "SENT", sums: { recipients: 2, accepted: 2 } });
    expect(await kinds()).toEqual(["message.started", "message.completed"]);
  });

  it("is started by the first of two processes that have both found its audience", async () => {
    const { send, storage, clock, mail, get, sent, kinds, messages } = await openVisited(open);
    const other = new LoyaltyService({ storage, clock: clock.read });
    onTestFinished(() => other.close());
    const { id } = await send();
    runOnceFound(storage, async () => {
      clock.move(2 * MINUTE);
      runOnceFound(storage, () => get(id));
      await serviceInternals(other).backends.messages.advance("acme");
    });
    await messages.advance("acme");
    await mail.runOnce();
    expect(listNames(sent)).toEqual(["ada", "bob"]);
    expect(await kinds()).toEqual(["message.started", "message.completed"]);
  });

  it("waits for quiet hours that have begun in the meantime, and evaluates its filter again after them", async () => {
    const { send, storage, clock, acme, mail, get, sent, addVisit } = await openVisited(open);
    const { id } = await send();
    const now = new Date(clock.now);
    const timestampInHours = (ahead: number) => {
      const at = new Date(now.getTime() + ahead * 60 * MINUTE);
      return `${String(at.getUTCHours()).padStart(2, "0")}:00`;
    };
    runOnceFound(storage, () =>
      acme.messageSettings.update({ quietHours: { from: timestampInHours(0), to: timestampInHours(2) } }),
    );
    await mail.runOnce();
    expect(await get(id)).toMatchObject({ status: "SCHEDULED" });
    await addVisit("cyd");
    clock.move(120 * MINUTE);
    await mail.runOnce();
    expect(listNames(sent)).toEqual(["ada", "bob", "cyd"]);
  });

  it("doesn't count customers who are deleted or erased in the meantime", async () => {
    const { send, getUserId, acme, storage, mail, get, sent } = await openVisited(open);
    const { id } = await send();
    runOnceFound(storage, async () => {
      await acme.users.delete(getUserId("ada"));
    });
    await mail.runOnce();
    expect(listNames(sent)).toEqual(["bob"]);
    expect(await get(id)).toMatchObject({
      status: "SENT",
      sums: { customers: 1, recipients: 1, accepted: 1 },
    });
  });

  it("is retried if its audience can't be read", async () => {
    const { send, storage, mail, get, sent, clock, messages } = await openVisited(open);
    const { id } = await send();
    runOnceFound(storage, () => Promise.reject(new Error("no reads")));
    await expect(messages.advance("acme")).rejects.toThrow("no reads");
    expect(await get(id)).toMatchObject({ status: "SCHEDULED" });
    await mail.runOnce();
    expect(sent).toEqual([]);
    clock.move(MINUTE);
    await mail.runOnce();
    expect(listNames(sent)).toEqual(["ada", "bob"]);
  });

  it("is previewed and counted as if it were sent now", async () => {
    const { draft, acme, addVisit } = await openVisited(open);
    const { id } = await draft({ audience: { filter: recent } });
    expect(await acme.messages.preview(id)).toMatchObject({ customers: 2, byChannel: { email: 2 } });
    await addVisit("cyd");
    expect(await acme.messages.preview(id)).toMatchObject({ customers: 3, byChannel: { email: 3 } });
  });
});

// In memory, readers and writers take turns.
const databases = everyAdapter.filter(({ name }) => name !== "memory");

describe.each(databases)("finding the audience of a message, on $name", ({ open }) => {
  it("blocks no writes, in its organization or another one, even if it takes long", async () => {
    const { send, loyalty, acme, storage, mail, get, addVisit } = await openVisited(open);
    const { id } = await send();
    const writes: string[] = [];
    const write = async () => {
      await loyalty.organization("other").users.create({ email: someEmail() });
      writes.push("other");
      await addVisit("ada");
      await acme.users.create({ email: someEmail() });
      writes.push("acme");
    };
    runOnFind(storage, write, "within");
    await mail.runOnce();
    expect(writes).toEqual(["other", "acme"]);
    expect(await get(id)).toMatchObject({ status: "SENT", sums: { customers: 2, accepted: 2 } });
  });
});
