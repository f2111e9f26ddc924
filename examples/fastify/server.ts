/*
 * A café's own Fastify server with the loyalty interface beside its routes.
 *
 *   npx tsx examples/fastify/server.ts
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
import Fastify from "fastify";
import { isLoyaltyError, LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, frameworkErrors, loyaltyPlugin } from "loyalty-kit/http";
import { sqliteStorage } from "loyalty-kit/sqlite";

const { PORT = "3000", DATABASE = "cafe.db" } = process.env;

/** What the café sells, with prices in cents. Every item is worth a stamp. */
const menu: Readonly<Record<string, number>> = { espresso: 250, "flat white": 380, "filter coffee": 320 };

const loyalty = new LoyaltyService({
  storage: await sqliteStorage(DATABASE),
  shortLinkBase: "https://cafe.example/card",
});
const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty) });

const cafe = loyalty.organization("cafe");
const coffeeCard = await cafe.templates.ensure("coffee", {
  name: "Coffee card",
  type: "STAMP_CARD",
  maxStamps: 10,
});

const app = Fastify({ logger: true, frameworkErrors: frameworkErrors(api, { prefix: "/loyalty" }) });
loyalty.on("stamp.added", ({ data }) => app.log.info({ stamps: data }, "stamps added"));
loyalty.on("stamp_card.completed", ({ data }) => app.log.info({ stamps: data }, "a free drink is earned"));

app.register(loyaltyPlugin, { api, prefix: "/loyalty" });

app.get("/menu", () => menu);

const guest = {
  type: "object",
  required: ["email"],
  additionalProperties: false,
  properties: { email: { type: "string" }, name: { type: "string" } },
} as const;

/** A guest signs up and gets a card. */
app.post<{ Body: { email: string; name?: string } }>(
  "/guests",
  { schema: { body: guest } },
  async ({ body }, reply) => {
    const pass = await cafe.passes.create(coffeeCard.id, { user: body });
    return reply.status(201).send({ card: pass.qrCodeValue });
  },
);

const order = {
  type: "object",
  required: ["card", "items"],
  properties: {
    card: { type: "string" },
    items: { type: "array", minItems: 1, maxItems: 100, items: { enum: Object.keys(menu) } },
  },
} as const;

/** A guest orders and shows the card. */
app.post<{ Body: { card: string; items: string[] } }>(
  "/orders",
  { schema: { body: order } },
  async ({ body: { card, items } }, reply) => {
    const { id } = await cafe.passes.lookup(card);
    const stamps = await cafe.stamps.add(id, { count: items.length, note: `${items.length} drinks` });
    return reply.status(201).send({
      total: items.reduce((sum, item) => sum + (menu[item] ?? 0), 0),
      stamps: `${stamps.currentStamps} of ${stamps.maxStamps}`,
      freeDrinks: stamps.rewardsAvailable,
    });
  },
);

// What the library refuses has a status, a code for programs, and a text for people.
app.setErrorHandler((error, _request, reply) => {
  if (isLoyaltyError(error))
    return reply.status(error.status).send({ code: error.code, error: error.message });
  throw error;
});

// Requests under way are answered before the database is closed.
app.addHook("onClose", () => loyalty.close());
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => app.close());

await app.listen({ port: Number(PORT) });
