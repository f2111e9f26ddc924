import { once } from "node:events";
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, nodeListener } from "loyalty-kit/http";
import { sqliteStorage } from "loyalty-kit/sqlite";

export default class LoyaltyProvider {
  constructor(app) {
    this.app = app;
  }

  async start() {
    this.loyalty = new LoyaltyService({ storage: await sqliteStorage("loyalty.db") });
    const { stamps } = this.loyalty.organization("cafe");
    const options = { authenticate: apiTokens(this.loyalty), basePath: "/loyalty" };
    const listener = nodeListener(createHttpApi(this.loyalty, options));
    const router = await this.app.container.make("router");

    router.any("/loyalty/*", async ({ request, response }) => {
      const ended = once(response.response, "close");
      listener(request.request, response.response);
      await ended;
    });

    // AdonisJS answers a refusal with its status.
    const bodyParser = () => import("@adonisjs/core/bodyparser_middleware");
    const [parseBody] = Object.values(router.named({ bodyParser }));
    router.post("/orders", ({ request }) => stamps.add(request.input("card"))).use(parseBody());
  }

  shutdown() {
    return this.loyalty.close();
  }
}
