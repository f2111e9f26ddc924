/*
 * A web shop on Express and Drizzle whose customers collect a point for each euro. An order and its points are committed
 * together, or neither is, and so are a refund and the points that it takes back. Ten lines do this, besides
 * the imports: those that name `loyalty`, `club`, `passes`, `purchases`, or `earning`.
 *
 *   npx tsx examples/shop/server.ts
 *
 * It listens on PORT (3000) and keeps everything in DATABASE (shop.db). There are three teapots. To try it:
 *
 *   curl localhost:3000/orders -H 'Content-Type: application/json' -d '{"email":"ada@example.com","skus":["teapot","cup"]}'
 *   curl localhost:3000/orders/1/refunds -H 'Content-Type: application/json' -d '{"lines":["1"]}'
 *   curl localhost:3000/orders
 */
import Sqlite from "better-sqlite3";
import { and, eq, gt, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import express, { type NextFunction, type Request, type Response } from "express";
import { isLoyaltyError, LoyaltyService } from "loyalty-kit";
import { fromDrizzle } from "loyalty-kit/joining";
import { sqliteStorage } from "loyalty-kit/sqlite";

const { PORT = "3000", DATABASE = "shop.db" } = process.env;

const products = sqliteTable("products", {
  sku: text().primaryKey(),
  cents: integer().notNull(),
  left: integer().notNull(),
});
const orders = sqliteTable("orders", { id: integer().primaryKey(), email: text().notNull() });
const refunds = sqliteTable("refunds", { id: integer().primaryKey(), order: integer().notNull() });

const loyalty = new LoyaltyService({ storage: await sqliteStorage(DATABASE) });
const club = loyalty.organization("club");
const earning = { currency: "EUR", rules: [{ give: 1, per: { amount: 100 } }] };
const card = await club.templates.ensure("club", { name: "Club", type: "LOYALTY_CARD", points: {}, earning });

const connection = new Sqlite(DATABASE);
const db = drizzle(connection);
connection.exec(`
  create table if not exists products (sku text primary key, cents integer not null, left integer not null);
  create table if not exists orders (id integer primary key, email text not null);
  create table if not exists refunds (id integer primary key, "order" integer not null);
  insert or ignore into products (sku, cents, left) values ('teapot', 2450, 3), ('cup', 890, 9);
`);

type Tx = Parameters<Parameters<typeof db.transaction>[0]>[0];
const transact = <T>(work: (tx: Tx) => T) => loyalty.runBetweenTransactions(() => db.transaction(work));

class SoldOut extends Error {}

/** One transaction for the order, its points, and the stock. */
function order(email: string, skus: readonly string[]) {
  return transact((tx) => {
    const { id } = tx.insert(orders).values({ email }).returning().get();
    const lines = skus.map((sku) => ({ sku, amount: findPrice(tx, sku) }));
    const { passes, purchases } = club.joiningSync(fromDrizzle(tx));
    const { userId } = passes.ensure(card.id, { user: { email } });
    const { changes } = purchases.put("shop", `${id}`, { userId, currency: earning.currency, lines });
    for (const sku of skus) takeFromStock(tx, sku);
    return { id, points: sumUnits(changes) };
  });
}

/** One transaction for the refund and the points that it takes back. */
function refund(orderId: number, lineIds: readonly string[]) {
  return transact((tx) => {
    const { id } = tx.insert(refunds).values({ order: orderId }).returning().get();
    const request = { returnId: `${id}`, lines: lineIds.map((lineId) => ({ id: lineId })) };
    const { changes } = club.joiningSync(fromDrizzle(tx)).purchases.addReturn("shop", `${orderId}`, request);
    return { id, points: sumUnits(changes) };
  });
}

function findPrice(tx: Tx, sku: string): number {
  const product = tx.select().from(products).where(eq(products.sku, sku)).get();
  if (product === undefined) throw new SoldOut(`there is no ${sku}`);
  return product.cents;
}

function takeFromStock(tx: Tx, sku: string): void {
  const isLeft = and(eq(products.sku, sku), gt(products.left, 0));
  const left = sql`${products.left} - 1`;
  const { changes } = tx.update(products).set({ left }).where(isLeft).run();
  if (changes === 0) throw new SoldOut(`no ${sku} is left`);
}

function sumUnits(changes: readonly { readonly units: number }[]): number {
  return changes.reduce((sum, { units }) => sum + units, 0);
}

const app = express();
app.use(express.json());

app.post("/orders", async (request, response) => {
  const { email, skus } = request.body ?? {};
  if (typeof email !== "string" || !isList(skus))
    response.status(400).json({ error: "give an email and skus" });
  else response.status(201).json(await order(email, skus));
});

/** Takes lines of an order back. The first line is "0". */
app.post("/orders/:id/refunds", async (request, response) => {
  const { lines } = request.body ?? {};
  if (!isList(lines)) response.status(400).json({ error: "give lines" });
  else response.status(201).json(await refund(Number(request.params.id), lines));
});

app.get("/orders", (_request, response) => {
  response.json({ orders: db.select().from(orders).all(), refunds: db.select().from(refunds).all() });
});

app.use((error: unknown, _request: Request, response: Response, next: NextFunction) => {
  if (error instanceof SoldOut) response.status(409).json({ error: error.message });
  else if (isLoyaltyError(error)) response.status(error.status).json({ error: error.message });
  else next(error);
});

const server = app.listen(Number(PORT), (error) => {
  if (error) throw error;
  const address = server.address();
  console.log(`listening on port ${typeof address === "object" ? address?.port : address}`);
});

// Requests under way are answered before the database is closed.
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    server.close(async () => {
      await loyalty.close();
      connection.close();
    });
  });
}

function isList(items: unknown): items is string[] {
  return Array.isArray(items) && items.length > 0 && items.every((item) => typeof item === "string");
}
