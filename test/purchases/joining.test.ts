import Sqlite from "better-sqlite3";
import { LoyaltyService, type Organization } from "loyalty-kit";
import { fromBetterSqlite3 } from "loyalty-kit/joining";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { hosts } from "../joining/host.js";
import { insertOrder, listOrders, listOutbox, openShop } from "../joining/shop.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";
import { fillEarning, type PutPurchase, toFields } from "./till.js";

/** Creates a customer with a card that earns 1 point for each 1.00. */
async function createPointCard(acme: Organization) {
  const program = toFields({ earning: fillEarning({}), points: {} });
  const template = await acme.templates.create({ name: "Points", type: "LOYALTY_CARD", ...program });
  const { id: bea } = await acme.users.create({ email: "bea@example.com" });
  const { id: card } = await acme.passes.create(template.id, { userId: bea });
  const purchase: PutPurchase = { userId: bea, currency: "EUR", lines: [{ amount: 1_000 }] };
  return { card, purchase };
}

async function readAll(acme: Organization, card: string) {
  return [await acme.points.state(card), await acme.points.history(card), await acme.purchases.list()];
}

describe.each(hosts)("purchases and points in a joined transaction on $name", ({ open }) => {
  it("are committed with the order", async () => {
    const { db, acme } = await openShop(await open());
    const { card, purchase } = await createPointCard(acme);
    await db.transaction().execute(async (trx) => {
      await insertOrder(trx, "order-1");
      const { purchases, points } = acme.joining(trx);
      expect(await purchases.put("till", "1", purchase)).toMatchObject({ changes: [{ units: 10 }] });
      await points.spend(card, { points: 4, purchase: { source: "till", receipt: "1" } });
      await purchases.addReturn("till", "1", { returnId: "r", lines: [{ id: "0", amount: 200 }] });
    });
    expect(await listOrders(db)).toEqual(["order-1"]);
    expect(await acme.points.state(card)).toMatchObject({ available: 4, earned: 8, spent: 4 });
  });

  it("are rolled back with the order, and leave nothing behind", async () => {
    const { db, acme, storage } = await openShop(await open());
    const { card, purchase } = await createPointCard(acme);
    await acme.purchases.put("till", "1", purchase);
    const [before, outbox] = [await readAll(acme, card), await listOutbox(storage)];
    const declined = db.transaction().execute(async (trx) => {
      await insertOrder(trx, "order-1");
      const { purchases, points } = acme.joining(trx);
      await purchases.put("till", "2", purchase);
      await purchases.addReturn("till", "1", { returnId: "r", all: true });
      await purchases.confirm("till", "1");
      const { entryId } = await points.add(card, { points: 3 });
      await points.reverse(card, { entryId });
      await points.spend(card, { points: 1 });
      throw new Error("the card was declined");
    });
    await expect(declined).rejects.toThrow("the card was declined");
    expect(await listOrders(db)).toEqual([]);
    expect([await readAll(acme, card), await listOutbox(storage)]).toEqual([before, outbox]);
    const returned = await acme.purchases.addReturn("till", "1", { returnId: "r", all: true });
    expect(returned).toMatchObject({ isApplied: true, changes: [{ units: -10 }] });
  });
});

describe("purchases and points in a synchronous transaction", () => {
  async function openFile() {
    const file = createTemporaryFile();
    const loyalty = new LoyaltyService({ storage: await sqliteStorage(file, { synchronous: "NORMAL" }) });
    const connection = new Sqlite(file);
    onTestFinished(async () => {
      await loyalty.close();
      connection.close();
    });
    const acme = loyalty.organization("acme");
    const joining = () => acme.joiningSync(fromBetterSqlite3(connection));
    return { connection, acme, joining, ...(await createPointCard(acme)) };
  }

  it("return synchronously and are committed with it", async () => {
    const { connection, acme, joining, card, purchase } = await openFile();
    connection.transaction(() => {
      const { purchases, points } = joining();
      expect(purchases.put("till", "1", purchase)).toMatchObject({ changes: [{ units: 10 }] });
      expect(points.spend(card, { points: 4 })).toMatchObject({ available: 6 });
      expect(purchases.addReturn("till", "1", { returnId: "r", all: true })).toMatchObject({
        isApplied: true,
      });
      expect(purchases.confirm("till", "1")).toMatchObject({ isApplied: true });
    })();
    expect(await acme.points.state(card)).toMatchObject({ available: 0, debt: 4 });
  });

  it("are rolled back with it, and leave nothing behind", async () => {
    const { connection, acme, joining, card, purchase } = await openFile();
    const before = await readAll(acme, card);
    const run = connection.transaction(() => {
      const { purchases, points } = joining();
      purchases.put("till", "1", purchase);
      points.add(card, { points: 5 });
      throw new Error("declined");
    });
    expect(run).toThrow("declined");
    expect(await readAll(acme, card)).toEqual(before);
  });
});
