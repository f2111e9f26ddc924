import type { OrganizationCalls } from "../../../../../src/operations/groups.js";
import { hasScopes } from "../../api/session.js";

/** The shop's branding as customers see it. Parts that are missing or that the caller may not read are `null`. */
export interface ShopBranding {
  readonly name: string | null;
  /** The logo's hash. */
  readonly logo: string | null;
  readonly language: string | null;
}

const unknown: ShopBranding = { name: null, logo: null, language: null };

export async function loadShopBranding({
  settings,
  messageSettings,
}: OrganizationCalls): Promise<ShopBranding> {
  const [{ name, logo, language }, { senderName }] = await Promise.all([
    hasScopes("settings:read") ? settings.get() : unknown,
    hasScopes("message:read") ? messageSettings.get() : { senderName: null },
  ]);
  return { name: name ?? senderName, logo, language };
}
