import { createClient } from "loyalty-kit/client";
import { checkStorage } from "loyalty-kit/storage";
import { fieldsOf } from "loyalty-kit/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFetch, type Disturbance, loseRequest, loseResponse } from "../client/over-http.js";
import { hosts } from "../joining/host.js";
import { insertOrder, listOrders } from "../joining/shop.js";
import { openWallets } from "../wallets/apple/wallets-scene.js";
import type { PutPurchase } from "./till.js";

/** 40.00 of goods on four lines, and 5.00 of shipping. */
const lines: PutPurchase["lines"] = [
  { id: "beans", category: "coffee", quantity: 2, amount: 1_600 },
  { id: "filters", amount: 400 },
  { id: "cup", amount: 890 },
  { id: "kettle", amount: 1_110 },
  { id: "shipping", kind: "shipping", amount: 500 },
];

/** Loses every fourth request, and the response to every fourth. */
function createDisturbances(): () => Disturbance | undefined {
  let requests = 0;
  return () => {
    requests += 1;
    if (requests % 4 === 1) return loseResponse;
    return requests % 4 === 3 ? loseRequest : undefined;
  };
}

describe.each(hosts)("an order on $name", ({ open }) => {
  it("gives stamps and points in its transaction, and returns undo them despite lost requests and responses", async () => {
    const host = await open();
    onTestFinished(() => host.close());
    const { loyalty, acme, newPhone, deliver } = await openWallets(host.storage);
    const pointTemplate = await acme.templates.create({
      ...{ name: "Club", type: "LOYALTY_CARD", points: {} },
      earning: { currency: "EUR", rules: [{ give: 1, per: { amount: 100 } }] },
    });
    const stampTemplate = await acme.templates.create({
      ...{ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 },
      earning: { currency: "EUR", rules: [{ give: 1, per: "item", only: { categories: ["coffee"] } }] },
    });
    const { id: userId } = await acme.users.create({ email: "ada@example.com" });
    const phone = newPhone();
    const ids: string[] = [];
    for (const template of [pointTemplate, stampTemplate]) {
      const { id } = await acme.passes.create(template.id, { userId });
      await phone.add((await acme.passes.walletLinks(id)).apple ?? "");
      ids.push(id);
    }
    const readPhone = () =>
      ids.map((id, at) => {
        const pass = phone.passes.get(id);
        return pass && fieldsOf(pass).get(at === 0 ? "points" : "stamps")?.value;
      });
    expect(readPhone()).toEqual(["0 points", "0/10"]);

    const order = { userId, currency: "EUR", lines };
    await host.db.transaction().execute(async (trx) => {
      await insertOrder(trx, "4711");
      const { changes } = await acme.joining(trx).purchases.put("shop", "4711", order);
      expect(changes.map(({ unit, units }) => [unit, units]).sort()).toEqual([
        ["points", 40],
        ["stamps", 2],
      ]);
    });
    expect(await listOrders(host.db)).toEqual(["4711"]);
    expect(await deliver()).toBe(1);
    expect(readPhone()).toEqual(["40 points", "2/10"]);

    const send = createFetch(loyalty, ["purchase:read", "purchase:write"]);
    const nextDisturbance = createDisturbances();
    const till = createClient({
      url: "https://api.example/loyalty",
      token: "acme",
      async fetch(url, init) {
        const disturb = nextDisturbance();
        return disturb === undefined ? send(url, init) : disturb(() => send(url, init), init, url);
      },
    });
    const returns = [
      { lines: [{ id: "beans", quantity: 1 }], shown: ["32 points", "1/10"] },
      { lines: [{ id: "kettle" }], shown: ["20 points", "1/10"] },
      { lines: [{ id: "filters", amount: 90 }], shown: ["20 points", "1/10"] },
    ];
    for (const [at, { lines: returned, shown }] of returns.entries()) {
      await till.purchases.addReturn("shop", "4711", { returnId: `return ${at}`, lines: returned });
      await deliver();
      expect(readPhone()).toEqual(shown);
    }
    const { effects } = await acme.purchases.get("shop", "4711");
    expect(effects.map(({ units }) => units).sort()).toEqual([1, 20]);
    expect(await checkStorage(host.storage)).toEqual([]);
  });
});
