import type { MessageChannel, Subscription } from "../../../../src/resources/subscription.js";

/** A customer's consent to messages on one channel. */
export type Consent = Subscription[MessageChannel];

/** Display tone for each status: `good` means that marketing messages may be sent. */
export const tones: Readonly<Record<Consent["status"], "good" | "warn" | "">> = {
  NONE: "",
  PENDING: "warn",
  SUBSCRIBED: "good",
  UNSUBSCRIBED: "",
};

/** Returns whether the customer, rather than the shop, unsubscribed. In that case messages need a new consent. */
export function isCustomerInitiated({ status, source }: Consent): boolean {
  return status === "UNSUBSCRIBED" && source !== "api" && source !== "import";
}
