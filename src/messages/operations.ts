import type { Operations } from "../kernel/operation.js";
import { scopesOfMessage } from "./audience.js";
import {
  addressBounceSchema,
  bounceSchema,
  messageDeliveryPageSchema,
  messageDeliveryQuerySchema,
  messageDeliverySchema,
} from "./delivery-schema.js";
import {
  createMessageSchema,
  messagePageSchema,
  messagePreviewSchema,
  messageQuerySchema,
  messageSchema,
  testMessageSchema,
  updateMessageSchema,
} from "./schema.js";
import { messageSettingsSchema, updateMessageSettingsSchema } from "./settings-schema.js";
import { putSubscriptionSchema, subscriptionSchema } from "./subscription-schema.js";

/** Operations that manage customers' subscriptions and consent. */
export const subscriptionOperations = {
  get: {
    operationId: "getSubscription",
    tag: "Users",
    summary: "Get a user's message consent",
    answer: "The user's consent by channel, and whether the address accepts mail.",
    scope: "user:read",
    isForUsers: true,
    result: subscriptionSchema,
    errors: ["resource_not_found"],
  },
  put: {
    operationId: "putSubscription",
    tag: "Users",
    summary: "Set a user's message consent",
    description: [
      "Only the given fields change. `SUBSCRIBED` requires the `text` that the user agreed to. After the user",
      "unsubscribed or complained, `SUBSCRIBED` also requires `at`, a later time than that.",
    ].join(" "),
    answer: "The user's current consent.",
    scope: "user:update",
    isForUsers: true,
    body: putSubscriptionSchema,
    result: subscriptionSchema,
    errors: ["resource_not_found", "customer_unsubscribed"],
  },
} satisfies Operations<"subscriptions">;

/** Operations that read and change an organization's message settings. */
export const messageSettingsOperations = {
  get: {
    operationId: "getMessageSettings",
    summary: "Get message settings",
    answer: "The settings.",
    scope: "message:read",
    result: messageSettingsSchema,
    errors: [],
  },
  update: {
    operationId: "updateMessageSettings",
    summary: "Update message settings",
    description: "Only the given fields change; `null` clears one. Recorded in the audit trail.",
    answer: "The updated settings.",
    scope: "message:send",
    body: updateMessageSettingsSchema,
    result: messageSettingsSchema,
    errors: [],
  },
} satisfies Operations<"messageSettings">;

const AUDIENCE_SCOPES =
  "An audience by filter also requires the scopes of what the filter reads, as a segment query does; an audience by users requires `user:read`.";

/** Operations that manage messages to customers. */
export const messageOperations = {
  create: {
    operationId: "createMessage",
    summary: "Create a draft message",
    description: [
      "A draft isn't delivered until you send it. By then, each of its channels needs its texts: `email` needs",
      "`subject` and `text`, `wallet` needs `wallet`. The placeholders `{name}`, `{card}`, `{stamps}`, `{toGo}` and",
      "`{rewards}` are filled in for each user; all except `{name}` require a `templateId`, as the `wallet` channel",
      `does. ${AUDIENCE_SCOPES}`,
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
    description: "A page has at most 50 messages.",
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
    answer: "The message and its progress.",
    scope: "message:read",
    result: messageSchema,
    errors: ["resource_not_found"],
  },
  update: {
    operationId: "updateMessage",
    summary: "Update a draft",
    description: `Only the given fields change; \`null\` clears the template, the link or a time. ${AUDIENCE_SCOPES}`,
    answer: "The updated draft.",
    scope: "message:send",
    scopesFor: scopesOfMessage,
    body: updateMessageSchema,
    result: messageSchema,
    errors: ["resource_not_found", "message_not_draft"],
  },
  delete: {
    operationId: "deleteMessage",
    summary: "Delete a draft",
    answer: "The draft was deleted.",
    scope: "message:send",
    result: null,
    errors: ["resource_not_found", "message_not_draft"],
  },
  preview: {
    operationId: "previewMessage",
    summary: "Preview a message",
    description: [
      "Shows what would happen if you sent the message now. It changes nothing, and its response isn't stored for",
      `an idempotency key. ${AUDIENCE_SCOPES}`,
    ].join(" "),
    answer:
      "The number of users who would receive it, the number who wouldn't and why, and how long sending would take.",
    scope: "message:read",
    result: messagePreviewSchema,
    errors: ["resource_not_found", "message_not_draft", "validation_failed"],
  },
  test: {
    operationId: "testMessage",
    summary: "Send a test message",
    description: [
      "Sends a draft to one user. Uses the first channel that reaches the user, regardless of consent. Tests are",
      "not counted in the message's totals. An organization can send ten tests an hour.",
    ].join(" "),
    answer: "The delivery. It is skipped if no channel reaches the user.",
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
      "Sending starts at `sendAt`, or immediately, but not during quiet hours. The audience is evaluated at the",
      `start, and each user again before their mail is sent. Recorded in the audit trail. ${AUDIENCE_SCOPES}`,
    ].join(" "),
    answer: "The scheduled message.",
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
    description: [
      "Mails already handed to the mail server may still arrive; nothing else is sent. The message is removed from",
      "cards. Recorded in the audit trail.",
    ].join(" "),
    answer: "The canceled message.",
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

/** Operations that track the delivery of messages. */
export const deliveryOperations = {
  get: {
    operationId: "getMessageDelivery",
    summary: "Get a mail delivery",
    description: "For a mail about a pass, the scope `pass:read` is enough.",
    answer: "The mail, with its last ten attempts.",
    scope: "message:read",
    orScope: "pass:read",
    result: messageDeliverySchema,
    errors: ["resource_not_found"],
  },
  bounce: {
    operationId: "bounceMessageDelivery",
    summary: "Report a bounce",
    description: [
      "After a `hard` bounce or a `complaint`, nothing is sent to the address until it changes. A `soft` bounce is",
      "only recorded. You can report a bounce before the mail is marked as accepted.",
    ].join(" "),
    answer: "The bounce was recorded.",
    scope: "message:send",
    body: bounceSchema,
    result: null,
    errors: ["resource_not_found"],
  },
  bounceAddress: {
    operationId: "bounceAddress",
    summary: "Report a bounce by address",
    description: "The response is the same whether or not a user has the address.",
    answer: "The bounce was recorded if a user has the address.",
    scope: "message:send",
    body: addressBounceSchema,
    result: null,
    errors: [],
  },
} satisfies Operations<"messageDeliveries">;
