import { contactPageSchema, contactQuerySchema } from "../../../src/resources/contact.js";
import { operation, type Route } from "./route.js";

export const contactRoutes: readonly Route[] = [
  operation({
    method: "GET",
    path: "/v1/contacts",
    operationId: "listContacts",
    tag: "Contacts",
    summary: "List contacts",
    description: [
      "Searches, filters, sorts and pages through the users of the organization. With a stamp filter",
      "(`templateId`, `minStamps`, `maxStamps`) a contact matches when any one of its passes of that template",
      "is within both bounds.",
    ].join(" "),
    answer: "One page of contacts with exact totals. A page past the end is empty.",
    scope: "user:read",
    query: contactQuerySchema,
    status: 200,
    output: contactPageSchema,
    errors: [],
    handle: (organization, { query }) => organization.contacts.list(query),
  }),
];
