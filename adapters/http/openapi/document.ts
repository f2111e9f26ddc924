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
  "User tags": "Labels on users, and queries by combinations of tags.",
  Users: "The customers of the organization.",
  Contacts: "The searchable list of users.",
  Templates: "Designs that passes are issued from.",
  "Wallet passes": "Digital cards, each for one template and one user.",
  Stamps: "Stamps and rewards of passes, kept as a ledger.",
  Events: "Everything that happened in the organization, in commit order.",
  Webhooks: "Endpoints that receive events, signed with Standard Webhooks, with retries.",
  Messages: "Messages to customers, and their settings.",
  Automations: "Actions that run on an event or on a date.",
  Segments: "Saved filters of users by tags and behavior.",
  Statistics: "Daily statistics.",
  Settings: "Settings of the organization.",
  "API tokens": "Bearer tokens with scopes.",
  People: "Staff who sign in to the console, and their roles.",
  Apps: "OAuth 2.0 clients of the organization, and the grants that users gave them.",
  Export: "Full data export.",
  Audit: "The audit trail.",
  Reference: "This document.",
};

const description = `All data belongs to the token's organization; a token never reaches another organization's data.

Bodies are JSON (\`Content-Type: application/json\`, at most 1 MiB). Timestamps are ISO 8601 in UTC with milliseconds.
Unknown fields and parameters are ignored, except inside a tag filter, where they are errors.

A request is checked in this order: path (404) and method (405, with \`Allow\`), token (401), rate limit (429), scope
(403), body and parameters (400, 413, 415, then 422), existence (404), conflict (409).`;

/** The document without its servers, as the inside of a JSON object. Built on first use. */
let text: string | null = null;

/**
 * Returns the OpenAPI 3.1 document for the route table as JSON.
 * @param prefix the path under which the API is served, or an empty string for the root.
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
            "An API token or an OAuth 2.0 access token. Each operation names the scope that the token needs.",
        },
        [OAUTH_SCHEME]: {
          type: "oauth2",
          description: "Where the host serves OAuth 2.0: authorization code with PKCE (S256).",
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
