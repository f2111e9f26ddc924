import { LoyaltyService, type Organization } from "loyalty-kit";
import { describe, expect, it, onTestFinished } from "vitest";
import { bridgedHosts } from "./bridged-hosts.js";
import { createCustomer, listOutbox, readStamps } from "./shop.js";

describe.each(bridgedHosts)("a joined call after the end of a transaction of $name", ({ open }) => {
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

  it("is refused, and writes nothing", async () => {
    const { transaction, storage, acme, card } = await openShop();
    const late = await transaction(async (tx) => {
      const joinedOrganization = acme.joining(tx);
      await joinedOrganization.stamps.add(card);
      return joinedOrganization;
    });
    await expect(late.stamps.add(card)).rejects.toThrow();
    let undone: Organization | undefined;
    const declined = transaction(async (tx) => {
      undone = acme.joining(tx);
      await undone.stamps.add(card);
      throw new Error("the card was declined");
    });
    await expect(declined).rejects.toThrow("the card was declined");
    await expect(undone?.stamps.add(card)).rejects.toThrow();
    expect(await readStamps(acme, card)).toBe(1);
    expect(await listOutbox(storage)).toEqual(["4 stamp.added"]);
  });

  it("is refused if it is a read, or sees committed data", async () => {
    const { transaction, acme, card } = await openShop();
    const late = await transaction(async (tx) => {
      const joinedOrganization = acme.joining(tx);
      await joinedOrganization.stamps.add(card);
      return joinedOrganization;
    });
    const stamps = await readStamps(late, card).catch(() => "refused");
    expect(["refused", 1]).toContain(stamps);
  });
});
