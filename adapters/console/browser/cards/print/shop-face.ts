import type { OrganizationCalls } from "../../../../../src/operations/groups.js";
import { may } from "../../api/session.js";

/** The shop as customers see it. What it has not, and what somebody may not read, is `null`. */
export interface ShopFace {
  readonly name: string | null;
  /** The hash of a picture. */
  readonly logo: string | null;
  readonly language: string | null;
}

const unknown: ShopFace = { name: null, logo: null, language: null };

export async function loadShopFace({ settings, messageSettings }: OrganizationCalls): Promise<ShopFace> {
  const [{ name, logo, language }, { senderName }] = await Promise.all([
    may("settings:read") ? settings.get() : unknown,
    may("message:read") ? messageSettings.get() : { senderName: null },
  ]);
  return { name: name ?? senderName, logo, language };
}
