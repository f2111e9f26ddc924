import { apiKeyRoutes } from "./api-keys.js";
import { appRoutes } from "./apps.js";
import { auditRoutes } from "./audit.js";
import { contactRoutes } from "./contacts.js";
import { documentRoute } from "./document.js";
import { eventRoutes } from "./events.js";
import type { Route } from "./route.js";
import { stampRoutes } from "./stamps.js";
import { statisticsRoutes } from "./statistics.js";
import { templateRoutes } from "./templates.js";
import { userTagRoutes } from "./user-tags.js";
import { userRoutes } from "./users.js";
import { walletPassRoutes } from "./wallet-passes.js";
import { webhookEndpointRoutes } from "./webhook-endpoints.js";

/** Every route of the interface. Routing, scope checks and the OpenAPI document all come from this table. */
export const routes: readonly Route[] = [
  ...userTagRoutes,
  ...userRoutes,
  ...contactRoutes,
  ...templateRoutes,
  ...walletPassRoutes,
  ...stampRoutes,
  ...eventRoutes,
  ...webhookEndpointRoutes,
  ...statisticsRoutes,
  ...apiKeyRoutes,
  ...appRoutes,
  ...auditRoutes,
  documentRoute,
];
