import { scopeWords } from "../../../src/base/scopes.js";
import type { Tag } from "../../../src/kernel/operation.js";
import { type Route, routes } from "../routes.js";
import { errorFormats, errorResponses } from "./errors.js";
import { describeOperation, OAUTH_SCHEME, SECURITY_SCHEME } from "./operation.js";
import type { OpenApiNode } from "./parameters.js";
import { sharedHeaders } from "./parameters.js";
import { buildSchemas } from "./schemas.js";
import { buildWebhooks } from "./webhooks.js";

const tags: Readonly<Record<Tag, string>> = {
  "User tags": "Labels for users, and queries that combine tags.",
  Users: "The organization's customers.",
  Contacts: "A searchable list of users.",
  Templates: "The designs that passes are issued from.",
  "Wallet passes": "Digital cards, each issued to one user from one template.",
  Stamps: "The stamps and rewards on passes, kept as a ledger.",
  Events: "Everything that has happened in the organization, in commit order.",
  Webhooks:
    "Endpoints that receive events. Requests are signed according to Standard Webhooks and retried if they " +
    "fail.",
  Messages: "Messages to customers, and message settings.",
  Automations: "Actions that run on an event or on a date.",
  Segments: "Saved filters of users by tags and behavior.",
  Statistics: "Daily statistics.",
  Settings: "The organization's settings.",
  "API tokens": "Bearer tokens with scopes.",
  People: "Staff members who sign in to the console, and their roles.",
  Apps: "The organization's OAuth 2.0 clients, and the grants users have given to apps.",
  Export: "Export of all data.",
  Audit: "The audit trail.",
  Reference: "This OpenAPI document.",
};

const description = `A token only has access to its own organization's data.

Request and response bodies are JSON (\`Content-Type: application/json\`, at most 1 MiB). Timestamps are ISO 8601 in UTC with milliseconds.
Unknown fields and parameters are ignored, except in tag filters, where they cause an error.

Requests are checked in this order: path (404) and method (405, with \`Allow\`), token (401), rate limit (429), scope
(403), body and parameters (400, 413, 415, then 422), existence (404), and conflicts (409).`;

/** The document without its servers, as the inside of a JSON object. Built on first use. */
let text: string | null = null;

/**
 * Returns the API's OpenAPI 3.1 document as JSON.
 * @param prefix the path where the API is mounted, or an empty string for the root.
 */
export function openApiText(prefix: string): string {
  text ??= JSON.stringify(buildDocument(routes)).slice(1);
  return `{"openapi":"3.1.0","servers":${JSON.stringify([{ url: prefix === "" ? "/" : prefix }])},${text}`;
}

function buildDocument(all: readonly Route[]): OpenApiNode {
  const schemas = buildSchemas(all);
  return {
    info: { title: "loyalty-kit", version: "1", description, license: { name: "MIT", identifier: "MIT" } },
    tags: Object.entries(tags).map(([name, about]) => ({ name, description: about })),
    paths: buildPaths(all, (route) => describeOperation(route, schemas)),
    webhooks: buildWebhooks(),
    components: {
      schemas: { ...schemas.components, ...errorFormats },
      responses: errorResponses,
      headers: sharedHeaders,
      securitySchemes: {
        [SECURITY_SCHEME]: {
          type: "http",
          scheme: "bearer",
          description:
            "An API token or an OAuth 2.0 access token. Each operation lists the scope it requires.",
        },
        [OAUTH_SCHEME]: {
          type: "oauth2",
          description: "The OAuth 2.0 authorization code flow with PKCE (S256), if the server offers it.",
          flows: {
            authorizationCode: {
              authorizationUrl: "/oauth2/authorize",
              tokenUrl: "/oauth2/token",
              refreshUrl: "/oauth2/token",
              scopes: scopeWords,
            },
          },
        },
      },
    },
  };
}

function buildPaths(all: readonly Route[], describe: (route: Route) => OpenApiNode): OpenApiNode {
  const paths: Record<string, Record<string, OpenApiNode>> = {};
  for (const route of all) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: describe(route) };
  }
  return paths;
}
