import { eventTypes } from "../../../src/event-types.js";
import { eventOfType, eventSchemaName } from "../../../src/resources/event.js";
import { webhookEndpointSchema } from "../../../src/resources/webhook-endpoint.js";
import type { Part } from "./parameters.js";

const TEST = "webhook.test";

/** Endpoints also receive this event, which is none of the outbox. */
export const webhookTestSchema = eventOfType(TEST, webhookEndpointSchema);

const parameters = [
  ["webhook-id", "The id of the event, the same for each delivery and attempt.", { type: "string" }],
  ["webhook-timestamp", "When the attempt was made, in seconds since the Unix epoch.", { type: "integer" }],
  [
    "webhook-signature",
    "`v1,` and the HMAC-SHA256 in Base64 of the id, the timestamp and the body, joined by dots: one for each secret, with spaces between.",
    { type: "string" },
  ],
].map(([name, description, schema]) => ({ name, in: "header", required: true, description, schema }));

const responses = {
  "2XX": { description: "The delivery has arrived." },
  410: { description: "Nothing is to be sent any more: the endpoint is disabled." },
  default: {
    description: "Anything else, and none within the time that a receiver has, is tried again later.",
  },
};

/** Returns the webhooks that are sent to endpoints, one entry for each event type. */
export function webhooksOf(): Part {
  const types = [...eventTypes, TEST];
  return Object.fromEntries(
    types.map((type) => {
      const schema = { $ref: `#/components/schemas/${eventSchemaName(type)}` };
      const about =
        type === TEST ? "Sent on demand, to try an endpoint." : `An event \`${type}\` is delivered.`;
      return [
        type,
        {
          post: {
            operationId: `on${eventSchemaName(type)}`,
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
