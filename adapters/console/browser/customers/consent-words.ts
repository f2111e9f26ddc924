import type { MessageChannel, Subscription } from "../../../../src/resources/subscription.js";

/** A customer's consent to messages on one channel. */
export type Consent = Subscription[MessageChannel];

/** The tone in which each status is shown: `good` if news may be sent. */
export const tones: Readonly<Record<Consent["status"], "good" | "warn" | "">> = {
  NONE: "",
  PENDING: "warn",
  SUBSCRIBED: "good",
  UNSUBSCRIBED: "",
};

/** Returns whether the customer has ended messages, and not the shop for them: only a new consent counts then. */
export function isCustomerInitiated({ status, source }: Consent): boolean {
  return status === "UNSUBSCRIBED" && source !== "api" && source !== "import";
}
