import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { sqliteStorage } from "loyalty-kit/sqlite";

let loyalty;
let api;

/** Opens when the server starts; building doesn't call it. */
export async function init() {
  loyalty = new LoyaltyService({ storage: await sqliteStorage("loyalty.db") });
  api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), basePath: "/loyalty" });
  process.once("sveltekit:shutdown", () => loyalty.close());
}

export function handle({ event, resolve }) {
  if (event.url.pathname.startsWith("/loyalty/")) return api.fetch(event.request);
  event.locals.cafe = loyalty.organization("cafe");
  return resolve(event);
}
