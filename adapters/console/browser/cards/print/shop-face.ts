import type { OrganizationCalls } from "../../../../../src/operations/groups.js";
import { may } from "../../api/session.js";

/** The shop as customers see it. */
export interface ShopFace {
  /** `null` where it has none, and for who may not read it. */
  readonly name: string | null;
}

export async function loadShopFace({ messageSettings }: OrganizationCalls): Promise<ShopFace> {
  if (!may("message:read")) return { name: null };
  return { name: (await messageSettings.get()).senderName };
}
