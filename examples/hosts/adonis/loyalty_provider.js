import { once } from "node:events";
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, nodeListener } from "loyalty-kit/http";
import { sqliteStorage } from "loyalty-kit/sqlite";

/** Serves the interface before the router, whose middleware parses bodies. */
function serving(listener) {
  return class {
    async handle({ request, response }, next) {
      if (!request.url().startsWith("/loyalty/")) return next();
      const ended = once(response.response, "close");
      listener(request.request, response.response);
      await ended;
    }
  };
}

export default class LoyaltyProvider {
  constructor(app) {
    this.app = app;
  }

  async start() {
    this.loyalty = new LoyaltyService({ storage: await sqliteStorage("loyalty.db") });
    const { stamps } = this.loyalty.organization("cafe");
    const options = { authenticate: apiTokens(this.loyalty), basePath: "/loyalty" };
    const listener = nodeListener(createHttpApi(this.loyalty, options));
    const server = await this.app.container.make("server");
    server.use([async () => ({ default: serving(listener) })]);

    // AdonisJS answers a refusal with its status.
    const router = await this.app.container.make("router");
    router.use([() => import("@adonisjs/core/bodyparser_middleware")]);
    router.post("/orders", ({ request }) => stamps.add(request.input("card")));
  }

  shutdown() {
    return this.loyalty.close();
  }
}
