import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import type { Settings } from "../../../../../src/settings/schema.js";
import { hasScopes } from "../api/session.js";
import { getBrowserTimeZone } from "./zoned-time.js";

/** Reads the organization's time zone. Resolves to the browser's time zone if the user may not read the organization's. */
export async function readShopTimeZone({ settings }: Pick<OrganizationCalls, "settings">): Promise<string> {
  return hasScopes("settings:read") ? (await settings.get()).timeZone : getBrowserTimeZone();
}

/** Returns the browser's time zone for a shop that is about to get its first name and its time zone, or `null` for any other shop. */
export function suggestTimeZone({ name, timeZone }: Pick<Settings, "name" | "timeZone">): string | null {
  const suggestion = getBrowserTimeZone();
  return name === null && timeZone === "UTC" && suggestion !== "UTC" ? suggestion : null;
}
