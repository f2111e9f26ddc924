import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { sqliteStorage } from "loyalty-kit/sqlite";

const loyalty = new LoyaltyService({ storage: await sqliteStorage("loyalty.db") });
const { stamps } = loyalty.organization("cafe");
const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), basePath: "/loyalty" });

const app = new Hono();
app.all("/loyalty/*", ({ req }) => api.fetch(req.raw));
// Hono answers a refusal with its status.
app.post("/orders", async (context) => {
  const { card } = await context.req.json();
  return context.json(await stamps.add(card));
});
const server = serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) });

process.once("SIGTERM", () => server.close(() => loyalty.close()));
