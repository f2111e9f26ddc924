import * as z from "zod";
import { eventPageSchema, eventQuerySchema, eventSchema } from "../resources/event.js";
import {
  deliveryQuerySchema,
  replayResultSchema,
  replaySchema,
  webhookDeliveryPageSchema,
  webhookDeliverySchema,
} from "../resources/webhook-delivery.js";
import {
  createWebhookEndpointSchema,
  updateWebhookEndpointSchema,
  webhookEndpointSchema,
  webhookEndpointWithSecretSchema,
} from "../resources/webhook-endpoint.js";
import type { Operations } from "./operation.js";

/** The operations on the events of an organization. */
export const eventOperations = {
  list: {
    operationId: "listEvents",
    summary: "List events",
    description: [
      "To go on from `next`, also from that of an empty page, brings every event once, but for those that were",
      "removed unread for their age or number. A page without events says that there is nothing new yet.",
    ].join(" "),
    answer: "Events in the order of their commits, and where the ones after them begin.",
    scope: "webhook:manage",
    query: eventQuerySchema,
    isWide: true,
    result: eventPageSchema,
    errors: ["resource_not_found"],
  },
  get: {
    operationId: "getEvent",
    summary: "Get an event",
    description:
      "Finds an event of the list for as long as events are kept. The test event of a webhook endpoint is never there.",
    answer: "The event, as the list has it.",
    scope: "webhook:manage",
    result: eventSchema,
    errors: ["resource_not_found"],
  },
} satisfies Operations<"events">;

/** The operations on webhook endpoints. */
export const webhookOperations = {
  create: {
    operationId: "createWebhookEndpoint",
    summary: "Add a webhook endpoint",
    description: [
      "It gets the events that come from now on, of the given types, or of all. The URL is https, without user and",
      "fragment, and of no private host. An organization has at most 100 endpoints.",
    ].join(" "),
    answer:
      "The new endpoint and the secret that signs what it gets, which is shown this once and never again.",
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
    summary: "Change, disable or enable a webhook endpoint",
    description: [
      "Only sent fields change. `isDisabled: false` enables an endpoint whatever it was disabled for: it gets what was on",
      "its way then and the events from now on; those in between can be replayed.",
    ].join(" "),
    answer: "The endpoint after it.",
    scope: "webhook:manage",
    body: updateWebhookEndpointSchema,
    result: webhookEndpointSchema,
    errors: ["resource_not_found"],
  },
  delete: {
    operationId: "deleteWebhookEndpoint",
    summary: "Remove a webhook endpoint with its deliveries",
    answer: "The endpoint is removed.",
    scope: "webhook:manage",
    result: null,
    errors: ["resource_not_found"],
  },
  rotateSecret: {
    operationId: "rotateWebhookSecret",
    summary: "Give a webhook endpoint another secret",
    description: "For 24 hours the secret before it signs as well. It needs no body.",
    answer: "The endpoint and its new secret, which is shown this once and never again.",
    scope: "webhook:manage",
    result: webhookEndpointWithSecretSchema,
    errors: ["resource_not_found"],
  },
  deliveries: {
    operationId: "listWebhookDeliveries",
    summary: "List the deliveries of a webhook endpoint",
    answer: "Deliveries, newest first, each with all attempts at it. `next` is null on the last page.",
    scope: "webhook:manage",
    query: deliveryQuerySchema,
    result: webhookDeliveryPageSchema,
    errors: ["resource_not_found"],
  },
  replay: {
    operationId: "replayWebhooks",
    summary: "Send events once more",
    description: [
      "Takes `deliveryId`, `eventId`, or `since` and `until`. The latter stand for the events of that time, from `since` to",
      "before `until`, that the endpoint gets by its types, at most 10,000. Each event keeps its id.",
    ].join(" "),
    answer: "How many deliveries were made.",
    scope: "webhook:manage",
    body: replaySchema,
    result: replayResultSchema,
    errors: ["resource_not_found", "webhook_endpoint_disabled", "too_many_pending_deliveries"],
  },
  test: {
    operationId: "testWebhookEndpoint",
    summary: "Send a test event",
    description: [
      "Sends an event of the kind `webhook.test`, whose data is the endpoint, whatever its types are. Nobody else gets it,",
      "and it is not in the list of events. It needs no body.",
    ].join(" "),
    answer: "The delivery, which is still to be made.",
    scope: "webhook:manage",
    status: 201,
    result: webhookDeliverySchema,
    errors: ["resource_not_found", "webhook_endpoint_disabled", "too_many_pending_deliveries"],
  },
} satisfies Operations<"webhooks">;
