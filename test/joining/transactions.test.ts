import { CamelCasePlugin, sql } from "kysely";
import { LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { getErrorDetail, notFound, untyped } from "../kit/refusal.js";
import { hosts } from "./host.js";
import { createCustomer, insertOrder, listOrders, listOutbox, openShop, readStamps } from "./shop.js";

describe.each(hosts)("a joined transaction on $name", ({ open }) => {
  it("commits the order and the stamp together", async () => {
    const { db, acme, card } = await openShop(await open());
    await db.transaction().execute(async (trx) => {
      await insertOrder(trx, "order-1");
      await acme.joining(trx).stamps.add(card, { count: 2 });
    });
    expect(await listOrders(db)).toEqual(["order-1"]);
    expect(await readStamps(acme, card)).toBe(2);
  });

  it("rolls back the order and the stamp together", async () => {
    const { db, storage, acme, card } = await openShop(await open());
    const declined = db.transaction().execute(async (trx) => {
      await acme.joining(trx).stamps.add(card);
      await insertOrder(trx, "order-1");
      throw new Error("the card was declined");
    });
    await expect(declined).rejects.toThrow("the card was declined");
    expect(await listOrders(db)).toEqual([]);
    expect(await readStamps(acme, card)).toBe(0);
    expect(await listOutbox(storage)).toEqual([]);
  });

  it("replays an idempotency key in the host's transaction, and drops its record on rollback", async () => {
    const { db, acme, card } = await openShop(await open());
    const receipt = { count: 2, idempotencyKey: "receipt-1" };
    const declined = db.transaction().execute(async (trx) => {
      await acme.joining(trx).stamps.add(card, receipt);
      throw new Error("the card was declined");
    });
    await expect(declined).rejects.toThrow("the card was declined");
    await db.transaction().execute(async (trx) => {
      const { stamps } = acme.joining(trx);
      expect(await stamps.add(card, receipt)).toEqual(await stamps.add(card, receipt));
    });
    expect(await acme.stamps.add(card, receipt)).toMatchObject({ totalStampsCollected: 2 });
    expect(await readStamps(acme, card)).toBe(2);
  });

  it("continues after a refused call, which leaves nothing behind", async () => {
    const { db, storage, acme, ada, card } = await openShop(await open());
    await db.transaction().execute(async (trx) => {
      const joinedOrganization = acme.joining(trx);
      await insertOrder(trx, "order-1");
      expect(await getErrorDetail(joinedOrganization.stamps.add("nobody's"))).toEqual(notFound);
      expect(await getErrorDetail(joinedOrganization.stamps.remove(card))).toMatchObject({
        code: "not_enough_stamps",
      });
      const creation = joinedOrganization.users.create({ email: "ADA@example.com" });
      expect(await getErrorDetail(creation)).toMatchObject({ code: "user_already_exists" });
      const rows = [{ email: "grace@example.com" }, { email: "ada@example.com", externalId: "c-1" }];
      await joinedOrganization.users.import(rows);
      expect((await joinedOrganization.users.get("c-1")).id).toBe(ada);
      await joinedOrganization.stamps.add(card);
    });
    expect(await listOrders(db)).toEqual(["order-1"]);
    expect(await readStamps(acme, card)).toBe(1);
    expect(await listOutbox(storage)).toEqual(["4 user.created", "5 user.updated", "6 stamp.added"]);
    expect((await acme.tags.verifyIndex()).wrong).toEqual([]);
  });

  it("continues after a storage error, which undoes the whole call", async () => {
    const { db, acme, card } = await openShop(await open());
    await db.transaction().execute(async (trx) => {
      const joinedOrganization = acme.joining(trx);
      await insertOrder(trx, "order-1");
      await joinedOrganization.stamps.add(card);
      // The stamp is written before its event.
      await sql`alter table loyalty_events rename to loyalty_events_away`.execute(trx);
      await expect(joinedOrganization.stamps.add(card)).rejects.toThrow(/loyalty_events/);
      await sql`alter table loyalty_events_away rename to loyalty_events`.execute(trx);
      expect(await readStamps(joinedOrganization, card)).toBe(1);
    });
    expect(await listOrders(db)).toEqual(["order-1"]);
    expect(await readStamps(acme, card)).toBe(1);
    expect((await acme.stamps.history(card)).content).toHaveLength(1);
  });

  it("runs concurrent calls one after the other", async () => {
    const { db, acme, ada, card } = await openShop(await open());
    await db.transaction().execute(async (trx) => {
      const calls = await Promise.allSettled([
        acme.joining(trx).stamps.add(card),
        acme.joining(trx).stamps.add("nobody's"),
        acme.joining(trx).stamps.add(card, { count: 3 }),
        acme.joining(trx).users.get(ada),
        acme.joining(trx).stamps.add(card),
      ]);
      const statuses = calls.map(({ status }) => status);
      expect(statuses).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled", "fulfilled"]);
    });
    expect(await readStamps(acme, card)).toBe(5);
  });

  it("includes changes of several organizations", async () => {
    const { db, loyalty, acme, card } = await openShop(await open());
    const globex = loyalty.organization("globex");
    const { card: other } = await createCustomer(globex);
    const addBoth = (outcome: () => void) =>
      db.transaction().execute(async (trx) => {
        await acme.joining(trx).stamps.add(card);
        await globex.joining(trx).stamps.add(other, { count: 2 });
        outcome();
      });
    const failAfterwards = () => {
      throw new Error("rolled back");
    };
    await expect(addBoth(failAfterwards)).rejects.toThrow("rolled back");
    expect([await readStamps(acme, card), await readStamps(globex, other)]).toEqual([0, 0]);
    await addBoth(() => undefined);
    expect([await readStamps(acme, card), await readStamps(globex, other)]).toEqual([1, 2]);
  });

  it("reads its own writes, which others can't read before the commit", async () => {
    const { db, acme } = await openShop(await open());
    const vips = { filter: { operator: "AND", conditions: [{ slug: "vip" }] } } as const;
    await db.transaction().execute(async (trx) => {
      const joinedOrganization = acme.joining(trx);
      const { id } = await joinedOrganization.users.create({ email: "grace@example.com", name: "Grace" });
      await joinedOrganization.tags.create({ name: "VIP" });
      await joinedOrganization.tags.assign(id, "vip");
      const search = { search: "grace" };
      expect((await joinedOrganization.contacts.list(search)).totalElements).toBe(1);
      expect((await joinedOrganization.tags.query(vips)).totalElements).toBe(1);
      expect((await joinedOrganization.tags.verifyIndex()).wrong).toEqual([]);
      expect((await acme.contacts.list(search)).totalElements).toBe(0);
      expect((await acme.tags.query(vips)).totalElements).toBe(0);
      expect(await acme.tags.list()).toEqual([]);
    });
    expect((await acme.tags.query(vips)).totalElements).toBe(1);
  });

  it("enforces the scopes of its organization", async () => {
    const { db, loyalty } = await openShop(await open());
    const reader = loyalty.organization("acme", { scopes: ["user:read"] });
    await db.transaction().execute(async (trx) => {
      const rejection = getErrorDetail(reader.joining(trx).users.create({ email: "grace@example.com" }));
      expect(await rejection).toMatchObject({ code: "access_denied" });
    });
  });

  it("ignores the host's Kysely plugins", async () => {
    const { db, acme, card } = await openShop(await open());
    const camel = db.withPlugin(new CamelCasePlugin());
    await camel.transaction().execute(async (trx) => {
      await acme.joining(trx).stamps.add(card);
      const [contact] = (await acme.joining(trx).contacts.list({ includeStamps: true })).content;
      expect(contact?.stampProgress).toMatchObject([{ currentStamps: 1, maxStamps: 10 }]);
    });
    expect(await readStamps(acme, card)).toBe(1);
  });

  it("ends when the host's transaction ends", async () => {
    const { db, acme, card } = await openShop(await open());
    const trx = await db.startTransaction().execute();
    const joinedOrganization = acme.joining(trx);
    await trx.commit().execute();
    await expect(joinedOrganization.stamps.add(card)).rejects.toThrow("already committed");
    await expect(joinedOrganization.stamps.state(card)).rejects.toThrow("already committed");
    expect(await readStamps(acme, card)).toBe(0);
  });

  it("can be joined by an organization that joined another one before", async () => {
    const { db, acme, card } = await openShop(await open());
    const before = await db.transaction().execute(async (trx) => acme.joining(trx));
    await db.transaction().execute(async (trx) => {
      await before.joining(trx).stamps.add(card);
      const wrong = untyped({ query: () => ({ rows: [], count: 0 }) });
      expect(() => before.joiningSync(wrong)).toThrow(TypeError);
    });
    expect(await readStamps(acme, card)).toBe(1);
  });

  it("must be an open Kysely transaction, and anything else is refused", async () => {
    const { db, acme } = await openShop(await open());
    for (const none of [db, null, undefined, {}, { isTransaction: true }, "transaction"]) {
      expect(() => acme.joining(untyped(none)), String(none)).toThrow(TypeError);
    }
  });
});

describe("memory storage", () => {
  it("refuses joined, synchronous and managed transactions, and `runBetweenTransactions`", async () => {
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    const acme = loyalty.organization("acme");
    expect(() => acme.joining({ isTransaction: true })).toThrow(TypeError);
    expect(() => acme.joiningSync(untyped({ query: () => ({ rows: [], count: 0 }) }))).toThrow(TypeError);
    await expect(loyalty.transaction(async () => "never")).rejects.toThrow(TypeError);
    await expect(loyalty.runBetweenTransactions(() => "never")).rejects.toThrow(TypeError);
  });
});
