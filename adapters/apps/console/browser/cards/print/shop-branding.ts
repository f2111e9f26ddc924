import type { OrganizationCalls } from "../../../../../../src/operation-groups.js";
import { hasScopes } from "../../api/session.js";

/** The shop's branding, as customers see it. Each field is `null` if it isn't set or the user isn't allowed to read it. */
export interface ShopBranding {
  readonly name: string | null;
  /** The hash of the shop's logo, or `null` if there is none. */
  readonly logo: string | null;
  readonly language: string | null;
}

const unknownBranding: ShopBranding = { name: null, logo: null, language: null };

export async function loadShopBranding({
  settings,
  messageSettings,
}: OrganizationCalls): Promise<ShopBranding> {
  const [{ name, logo, language }, { senderName }] = await Promise.all([
    hasScopes("settings:read") ? settings.get() : unknownBranding,
    hasScopes("message:read") ? messageSettings.get() : { senderName: null },
  ]);
  return { name: name ?? senderName, logo, language };
}
