import { eventPageSchema, eventQuerySchema } from "../../../src/resources/event.js";
import { operation, type Route } from "./route.js";

export const eventRoutes: readonly Route[] = [
  operation({
    method: "GET",
    path: "/v1/events",
    operationId: "listEvents",
    tag: "Events",
    summary: "List events",
    description: [
      "To go on from `next`, also from that of an empty page, brings every event once, but for those that were",
      "removed unread for their age or number. A page without events says that there is nothing new yet.",
    ].join(" "),
    answer: "Events in the order of their commits, and where the ones after them begin.",
    scope: "webhook:manage",
    query: eventQuerySchema,
    status: 200,
    output: eventPageSchema,
    errors: ["resource_not_found"],
    handle: (organization, { query }) => organization.events.list(query),
  }),
];
