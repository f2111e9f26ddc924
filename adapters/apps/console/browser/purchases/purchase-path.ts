import type { PurchaseReference } from "../../../../../src/points/schema.js";

/** Returns the path of a purchase's screen. */
export function buildPurchasePath({ source, receipt }: PurchaseReference): string {
  return `/purchases/${encodeURIComponent(source)}/${encodeURIComponent(receipt)}`;
}
