import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { isLoyaltyError, LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, nodeListener } from "loyalty-kit/http";
import { sqliteStorage } from "loyalty-kit/sqlite";

const loyalty = new LoyaltyService({ storage: await sqliteStorage("loyalty.db") });
const { stamps } = loyalty.organization("cafe");
const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), basePath: "/loyalty" });
const listener = nodeListener(api);

async function order(request, response) {
  const { card } = await json(request);
  response.end(JSON.stringify(await stamps.add(card)));
}

const server = createServer((request, response) => {
  if (request.url?.startsWith("/loyalty/")) return listener(request, response);
  if (request.method === "POST" && request.url === "/orders") {
    return order(request, response).catch((error) => {
      response.statusCode = isLoyaltyError(error) ? error.status : 500;
      response.end(response.statusCode < 500 ? error.message : "Something went wrong.");
    });
  }
  response.writeHead(404).end();
});
server.listen(process.env.PORT ?? 3000);

process.once("SIGTERM", () => server.close(() => loyalty.close()));
