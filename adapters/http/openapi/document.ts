import type { ErrorCode } from "../../../src/base/errors.js";
import { scopeWords } from "../../../src/base/scopes.js";
import type { Tag } from "../../../src/kernel/operation.js";
import { type CallRoute, type DocumentRoute, type Route, routes } from "../routes.js";
import { buildErrorResponses, errorFormats, errorResponses } from "./errors.js";
import {
  actorParameter,
  buildPathParameters,
  buildQueryParameters,
  describeHeader,
  idempotencyKeyParameter,
  type OpenApiNode,
  preferParameter,
  replayedHeader,
  sharedHeaderRefs,
  sharedHeaders,
} from "./parameters.js";
import { buildSchemas, type RouteSchemas } from "./schemas.js";
import { buildWebhooks } from "./webhooks.js";

/**
 * The name of the security scheme for bearer tokens that callers get outside OAuth. See {@link OAUTH_SCHEME} for OAuth tokens.
 */
const SECURITY_SCHEME = "bearerToken";

const OAUTH_SCHEME = "oauth2";

const commonErrors: readonly ErrorCode[] = [
  "malformed_request",
  "unauthorized",
  "rate_limit_exceeded",
  "access_denied",
  "address_not_allowed",
  "validation_failed",
  "internal_error",
  "storage_unavailable",
];

const valueErrors: readonly ErrorCode[] = ["wrong_param_type"];

const idempotencyErrors: readonly ErrorCode[] = ["idempotency_key_reused", "idempotency_key_in_use"];

const bodyErrors: readonly ErrorCode[] = ["payload_too_large", "unsupported_media_type"];

/** Schema that client generators recognize as binary data. */
const binarySchema: OpenApiNode = { type: "string", format: "binary" };

const tags: Readonly<Record<Tag, string>> = {
  "User tags": "Labels for users, and queries that combine tags.",
  Users: "The organization's customers.",
  Contacts: "A searchable list of users.",
  Templates: "The types and designs of passes that you can issue.",
  "Wallet passes": "Digital cards, each issued to one user from one template.",
  Stamps: "The stamps and rewards on passes, recorded in a ledger.",
  Points: "The points on passes, recorded in a ledger.",
  Purchases: "What customers bought and returned, and the stamps and points that this gives.",
  Events: "Everything that has happened in the organization, in commit order.",
  Webhooks:
    "Endpoints that receive events. Requests are signed according to the Standard Webhooks specification " +
    "and retried if they fail.",
  Messages: "Messages to customers, and the settings for messages.",
  Automations: "Actions that run automatically when an event occurs or on the anniversary of a date.",
  Segments: "Saved filters that select users by their tags and behavior.",
  Statistics: "Daily statistics.",
  Settings: "The organization's settings.",
  "API tokens": "Bearer tokens for the API, limited by their scopes.",
  People: "Staff members who sign in to the console, and their roles.",
  Apps: "The organization's OAuth 2.0 clients, and the access that users have granted to apps.",
  Export: "An export of all of the organization's data.",
  Audit: "The organization's audit trail.",
  Reference: "This OpenAPI document.",
};

const description = `Each token can access only its own organization's data.

Request and response bodies are JSON (\`Content-Type: application/json\`, at most 1 MiB). Timestamps are ISO 8601 in UTC with milliseconds.
Unknown fields and parameters are ignored, except in tag filters, where they cause an error.

Requests are checked in this order: path (404) and method (405, with \`Allow\`), token (401), rate limit (429), scope
(403), body and parameters (400, 413, 415, then 422), existence (404), and conflicts (409).`;

/** The document without its servers, as the inside of a JSON object. Built on first use. */
let cachedDocument: string | null = null;

/**
 * Returns the API's OpenAPI 3.1 document as JSON.
 * @param prefix the path where the API is mounted, or an empty string for the root.
 */
export function getOpenApiJson(prefix: string): string {
  cachedDocument ??= JSON.stringify(buildDocument(routes)).slice(1);
  return `{"openapi":"3.1.0","servers":${JSON.stringify([{ url: prefix === "" ? "/" : prefix }])},${cachedDocument}`;
}

