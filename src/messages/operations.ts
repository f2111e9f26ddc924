import type { Operations } from "../kernel/operation.js";
import {
  addressBounceSchema,
  bounceSchema,
  messageDeliveryPageSchema,
  messageDeliveryQuerySchema,
  messageDeliverySchema,
} from "./delivery-schema.js";
import {
  createMessageSchema,
  listMessageScopes,
  messagePageSchema,
  messagePreviewSchema,
  messageQuerySchema,
  messageSchema,
  testMessageSchema,
  updateMessageSchema,
} from "./schema.js";
import { messageSettingsSchema, updateMessageSettingsSchema } from "./settings-schema.js";
import { putSubscriptionSchema, subscriptionSchema } from "./subscription-schema.js";

export const subscriptionOperations = {
  get: {
    operationId: "getSubscription",
    tag: "Users",
    summary: "Get a user's message consent",
    answer: "The user's consent for each channel, and whether email to their address is suppressed.",
    scope: "user:read",
    isForUsers: true,
    result: subscriptionSchema,
    errors: ["resource_not_found"],
  },
  put: {
    operationId: "putSubscription",
    tag: "Users",
    summary: "Set a user's message consent",
    description:
      "Updates only the fields you provide. The status `SUBSCRIBED` requires the `text` that the user " +
      "agreed to. If the user has unsubscribed or marked an email as spam, it also requires `at`, which " +
      "must be later than when they did so.",
    answer: "The user's updated consent.",
    scope: "user:update",
    isForUsers: true,
    body: putSubscriptionSchema,
    result: subscriptionSchema,
    errors: ["resource_not_found", "customer_unsubscribed"],
  },
} satisfies Operations<"subscriptions">;

export const messageSettingsOperations = {
  get: {
    operationId: "getMessageSettings",
    summary: "Get message settings",
    answer: "The message settings.",
    scope: "message:read",
    result: messageSettingsSchema,
    errors: [],
  },
  update: {
    operationId: "updateMessageSettings",
    summary: "Update message settings",
    description:
      "Updates only the fields you provide; `null` clears a field. The change is recorded in the audit trail.",
    answer: "The updated message settings.",
    scope: "message:send",
    body: updateMessageSettingsSchema,
    result: messageSettingsSchema,
    errors: [],
  },
} satisfies Operations<"messageSettings">;

const AUDIENCE_SCOPES =
  "As with a segment query, an audience defined by a filter also requires the scopes for the data that the " +
  "filter uses. An audience defined by user IDs requires `user:read`.";

export const messageOperations = {
  create: {
    operationId: "createMessage",
    summary: "Create a draft message",
    description:
      "Creates a draft, which isn't delivered until you send it. Before you send it, provide the texts for " +
      "each channel: `subject` and `text` for `email`, and `wallet` for `wallet`. The placeholders " +
      "`{name}`, `{card}`, `{stamps}`, `{toGo}`, `{rewards}` and `{points}` are replaced for each user. The " +
      `\`wallet\` channel and all placeholders except \`{name}\` require a \`templateId\`. ${AUDIENCE_SCOPES}`,
    answer: "The new draft.",
    scope: "message:send",
    scopesFor: listMessageScopes,
    body: createMessageSchema,
    status: 201,
    result: messageSchema,
    errors: ["resource_not_found", "too_many_messages"],
  },
  list: {
    operationId: "listMessages",
    summary: "List messages",
    description: "Returns at most 50 messages per page.",
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
    answer: "The message and its delivery progress.",
    scope: "message:read",
    result: messageSchema,
    errors: ["resource_not_found"],
  },
  update: {
    operationId: "updateMessage",
    summary: "Update a draft",
    description: `Updates only the fields you provide; \`null\` clears the template, the link or a time. ${AUDIENCE_SCOPES}`,
    answer: "The updated draft.",
    scope: "message:send",
    scopesFor: listMessageScopes,
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
    description:
      "Shows what would happen if you sent the message now, without changing anything. The response isn't " +
      `stored, even if you provide an idempotency key. ${AUDIENCE_SCOPES}`,
    answer:
      "The number of users who would receive the message, the number who wouldn't and why, and how long " +
      "sending would take.",
    scope: "message:read",
    result: messagePreviewSchema,
    errors: ["resource_not_found", "message_not_draft", "validation_failed"],
  },
  test: {
    operationId: "testMessage",
    summary: "Send a test message",
    description:
      "Sends a draft to one user through the first channel that reaches them, regardless of consent. Test " +
      "messages aren't counted in the message's totals. An organization can send ten test messages per " +
      "hour.",
    answer: "The delivery, which is skipped if no channel reaches the user.",
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
    description:
      "Sending starts at `sendAt`, or immediately if `sendAt` isn't set, but never during quiet hours. The " +
      "audience is evaluated when sending starts, and each user is checked again right before their email " +
      `is sent. The action is recorded in the audit trail. ${AUDIENCE_SCOPES}`,
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
    description:
      "Emails that were already handed to the mail server may still arrive, but nothing else is sent. The " +
      "message is also removed from cards. The action is recorded in the audit trail.",
    answer: "The canceled message.",
    scope: "message:send",
    result: messageSchema,
    errors: ["resource_not_found", "message_ended"],
  },
  deliveries: {
    operationId: "listMessageDeliveries",
    summary: "List a message's deliveries",
    answer: "A page of deliveries, newest first.",
    scope: "message:read",
    query: messageDeliveryQuerySchema,
    result: messageDeliveryPageSchema,
    errors: ["resource_not_found"],
  },
} satisfies Operations<"messages">;

export const deliveryOperations = {
  get: {
    operationId: "getMessageDelivery",
    summary: "Get an email delivery",
    description: "For an email about a pass, the `pass:read` scope is sufficient.",
    answer: "The email and its ten most recent delivery attempts.",
    scope: "message:read",
    orScope: "pass:read",
    result: messageDeliverySchema,
    errors: ["resource_not_found"],
  },
  bounce: {
    operationId: "bounceMessageDelivery",
    summary: "Report a bounce",
    description:
      "After a `hard` bounce or a `complaint`, nothing is sent to the address until it changes. A `soft` " +
      "bounce is only recorded. You can report a bounce even before the email is marked as accepted.",
    answer: "The bounce was recorded.",
    scope: "message:send",
    body: bounceSchema,
    result: null,
    errors: ["resource_not_found"],
  },
  bounceAddress: {
    operationId: "bounceAddress",
    summary: "Report a bounce by address",
    description: "The response is the same whether or not a user has this address.",
    answer: "If a user has this address, the bounce was recorded.",
    scope: "message:send",
    body: addressBounceSchema,
    result: null,
    errors: [],
  },
} satisfies Operations<"messageDeliveries">;
