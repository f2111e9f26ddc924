import { scopesOfMessage } from "../messages/audience.js";
import {
  createMessageSchema,
  messagePageSchema,
  messagePreviewSchema,
  messageQuerySchema,
  messageSchema,
  testMessageSchema,
  updateMessageSchema,
} from "../resources/message.js";
import {
  addressBounceSchema,
  bounceSchema,
  messageDeliveryPageSchema,
  messageDeliveryQuerySchema,
  messageDeliverySchema,
} from "../resources/message-delivery.js";
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

const AUDIENCE_SCOPES =
  "An audience by filter needs the scopes of what the filter reads too, as a query of segments does, and one of users `user:read`.";

/** The operations on messages. */
export const messageOperations = {
  create: {
    operationId: "createMessage",
    summary: "Draft a message",
    description: [
      "Nobody gets it until it is sent. Its channels need texts by then: `email` needs `subject` and `text`, `wallet` needs `wallet`.",
      "`{name}`, `{card}`, `{stamps}`, `{toGo}` and `{rewards}` in them are filled in for each user; all but `{name}` need",
      `a \`templateId\`, and so does the channel \`wallet\`. ${AUDIENCE_SCOPES}`,
    ].join(" "),
    answer: "The draft.",
    scope: "message:send",
    scopesFor: scopesOfMessage,
    body: createMessageSchema,
    status: 201,
    result: messageSchema,
    errors: ["resource_not_found", "too_many_messages"],
  },
  list: {
    operationId: "listMessages",
    summary: "List messages",
    description: "A page has 50 messages at most.",
    answer: "A page of messages, newest first.",
    scope: "message:read",
    query: messageQuerySchema,
    isWide: true,
    result: messagePageSchema,
    errors: [],
  },
  get: {
    operationId: "getMessage",
    summary: "Get a message",
    answer: "The message, and how far it has come.",
    scope: "message:read",
    result: messageSchema,
    errors: ["resource_not_found"],
  },
  update: {
    operationId: "updateMessage",
    summary: "Change a draft",
    description: `Only sent fields change; \`null\` clears the template, the link or a time. ${AUDIENCE_SCOPES}`,
    answer: "The draft as it is now.",
    scope: "message:send",
    scopesFor: scopesOfMessage,
    body: updateMessageSchema,
    result: messageSchema,
    errors: ["resource_not_found", "message_not_draft"],
  },
  delete: {
    operationId: "deleteMessage",
    summary: "Delete a draft",
    answer: "The draft is deleted.",
    scope: "message:send",
    result: null,
    errors: ["resource_not_found", "message_not_draft"],
  },
  preview: {
    operationId: "previewMessage",
    summary: "See what would happen if a message were sent now",
    description: `It changes nothing, and no answer is kept for an idempotency key. ${AUDIENCE_SCOPES}`,
    answer: "How many users would get it, how many would not and why, and how long sending would take.",
    scope: "message:read",
    result: messagePreviewSchema,
    errors: ["resource_not_found", "message_not_draft", "validation_failed"],
  },
  test: {
    operationId: "testMessage",
    summary: "Send a draft to one user as a test",
    description: [
      "It goes by the first of the message's channels that reaches the user, whatever that user has agreed to, and counts in no sum.",
      "An organization may send ten tests an hour.",
    ].join(" "),
    answer: "The delivery, which is skipped where no channel reaches the user.",
    scope: "message:send",
    body: testMessageSchema,
    status: 202,
    result: messageDeliverySchema,
    location: "/v1/message-deliveries",
    errors: [
      "resource_not_found",
      "message_not_draft",
      "mail_not_configured",
      "wallets_not_configured",
      "message_tested_recently",
    ],
  },
  send: {
    operationId: "sendMessage",
    summary: "Send a message",
    description: [
      "It begins at its `sendAt`, or at once, and waits until quiet hours are over. The audience is read when it begins, and each",
      `user again before a mail goes out. The audit trail tells of it. ${AUDIENCE_SCOPES}`,
    ].join(" "),
    answer: "The message, which is scheduled.",
    scope: "message:send",
    status: 202,
    result: messageSchema,
    errors: [
      "resource_not_found",
      "message_not_draft",
      "mail_not_configured",
      "wallets_not_configured",
      "too_many_messages",
      "validation_failed",
    ],
  },
  cancel: {
    operationId: "cancelMessage",
    summary: "Cancel a message",
    description:
      "Nothing goes out after it but what is being sent at that moment. Cards lose the message. The audit trail tells of it.",
    answer: "The message, which is canceled.",
    scope: "message:send",
    result: messageSchema,
    errors: ["resource_not_found", "message_ended"],
  },
  deliveries: {
    operationId: "listMessageDeliveries",
    summary: "List the deliveries of a message",
    answer: "A page of the deliveries so far, newest first.",
    scope: "message:read",
    query: messageDeliveryQuerySchema,
    result: messageDeliveryPageSchema,
    errors: ["resource_not_found"],
  },
} satisfies Operations<"messages">;

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
