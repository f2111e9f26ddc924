import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { sqliteStorage } from "loyalty-kit/sqlite";

async function open() {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage("loyalty.db") });
  const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), basePath: "/loyalty" });
  process.once("SIGTERM", () => loyalty.close().finally(() => process.exit()));
  return { loyalty, api };
}

export async function onRequest({ request, url, locals }, next) {
  // It opens at the first request, and once for a process: development loads this file again.
  globalThis.openedLoyalty ??= open();
  const { loyalty, api } = await globalThis.openedLoyalty;
  if (url.pathname.startsWith("/loyalty/")) return api.fetch(request);
  locals.cafe = loyalty.organization("cafe");
  return next();
}
