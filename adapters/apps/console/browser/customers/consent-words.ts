import type { MessageChannel, Subscription } from "../../../../../src/messages/subscription-schema.js";

/** The status of a customer's consent to receive messages on one channel. */
export type Consent = Subscription[MessageChannel];

/** The display tone for each consent status. `good` means that the shop is allowed to send marketing messages. */
export const tones: Readonly<Record<Consent["status"], "good" | "warn" | "">> = {
  NONE: "",
  PENDING: "warn",
  SUBSCRIBED: "good",
  UNSUBSCRIBED: "",
};

/**
 * Returns whether the consent ended because the customer unsubscribed, rather than through the API or an import. If so, the shop
 * needs new consent before it can send messages.
 */
export function isCustomerInitiated({ status, source }: Consent): boolean {
  return status === "UNSUBSCRIBED" && source !== "api" && source !== "import";
}
