import express from "express";
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, loyaltyRouter } from "loyalty-kit/http";
import { sqliteStorage } from "loyalty-kit/sqlite";

const loyalty = new LoyaltyService({ storage: await sqliteStorage("loyalty.db") });
const { stamps } = loyalty.organization("cafe");
const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty) });

const app = express();
app.use("/loyalty", loyaltyRouter(api));
// Express answers a refusal with its status.
app.post("/orders", express.json(), async (request, response) => {
  response.json(await stamps.add(request.body.card));
});
const server = app.listen(process.env.PORT ?? 3000);

process.once("SIGTERM", () => server.close(() => loyalty.close()));
