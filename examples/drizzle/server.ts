/*
 * A café on Express that keeps its orders with Drizzle in the SQLite file of the loyalty library: an order and its stamps
 * are committed together, or neither is.
 *
 *   npx tsx examples/drizzle/server.ts
 *
 * It listens on PORT (3000) and keeps everything in DATABASE (cafe.db). Each drink is sold three times a day. To try it:
 *
 *   curl localhost:3000/guests -H 'Content-Type: application/json' -d '{"email":"ada@example.com","name":"Ada"}'
 *   curl localhost:3000/orders -H 'Content-Type: application/json' -d '{"card":"<the card>","items":["espresso"]}'
 *   curl localhost:3000/orders
 */
import Sqlite from "better-sqlite3";
import { and, eq, gt, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import express, { type NextFunction, type Request, type Response } from "express";
import { isLoyaltyError, LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";

const { PORT = "3000", DATABASE = "cafe.db" } = process.env;

const drinks = sqliteTable("drinks", { name: text().primaryKey(), left: integer().notNull() });
const orders = sqliteTable("orders", {
  id: integer().primaryKey(),
  guest: text().notNull(),
  drink: text().notNull(),
});

const loyalty = new LoyaltyService({ storage: await sqliteStorage(DATABASE) });
const cafe = loyalty.organization("cafe");
const coffeeCard = await cafe.templates.ensure("coffee", {
  name: "Coffee card",
  type: "STAMP_CARD",
  maxStamps: 10,
});

// The café's own connection, for what it reads.
const connection = new Sqlite(DATABASE);
const db = drizzle(connection);
connection.exec(`
  create table if not exists drinks (name text primary key, left integer not null);
  create table if not exists orders (id integer primary key, guest text not null, drink text not null);
  insert or ignore into drinks (name, left) values ('espresso', 3), ('flat white', 3);
`);

class SoldOut extends Error {}

/** One transaction for the order, the stock of drinks, and the stamps. */
function sell(card: string, items: readonly string[]) {
  return loyalty.transaction(async (tx, organization) => {
    const { passes, stamps } = organization("cafe");
    const db = drizzle(tx.client);
    const { id, userId } = await passes.lookup(card);
    const state = await stamps.add(id, { count: items.length });
    for (const drink of items) {
      const isLeft = and(eq(drinks.name, drink), gt(drinks.left, 0));
      const { changes } = db
        .update(drinks)
        .set({ left: sql`${drinks.left} - 1` })
        .where(isLeft)
        .run();
      if (changes === 0) throw new SoldOut(`no ${drink} is left`);
      db.insert(orders).values({ guest: userId, drink }).run();
    }
    return state;
  });
}

const app = express();
app.use(express.json());

/** A guest signs up and gets a card. */
app.post("/guests", async (request, response) => {
  const { email, name } = request.body ?? {};
  const { qrCodeValue } = await cafe.passes.create(coffeeCard.id, { user: { email, name } });
  response.status(201).json({ card: qrCodeValue });
});

/** A guest orders and shows the card. */
app.post("/orders", async (request, response) => {
  const { card, items } = request.body ?? {};
  if (typeof card !== "string" || !isList(items)) {
    response.status(400).json({ error: "give a card and items" });
    return;
  }
  const { currentStamps, maxStamps } = await sell(card, items);
  response.status(201).json({ stamps: `${currentStamps} of ${maxStamps}` });
});

app.get("/orders", (_request, response) => {
  response.json(db.select().from(orders).all());
});

app.use((error: unknown, _request: Request, response: Response, next: NextFunction) => {
  if (error instanceof SoldOut) response.status(409).json({ error: error.message });
  else if (isLoyaltyError(error))
    response.status(error.status).json({ code: error.code, error: error.message });
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
