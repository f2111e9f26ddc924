import Router from "@koa/router";
import Koa from "koa";
import bodyParser from "koa-bodyparser";
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, nodeListener } from "loyalty-kit/http";
import { sqliteStorage } from "loyalty-kit/sqlite";

const loyalty = new LoyaltyService({ storage: await sqliteStorage("loyalty.db") });
const { stamps } = loyalty.organization("cafe");
const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), basePath: "/loyalty" });
const listener = nodeListener(api);

const app = new Koa();
app.use(async (context, next) => {
  if (!context.path.startsWith("/loyalty/")) return next();
  context.respond = false; // the listener writes the response
  listener(context.req, context.res);
});

// Koa answers a refusal with its status.
const router = new Router();
router.post("/orders", bodyParser(), async (context) => {
  context.body = await stamps.add(context.request.body.card);
});
app.use(router.routes());
const server = app.listen(process.env.PORT ?? 3000);

process.once("SIGTERM", () => server.close(() => loyalty.close()));
