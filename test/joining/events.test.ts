import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { awaitInStep, runStep } from "../../src/base/concurrency/step.js";
import { requireHostSupport } from "../../src/storage/storage-adapter.js";
import { hosts } from "./host.js";
import { listOutbox, openShop, readStamps, recordEvents } from "./shop.js";

describe.each(hosts)("events of a joined transaction on $name", ({ open }) => {
  it("are stored in the outbox and emitted to listeners at the commit, not before", async () => {
    const { db, storage, loyalty, acme, card } = await openShop(await open());
    const { events, count } = recordEvents(loyalty, "stamp.added", "stamp_card.completed");
    await db.transaction().execute(async (trx) => {
      await acme.joining(trx).stamps.add(card, { count: 10 });
      expect(await listOutbox(storage)).toEqual([]);
      expect(await listOutbox(requireHostSupport(storage).joining(trx))).toEqual([
        "4 stamp.added",
        "5 stamp_card.completed",
      ]);
      expect(events).toEqual([]);
    });
    expect(await listOutbox(storage)).toEqual(["4 stamp.added", "5 stamp_card.completed"]);
    await count(2);
    expect(events).toEqual(["acme stamp.added", "acme stamp_card.completed"]);
  });

  it("aren't emitted after a rollback", async () => {
    const { db, loyalty, acme, card } = await openShop(await open());
    const { events, count } = recordEvents(loyalty, "stamp.added", "stamp.set", "stamp.reset");
    const undone = db.transaction().execute(async (trx) => {
      await acme.joining(trx).stamps.add(card);
      await acme.joining(trx).stamps.set(card, { stamps: 3 });
      throw new Error("rolled back");
    });
    await expect(undone).rejects.toThrow("rolled back");
    await db.transaction().execute((trx) => acme.joining(trx).stamps.reset(card));
    await count(1);
    await loyalty.close();
    expect(events).toEqual(["acme stamp.reset"]);
  });

  it("leave no gap in the positions of the outbox after a rollback", async () => {
    const { db, storage, acme, card } = await openShop(await open());
    const trx = await db.startTransaction().execute();
    await acme.joining(trx).stamps.add(card);
    await trx.rollback().execute();
    await acme.stamps.set(card, { stamps: 2 });
    await db.transaction().execute((trx) => acme.joining(trx).stamps.reset(card));
    expect(await listOutbox(storage)).toEqual(["4 stamp.set", "5 stamp.reset"]);
  });

  it("are dropped if the host rolls back their savepoint, while the others stay", async () => {
    const { db, loyalty, acme, card } = await openShop(await open());
    const { events, count } = recordEvents(loyalty, "stamp.added", "stamp.set", "stamp.reset");
    const trx = await db.startTransaction().execute();
    await acme.joining(trx).stamps.add(card);
    const inner = await trx.savepoint("inner").execute();
    await acme.joining(inner).stamps.set(card, { stamps: 5 });
    await inner.rollbackToSavepoint("inner").execute();
    await acme.joining(trx).stamps.reset(card);
    await trx.commit().execute();
    await count(2);
    await loyalty.close();
    expect(events).toEqual(["acme stamp.added", "acme stamp.reset"]);
  });

  it("are emitted before those of later changes in the same organization", async () => {
    const { db, storage, loyalty, acme, card } = await openShop(await open());
    const { events, count } = recordEvents(loyalty, "stamp.added", "stamp.set");
    // Delays reading the outbox, so that the first change's events are read only after the second change.
    const reader = storage.reader.bind(storage);
    let readInListener: () => void = () => undefined;
    const mayLook = new Promise<void>((resolve) => {
      readInListener = resolve;
    });
    storage.reader = (organizationId) => {
      const inner = reader(organizationId);
      const listEvents = inner.listEvents.bind(inner);
      inner.listEvents = function* (...args) {
        yield* awaitInStep(mayLook);
        return yield* listEvents(...args);
      };
      return inner;
    };
    await db.transaction().execute((trx) => acme.joining(trx).stamps.add(card));
    await acme.stamps.set(card, { stamps: 5 });
    readInListener();
    await count(2);
    expect(events).toEqual(["acme stamp.added", "acme stamp.set"]);
  });

  it("are neither emitted nor stored without an outbox", async () => {
    const { db, storage, loyalty, acme, card } = await openShop(await open(), { outbox: false });
    const { events } = recordEvents(loyalty, "stamp.added");
    await db.transaction().execute((trx) => acme.joining(trx).stamps.add(card));
    expect(await readStamps(acme, card)).toBe(1);
    expect(await listOutbox(storage, 0)).toEqual([]);
    await loyalty.close();
    expect(events).toEqual([]);
  });

  it("are removed by retention even if there are no listeners", async () => {
    const { db, storage, loyalty, acme } = await openShop(await open(), { retention: { maxEvents: 10 } });
    const rows = Array.from({ length: 1_000 }, (_, at) => ({ email: `customer-${at}@example.com` }));
    await db.transaction().execute((trx) => acme.joining(trx).users.import(rows));
    await expect.poll(() => listOutbox(storage, 0)).toHaveLength(10);
    await loyalty.close();
  });
});

describe.each(hosts)("closing the service while a host's transaction is open on $name", ({ open }) => {
  it("waits until it ends, and emits its committed events", async () => {
    const { db, loyalty, acme, card } = await openShop(await open());
    const { events } = recordEvents(loyalty, "stamp.added");
    const trx = await db.startTransaction().execute();
    await acme.joining(trx).stamps.add(card);
    let isClosed = false;
    const closing = loyalty.close().then(() => {
      isClosed = true;
    });
    await acme.joining(trx).stamps.add(card);
    expect(isClosed).toBe(false);
    await trx.commit().execute();
    await closing;
    expect(events).toEqual(["acme stamp.added", "acme stamp.added"]);
  });

  it("doesn't wait without listeners: later calls are refused, and the host continues", async () => {
    const { db, storage, loyalty, acme, card } = await openShop(await open());
    const trx = await db.startTransaction().execute();
    await acme.joining(trx).stamps.add(card);
    await loyalty.close();
    const unavailable = { code: "storage_unavailable" };
    await expect(acme.joining(trx).stamps.add(card)).rejects.toMatchObject(unavailable);
    await expect(acme.joining(trx).stamps.state(card)).rejects.toMatchObject(unavailable);
    await trx.commit().execute();
    await expect(runStep(storage.all.isEmpty())).rejects.toMatchObject(unavailable);
    expect((await sql`select id from loyalty_stamp_entries`.execute(db)).rows).toHaveLength(1);
  });
});
