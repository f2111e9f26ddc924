import * as z from "zod";
import type { Operations } from "../kernel/operation.js";
import {
  deliveryQuerySchema,
  replayResultSchema,
  replaySchema,
  webhookDeliveryPageSchema,
  webhookDeliverySchema,
} from "./delivery-schema.js";
import { eventPageSchema, eventQuerySchema, eventSchema } from "./event-schema.js";
import {
  createWebhookEndpointSchema,
  updateWebhookEndpointSchema,
  webhookEndpointSchema,
  webhookEndpointWithSecretSchema,
} from "./schema.js";

export const eventOperations = {
  list: {
    operationId: "listEvents",
    summary: "List events",
    description:
      "To read every event exactly once, continue from `next`. If there are no new events yet, the page is " +
      "empty but still has `next`. Events are available only until their retention period ends.",
    answer: "A page of events in the order they were committed, and the position to continue from.",
    scope: "webhook:manage",
    query: eventQuerySchema,
    isWide: true,
    result: eventPageSchema,
    errors: ["resource_not_found"],
  },
  get: {
    operationId: "getEvent",
    summary: "Get an event",
    description: "Returns any event that is still stored, except for test events sent to webhook endpoints.",
    answer: "The event.",
    scope: "webhook:manage",
    result: eventSchema,
    errors: ["resource_not_found"],
  },
} satisfies Operations<"events">;

export const webhookOperations = {
  create: {
    operationId: "createWebhookEndpoint",
    summary: "Create a webhook endpoint",
    description:
      "The endpoint receives new events of the types you specify, or of all types by default. The URL must " +
      "use HTTPS and a public host, and can't contain credentials or a fragment. An organization can have " +
      "up to 100 endpoints.",
    answer: "The new endpoint and its signing secret, which is shown only once.",
    scope: "webhook:manage",
    body: createWebhookEndpointSchema,
    status: 201,
    result: webhookEndpointWithSecretSchema,
    errors: ["too_many_webhook_endpoints"],
  },
  list: {
    operationId: "listWebhookEndpoints",
    summary: "List all webhook endpoints",
    answer: "All endpoints, oldest first.",
    scope: "webhook:manage",
    result: z.array(webhookEndpointSchema),
    errors: [],
  },
  get: {
    operationId: "getWebhookEndpoint",
    summary: "Get a webhook endpoint",
    answer: "The endpoint.",
    scope: "webhook:manage",
    result: webhookEndpointSchema,
    errors: ["resource_not_found"],
  },
  update: {
    operationId: "updateWebhookEndpoint",
    summary: "Update a webhook endpoint",
    description:
      "Updates only the fields you provide. `isDisabled: false` enables the endpoint again, so it receives " +
      "pending deliveries and new events. To send the events it missed, replay them.",
    answer: "The updated endpoint.",
    scope: "webhook:manage",
    body: updateWebhookEndpointSchema,
    result: webhookEndpointSchema,
    errors: ["resource_not_found"],
  },
  delete: {
    operationId: "deleteWebhookEndpoint",
    summary: "Delete a webhook endpoint",
    description: "Also deletes the endpoint's deliveries.",
    answer: "The endpoint was deleted.",
    scope: "webhook:manage",
    result: null,
    errors: ["resource_not_found"],
  },
  rotateSecret: {
    operationId: "rotateWebhookSecret",
    summary: "Rotate a webhook endpoint's secret",
    description:
      "For 24 hours, requests are also signed with the previous secret. The request body is optional.",
    answer: "The endpoint and its new secret, which is shown only once.",
    scope: "webhook:manage",
    result: webhookEndpointWithSecretSchema,
    errors: ["resource_not_found"],
  },
  deliveries: {
    operationId: "listWebhookDeliveries",
    summary: "List a webhook endpoint's deliveries",
    answer:
      "A page of deliveries, newest first, each with all of its attempts. `next` is `null` on the last " +
      "page.",
    scope: "webhook:manage",
    query: deliveryQuerySchema,
    result: webhookDeliveryPageSchema,
    errors: ["resource_not_found"],
  },
  replay: {
    operationId: "replayWebhooks",
    summary: "Replay events",
    description:
      "Provide `deliveryId`, `eventId`, or both `since` and `until`. A time range includes `since` but not " +
      "`until`. It can contain at most 10,000 events of the endpoint's types; events of other types aren't " +
      "replayed. Each event keeps its ID.",
    answer: "The number of deliveries created.",
    scope: "webhook:manage",
    body: replaySchema,
    result: replayResultSchema,
    errors: ["resource_not_found", "webhook_endpoint_disabled", "too_many_pending_deliveries"],
  },
  test: {
    operationId: "testWebhookEndpoint",
    summary: "Send a test event",
    description:
      "Sends a `webhook.test` event with the endpoint as its data, regardless of the endpoint's event " +
      "types. Other endpoints don't receive the event, and it doesn't appear in the list of events. The " +
      "request body is optional.",
    answer: "The pending delivery.",
    scope: "webhook:manage",
    status: 201,
    result: webhookDeliverySchema,
    errors: ["resource_not_found", "webhook_endpoint_disabled", "too_many_pending_deliveries"],
  },
} satisfies Operations<"webhooks">;
