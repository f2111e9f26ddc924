import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { sqliteStorage } from "loyalty-kit/sqlite";

async function open() {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage("loyalty.db") });
  const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), basePath: "/loyalty" });
  useNitroApp().hooks.hook("close", () => loyalty.close());
  return { loyalty, api };
}

let opened;

/** Opens at the first request. */
export function openLoyalty() {
  opened ??= open();
  return opened;
}
