import Fastify from "fastify";
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, loyaltyPlugin } from "loyalty-kit/http";
import { sqliteStorage } from "loyalty-kit/sqlite";

const loyalty = new LoyaltyService({ storage: await sqliteStorage("loyalty.db") });
const { stamps } = loyalty.organization("cafe");
const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty) });

const app = Fastify();
app.register(loyaltyPlugin, { api, prefix: "/loyalty" });
// Fastify answers a refusal with its status.
app.post("/orders", ({ body }) => stamps.add(body.card));
app.addHook("onClose", () => loyalty.close());
await app.listen({ port: process.env.PORT ?? 3000 });

process.once("SIGTERM", () => app.close());
