/*
 * A café's own Express server with the loyalty interface beside its routes.
 *
 *   npx tsx examples/express/server.ts
 *
 * It listens on PORT (3000) and keeps everything in the SQLite file DATABASE (cafe.db). To try it:
 *
 *   curl localhost:3000/guests -H 'Content-Type: application/json' -d '{"email":"ada@example.com","name":"Ada"}'
 *   curl localhost:3000/orders -H 'Content-Type: application/json' -d '{"card":"<the card>","items":["espresso"]}'
 *
 * The loyalty interface is under /loyalty and takes API tokens:
 *
 *   npx loyalty-kit token create --database cafe.db --organization cafe --name till --scopes all
 *   curl localhost:3000/loyalty/v1/contacts -H 'Authorization: Bearer <token>'
 */
import express, { type NextFunction, type Request, type Response } from "express";
import { isLoyaltyError, LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, loyaltyRouter } from "loyalty-kit/http";
import { sqliteStorage } from "loyalty-kit/sqlite";

const { PORT = "3000", DATABASE = "cafe.db" } = process.env;

/** What the café sells, with prices in cents. Every item is worth a stamp. */
const menu: Readonly<Record<string, number>> = { espresso: 250, "flat white": 380, "filter coffee": 320 };

const loyalty = new LoyaltyService({
  storage: await sqliteStorage(DATABASE),
  shortLinkBase: "https://cafe.example/card",
});
loyalty.on("stamp.added", ({ data }) => {
  console.log(`stamps of ${data.walletPassId}: ${data.currentStamps} of ${data.maxStamps}`);
});
loyalty.on("stamp_card.completed", ({ data }) => console.log(`${data.walletPassId} has earned a free drink`));

const cafe = loyalty.organization("cafe");
const coffeeCard = await cafe.templates.ensure("coffee", {
  name: "Coffee card",
  type: "STAMP_CARD",
  maxStamps: 10,
});

const app = express();
app.use("/loyalty", loyaltyRouter(createHttpApi(loyalty, { authenticate: apiTokens(loyalty) })));
app.use(express.json());

app.get("/menu", (_request, response) => {
  response.json(menu);
});

/** A guest signs up and gets a card. */
app.post("/guests", async (request, response) => {
  const { email, name } = request.body ?? {};
  const { qrCodeValue } = await cafe.passes.create(coffeeCard.id, { user: { email, name } });
  response.status(201).json({ card: qrCodeValue });
});

/** A guest orders and shows the card. */
app.post("/orders", async (request, response) => {
  const { card, items } = request.body ?? {};
  if (typeof card !== "string" || !isChoice(items)) {
    response.status(400).json({ error: "give a card and items of the menu" });
    return;
  }
  const { id } = await cafe.passes.lookup(card);
  const stamps = await cafe.stamps.add(id, { count: items.length, note: `${items.length} drinks` });
  response.status(201).json({
    total: items.reduce((sum, item) => sum + (menu[item] ?? 0), 0),
    stamps: `${stamps.currentStamps} of ${stamps.maxStamps}`,
    freeDrinks: stamps.rewardsAvailable,
  });
});

// What the library refuses has a status, a code for programs, and a text for people.
app.use((error: unknown, _request: Request, response: Response, next: NextFunction) => {
  if (isLoyaltyError(error)) response.status(error.status).json({ code: error.code, error: error.message });
  else next(error);
});

const server = app.listen(Number(PORT), (error) => {
  if (error) throw error;
  const address = server.address();
  console.log(`listening on port ${typeof address === "object" ? address?.port : address}`);
});

// Requests under way are answered before the database is closed.
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => server.close(() => loyalty.close()));
}

function isChoice(items: unknown): items is string[] {
  return Array.isArray(items) && items.length > 0 && items.every((item) => Object.hasOwn(menu, item));
}