function buildDocument(allRoutes: readonly Route[]): OpenApiNode {
  const schemas = buildSchemas(allRoutes);
  return {
    info: { title: "loyalty-kit", version: "1", description, license: { name: "MIT", identifier: "MIT" } },
    tags: Object.entries(tags).map(([name, about]) => ({ name, description: about })),
    paths: buildPaths(allRoutes, (route) => describeOperation(route, schemas)),
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

function buildPaths(allRoutes: readonly Route[], describe: (route: Route) => OpenApiNode): OpenApiNode {
  const paths: Record<string, Record<string, OpenApiNode>> = {};
  for (const route of allRoutes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: describe(route) };
  }
  return paths;
}

function describeOperation(route: Route, schemas: RouteSchemas): OpenApiNode {
  const { operationId, tag, summary, description } = route;
  const commonFields = { operationId, tags: [tag], summary };
  if (route.scope === null)
    return { ...commonFields, security: [], responses: { 200: describeDocumentResponse(route) } };
  const query = schemas.query.get(operationId);
  const body = schemas.body.get(operationId);
  const parameters = [
    ...buildPathParameters(route.path),
    ...(query === undefined ? [] : buildQueryParameters(query, buildQueryName(operationId))),
    ...(acceptsIdempotencyKey(route) ? [idempotencyKeyParameter] : []),
    ...(route.method === "GET" ? [] : [actorParameter]),
    preferParameter,
  ];
  const { scope } = route;
  const scopes = route.orScope === undefined ? [scope] : [scope, route.orScope];
  return {
    ...commonFields,
    description: [
      ...(description === undefined ? [] : [description]),
      `Scope: ${scopes.map((each) => `\`${each}\``).join(" or ")}`,
    ].join("\n\n"),
    ...("deprecated" in route && route.deprecated && { deprecated: true }),
    security: scopes.flatMap((each) => [{ [SECURITY_SCHEME]: [each] }, { [OAUTH_SCHEME]: [each] }]),
    parameters,
    ...(body !== undefined && { requestBody: { required: !route.needsNoBody, content: describeJson(body) } }),
    responses: {
      [route.streamed ? 200 : route.status]: describeResponse(route, schemas),
      ...("statusOfNew" in route && { [route.statusOfNew]: describeResponse(route, schemas) }),
      ...buildErrorResponses(listErrors(route)),
    },
  };
}

/** Returns the name under which the sentences about an operation's query are found, such as `ListPurchasesQuery`. */
function buildQueryName(operationId: string): string {
  return `${operationId.slice(0, 1).toUpperCase()}${operationId.slice(1)}Query`;
}

function acceptsIdempotencyKey({ method }: Route): boolean {
  return method === "POST";
}

function listErrors(route: CallRoute): ErrorCode[] {
  const { query, body, errors } = route;
  return [
    ...commonErrors,
    ...(acceptsIdempotencyKey(route) ? idempotencyErrors : []),
    ...(query === undefined && body === undefined ? [] : valueErrors),
    ...(body === undefined ? [] : bodyErrors),
    ...errors,
  ];
}

function describeResponse(route: CallRoute, schemas: RouteSchemas): OpenApiNode {
  const schema = schemas.output.get(route.operationId);
  return {
    description: route.answer,
    headers: {
      ...sharedHeaderRefs,
      ...(acceptsIdempotencyKey(route) && replayedHeader),
      ...(!route.streamed && route.location !== undefined && describeLocationHeader(route.location)),
      ...("deprecated" in route && route.deprecated && describeDeprecationHeaders(route.deprecated)),
    },
    ...(schema !== undefined && { content: describeJson(schema) }),
    ...("file" in route && { content: { [route.file.type]: { schema: binarySchema } } }),
  };
}

function describeDeprecationHeaders({ since, successor }: { since: number; successor: string }): OpenApiNode {
  return {
    Deprecation: describeHeader("When this operation was deprecated (RFC 9745).", `@${since}`),
    Link: describeHeader("The operation that replaces this one.", `<${successor}>; rel="successor-version"`),
  };
}

function describeLocationHeader(path: string): OpenApiNode {
  return {
    Location: describeHeader(
      "The URL of the new resource.",
      `${path}/mdl_0199a5d2-85c9-7d03-a7e2-5b8c4f1d6e90`,
    ),
  };
}

function describeDocumentResponse({ answer: description }: DocumentRoute): OpenApiNode {
  return { description, content: describeJson({ type: "object" }) };
}

function describeJson(schema: OpenApiNode): OpenApiNode {
  return { "application/json": { schema } };
}
