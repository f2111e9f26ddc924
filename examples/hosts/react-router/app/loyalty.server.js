import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { sqliteStorage } from "loyalty-kit/sqlite";

async function open() {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage("loyalty.db") });
  const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), basePath: "/loyalty" });
  process.once("SIGTERM", () => loyalty.close());
  return { loyalty, api };
}

/** Opens at the first request, so that building opens nothing, and once for a process: development loads this file again. */
export function openLoyalty() {
  globalThis.openedLoyalty ??= open().catch((error) => {
    globalThis.openedLoyalty = undefined; // the next request tries again
    throw error;
  });
  return globalThis.openedLoyalty;
}
