import { LoyaltyService, type Organization } from "loyalty-kit";
import { fromBetterSqlite3, fromTypeOrm } from "loyalty-kit/joining";
import { describe, expect, it, onTestFinished } from "vitest";
import { getErrorDetail, notFound } from "../kit/refusal.js";
import { type BridgedHost, bridgedHosts } from "./bridged-hosts.js";
import { createCustomer, listOutbox, readStamps, recordEvents } from "./shop.js";

async function openShop(host: BridgedHost) {
  const errors: unknown[] = [];
  const loyalty = new LoyaltyService({ storage: host.storage, onError: (error) => errors.push(error) });
  onTestFinished(async () => {
    await loyalty.close();
    await host.close();
    expect(errors).toEqual([]);
  });
  const acme = loyalty.organization("acme");
  return { ...host, loyalty, acme, ...(await createCustomer(acme)) };
}

const insertOrderSql = (id: string) => `insert into orders (id, customer) values ('${id}', 'Ada')`;

describe.each(bridgedHosts)("a transaction of $name", ({ open }) => {
  it("is committed together with its joined calls", async () => {
    const { transaction, listOrders: orders, loyalty, acme, card } = await openShop(await open());
    const { events, count } = recordEvents(loyalty, "stamp.added");
    await transaction(async (tx, execute) => {
      await acme.joining(tx).stamps.add(card, { count: 2 });
      await execute(insertOrderSql("order-1"));
      await acme.joining(tx).stamps.add(card);
    });
    expect(await orders()).toEqual(["order-1"]);
    expect(await readStamps(acme, card)).toBe(3);
    await count(2);
    expect(events).toEqual(["acme stamp.added", "acme stamp.added"]);
  });

  it("is rolled back together with its joined calls", async () => {
    const { transaction, listOrders: orders, storage, acme, card } = await openShop(await open());
    const declined = transaction(async (tx, execute) => {
      await acme.joining(tx).stamps.add(card);
      await execute(insertOrderSql("order-1"));
      throw new Error("the card was declined");
    });
    await expect(declined).rejects.toThrow("the card was declined");
    expect(await orders()).toEqual([]);
    expect(await readStamps(acme, card)).toBe(0);
    expect(await listOutbox(storage)).toEqual([]);
  });

  it("continues after a refused call, which leaves nothing behind", async () => {
    const { transaction, listOrders: orders, storage, acme, ada, card } = await openShop(await open());
    await transaction(async (tx, execute) => {
      const joinedOrganization = acme.joining(tx);
      expect(await getErrorDetail(joinedOrganization.stamps.add("nobody's"))).toEqual(notFound);
      await execute(insertOrderSql("order-1"));
      expect(await getErrorDetail(joinedOrganization.stamps.remove(card))).toMatchObject({
        code: "not_enough_stamps",
      });
      const creation = joinedOrganization.users.create({ email: "ADA@example.com" });
      expect(await getErrorDetail(creation)).toMatchObject({ code: "user_already_exists" });
      await joinedOrganization.users.import([
        { email: "grace@example.com" },
        { email: "ada@example.com", externalId: "c-1" },
      ]);
      expect((await joinedOrganization.users.get("c-1")).id).toBe(ada);
      await joinedOrganization.stamps.add(card);
    });
    expect(await orders()).toEqual(["order-1"]);
    expect(await readStamps(acme, card)).toBe(1);
    expect(await listOutbox(storage)).toEqual(["4 user.created", "5 user.updated", "6 stamp.added"]);
    expect((await acme.tags.verifyIndex()).wrong).toEqual([]);
  });

  it("continues after a storage error, which undoes the whole call", async () => {
    const { transaction, listOrders: orders, acme, card } = await openShop(await open());
    await transaction(async (tx, execute) => {
      const joinedOrganization = acme.joining(tx);
      await joinedOrganization.stamps.add(card);
      await execute(insertOrderSql("order-1"));
      // The stamp is written before its event.
      await execute("alter table loyalty_events rename to loyalty_events_away");
      await expect(joinedOrganization.stamps.add(card)).rejects.toThrow(/loyalty_events/);
      await execute("alter table loyalty_events_away rename to loyalty_events");
      expect(await readStamps(joinedOrganization, card)).toBe(1);
    });
    expect(await orders()).toEqual(["order-1"]);
    expect(await readStamps(acme, card)).toBe(1);
    expect((await acme.stamps.history(card)).content).toHaveLength(1);
  });

  it("runs concurrent calls one after the other", async () => {
    const { transaction, acme, card } = await openShop(await open());
    await transaction(async (tx) => {
      const calls = await Promise.allSettled([
        acme.joining(tx).stamps.add(card),
        acme.joining(tx).stamps.add("nobody's"),
        acme.joining(tx).stamps.add(card, { count: 3 }),
        acme.joining(tx).stamps.add(card),
      ]);
      expect(calls.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
    });
    expect(await readStamps(acme, card)).toBe(5);
  });

  it("reads its own writes in lists, searches and segments", async () => {
    const { transaction, acme } = await openShop(await open());
    const vips = { filter: { operator: "AND", conditions: [{ slug: "vip" }] } } as const;
    await transaction(async (tx) => {
      const joinedOrganization = acme.joining(tx);
      const { id } = await joinedOrganization.users.create({
        email: "grace@example.com",
        name: "Grace",
        metadata: { since: 1906 },
      });
      await joinedOrganization.tags.create({ name: "VIP" });
      await joinedOrganization.tags.assign(id, "vip");
      expect(await joinedOrganization.users.get(id)).toMatchObject({
        name: "Grace",
        phone: null,
        metadata: { since: 1906 },
      });
      expect((await joinedOrganization.contacts.list({ search: "grace" })).totalElements).toBe(1);
      expect((await joinedOrganization.tags.query(vips)).totalElements).toBe(1);
      expect((await joinedOrganization.tags.verifyIndex()).wrong).toEqual([]);
      expect((await acme.tags.query(vips)).totalElements).toBe(0);
    });
    expect((await acme.tags.query(vips)).totalElements).toBe(1);
    expect(await acme.statistics.get({ days: 1 })).toMatchObject({ customers: 2, activeCards: 1 });
  });
});

/** Asserts that nothing was written. */
async function isUntouched({ acme, storage, card }: Awaited<ReturnType<typeof openShop>>): Promise<void> {
  expect(await readStamps(acme, card)).toBe(0);
  expect(await listOutbox(storage)).toEqual([]);
}

describe.each(bridgedHosts)("a joined call on $name without an open transaction", ({ open }) => {
  it.each(["committed", "rolled back"])(
    "is refused after its transaction was %s, and writes nothing",
    async (end) => {
      const shop = await openShop(await open());
      const { transaction, acme, card } = shop;
      const organizations: Organization[] = [];
      const transactionEnd = transaction(async (tx, execute) => {
        organizations.push(acme.joining(tx));
        await execute(insertOrderSql("order-1"));
        if (end === "rolled back") throw new Error("not paid");
      });
      await transactionEnd.catch(() => undefined);
      expect(organizations).toHaveLength(1);
      for (const joinedOrganization of organizations) {
        await expect(joinedOrganization.stamps.add(card)).rejects.toThrow(/transaction|released/i);
        await expect(joinedOrganization.users.create({ email: "grace@example.com" })).rejects.toThrow();
      }
      await isUntouched(shop);
    },
  );

  it("is refused if no transaction was begun, and writes nothing", async () => {
    const shop = await openShop(await open());
    const { idleTransaction: idle, transaction, acme, card } = shop;
    const joinIdle = async () => acme.joining(idle());
    await expect(joinIdle().then(({ stamps }) => stamps.add(card))).rejects.toThrow(TypeError);
    const user = { email: "grace@example.com" };
    await expect(joinIdle().then(({ users }) => users.create(user))).rejects.toThrow(TypeError);
    await isUntouched(shop);
    await transaction((tx) => acme.joining(tx).stamps.add(card));
    expect(await readStamps(acme, card)).toBe(1);
  });
});

describe.each(bridgedHosts.filter(({ name }) => name.endsWith("SQLite")))(
  "a transaction of $name",
  ({ open }) => {
    it("can't be joined after a statement of the host made SQLite roll it back", async () => {
      const shop = await openShop(await open());
      const { transaction, listOrders: orders, acme, card } = shop;
      const lostTransaction = transaction(async (tx, execute) => {
        await execute(insertOrderSql("order-1"));
        const insertOrderAgain = async () =>
          execute(insertOrderSql("order-1").replace("insert", "insert or rollback"));
        await expect(insertOrderAgain()).rejects.toThrow();
        await expect(acme.joining(tx).stamps.add(card)).rejects.toThrow(/no transaction is open/);
        throw new Error("not paid");
      });
      await expect(lostTransaction).rejects.toThrow();
      expect(await orders()).toEqual([]);
      await isUntouched(shop);
    });
  },
);

describe("a handle that isn't an open transaction", () => {
  it("is refused, and nothing changes", async () => {
    const [host] = bridgedHosts;
    if (host === undefined) throw new Error("there is no host");
    const { acme, card } = await openShop(await host.open());
    expect(() => fromTypeOrm({})).toThrow(TypeError);
    const endedTransaction = fromBetterSqlite3({ inTransaction: false, prepare: () => expect.unreachable() });
    await expect(acme.joining(endedTransaction).stamps.add(card)).rejects.toThrow(TypeError);
    expect(await readStamps(acme, card)).toBe(0);
  });
});
