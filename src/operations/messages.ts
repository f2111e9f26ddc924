import { addressBounceSchema, bounceSchema, messageDeliverySchema } from "../resources/message-delivery.js";
import { messageSettingsSchema, updateMessageSettingsSchema } from "../resources/message-settings.js";
import { putSubscriptionSchema, subscriptionSchema } from "../resources/subscription.js";
import type { Operations } from "./operation.js";

/** The operations on the consent of customers. */
export const subscriptionOperations = {
  get: {
    operationId: "getSubscription",
    tag: "Users",
    summary: "See what messages a user has agreed to",
    answer: "The user's consent by channel, and whether the address takes mail.",
    scope: "user:read",
    isForUsers: true,
    result: subscriptionSchema,
    errors: ["resource_not_found"],
  },
  put: {
    operationId: "putSubscription",
    tag: "Users",
    summary: "Note a user's consent to messages, or its end",
    description: [
      "Only sent fields change. `SUBSCRIBED` needs the `text` that was agreed to. Once the user has ended messages by a link or a",
      "complaint, it needs the time of a new consent (`at`) too, later than that.",
    ].join(" "),
    answer: "The user's consent as it is now.",
    scope: "user:update",
    isForUsers: true,
    body: putSubscriptionSchema,
    result: subscriptionSchema,
    errors: ["resource_not_found", "customer_unsubscribed"],
  },
} satisfies Operations<"subscriptions">;

/** The operations on the settings of what an organization sends. */
export const messageSettingsOperations = {
  get: {
    operationId: "getMessageSettings",
    summary: "Get the settings of mails and messages",
    answer: "The settings.",
    scope: "message:read",
    result: messageSettingsSchema,
    errors: [],
  },
  update: {
    operationId: "updateMessageSettings",
    summary: "Change the settings of mails and messages",
    description: "Only sent fields change; `null` clears one. The audit trail tells of it.",
    answer: "The settings as they are now.",
    scope: "message:send",
    body: updateMessageSettingsSchema,
    result: messageSettingsSchema,
    errors: [],
  },
} satisfies Operations<"messageSettings">;

/** The operations on single mails. */
export const deliveryOperations = {
  get: {
    operationId: "getMessageDelivery",
    summary: "Get a mail on its way to a user",
    description: "For one that is about a pass the scope `pass:read` is enough.",
    answer: "The mail, with its last ten attempts.",
    scope: "message:read",
    orScope: "pass:read",
    result: messageDeliverySchema,
    errors: ["resource_not_found"],
  },
  bounce: {
    operationId: "bounceMessageDelivery",
    summary: "Note that a mail has come back",
    description: [
      "After a `hard` bounce or a `complaint` nothing is sent to the address until it is changed; a `soft` one is noted alone.",
      "It may come before the mail is known to have been accepted.",
    ].join(" "),
    answer: "It is noted.",
    scope: "message:send",
    body: bounceSchema,
    result: null,
    errors: ["resource_not_found"],
  },
  bounceAddress: {
    operationId: "bounceAddress",
    summary: "Note that mails to an address have come back",
    description: "The answer is the same whether or not a user has the address.",
    answer: "It is noted where a user has the address.",
    scope: "message:send",
    body: addressBounceSchema,
    result: null,
    errors: [],
  },
} satisfies Operations<"messageDeliveries">;
