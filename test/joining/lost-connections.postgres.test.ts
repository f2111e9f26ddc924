import { LoyaltyService } from "loyalty-kit";
import { describe, expect, it, onTestFinished } from "vitest";
import { getErrorDetail } from "../kit/refusal.js";
import { bridgedHosts } from "./bridged-hosts.js";
import { createCustomer, readStamps } from "./shop.js";

const order = "insert into orders (id, customer) values ('order-1', 'Ada')";
const unavailable = { code: "storage_unavailable", params: null };

describe.each(bridgedHosts)("a transaction of $name whose connection is lost", ({ open }) => {
  async function openShop() {
    const host = await open();
    const loyalty = new LoyaltyService({ storage: host.storage });
    onTestFinished(async () => {
      await loyalty.close();
      await host.close();
    });
    const acme = loyalty.organization("acme");
    return { ...host, acme, ...(await createCustomer(acme)) };
  }

  it("makes every further joined call fail with storage_unavailable", async () => {
    const { transaction, listOrders: orders, loseConnections, acme, card } = await openShop();
    const errors: unknown[] = [];
    const lostTransaction = transaction(async (tx, execute) => {
      const joinedOrganization = acme.joining(tx);
      await joinedOrganization.stamps.add(card);
      await execute(order);
      await loseConnections();
      errors.push(await getErrorDetail(joinedOrganization.stamps.add(card)).catch(String));
      errors.push(await getErrorDetail(joinedOrganization.stamps.add(card)).catch(String));
      errors.push(await getErrorDetail(joinedOrganization.stamps.state(card)).catch(String));
    });
    await expect(lostTransaction).rejects.toThrow();
    expect(errors).toEqual([unavailable, unavailable, unavailable]);
    expect(await readStamps(acme, card)).toBe(0);
    expect(await orders()).toEqual([]);
  });

  it("makes a joined call fail with storage_unavailable after one of the host's statements failed", async () => {
    const { transaction, loseConnections, acme, card } = await openShop();
    let error: unknown;
    const lostTransaction = transaction(async (tx, execute) => {
      await execute(order);
      await loseConnections();
      await expect((async () => execute(order))()).rejects.toThrow();
      error = await getErrorDetail(acme.joining(tx).stamps.add(card)).catch(String);
    });
    await expect(lostTransaction).rejects.toThrow();
    expect(error).toEqual(unavailable);
  });

  it("makes a joined call that is waiting for a lock fail with storage_unavailable", async () => {
    const { transaction, loseConnections, acme, card } = await openShop();
    let error: unknown;
    await transaction(async (ahead) => {
      await acme.joining(ahead).stamps.add(card);
      const lostTransaction = transaction(async (tx, execute) => {
        await execute(order);
        const waiting = getErrorDetail(acme.joining(tx).stamps.add(card)).catch(String);
        await loseConnections({ oncePending: true });
        error = await waiting;
      });
      await expect(lostTransaction).rejects.toThrow();
    });
    expect(error).toEqual(unavailable);
    expect(await readStamps(acme, card)).toBe(1);
  });
});
