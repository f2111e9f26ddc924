import { eventTypes } from "../../../src/base/event-types.js";
import { buildEventSchema, toEventSchemaName } from "../../../src/webhooks/event-schema.js";
import { webhookEndpointSchema } from "../../../src/webhooks/schema.js";
import type { OpenApiNode } from "./parameters.js";

const TEST_EVENT_TYPE = "webhook.test";

/** The schema of the test event. Endpoints can receive it, although it isn't an outbox event. */
export const webhookTestSchema = buildEventSchema(TEST_EVENT_TYPE, webhookEndpointSchema);

const parameters = [
  ["webhook-id", "The event's ID, which is the same for every delivery and attempt.", { type: "string" }],
  ["webhook-timestamp", "The time of the attempt, in seconds since the Unix epoch.", { type: "integer" }],
  [
    "webhook-signature",
    "`v1,` followed by the Base64 HMAC-SHA256 of the ID, the timestamp and the body, joined by dots. If " +
      "there are several secrets, the header has one signature for each, separated by spaces.",
    { type: "string" },
  ],
].map(([name, description, schema]) => ({ name, in: "header", required: true, description, schema }));

const responses = {
  "2XX": { description: "The delivery was accepted." },
  410: { description: "Disables the endpoint, so it no longer receives events." },
  default: {
    description: "For any other response, or if there is no response in time, the delivery is retried later.",
  },
};

/** Describes the requests that webhook endpoints receive, with one entry per event type. */
export function buildWebhooks(): OpenApiNode {
  const types = [...eventTypes, TEST_EVENT_TYPE];
  return Object.fromEntries(
    types.map((type) => {
      const schema = { $ref: `#/components/schemas/${toEventSchemaName(type)}` };
      const about =
        type === TEST_EVENT_TYPE
          ? "Delivers a test event that you requested."
          : `Delivers ${getArticle(type)} \`${type}\` event.`;
      return [
        type,
        {
          post: {
            operationId: `on${toEventSchemaName(type)}`,
            tags: ["Webhooks"],
            summary: about,
            security: [],
            parameters,
            requestBody: { required: true, content: { "application/json": { schema } } },
            responses,
          },
        },
      ];
    }),
  );
}

/** Returns the indefinite article for an event type. `user` begins with a vowel but sounds like a consonant. */
function getArticle(type: string): "a" | "an" {
  return /^[aeio]/.test(type) ? "an" : "a";
}
