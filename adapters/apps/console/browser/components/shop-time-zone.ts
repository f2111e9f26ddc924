import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import { hasScopes } from "../api/session.js";
import { getBrowserTimeZone } from "./zoned-time.js";

/** Reads the organization's time zone. Resolves to the browser's time zone if the user may not read the organization's. */
export async function readShopTimeZone({ settings }: Pick<OrganizationCalls, "settings">): Promise<string> {
  return hasScopes("settings:read") ? (await settings.get()).timeZone : getBrowserTimeZone();
}
