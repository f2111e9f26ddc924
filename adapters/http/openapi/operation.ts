import type { ErrorCode } from "../../../src/base/errors.js";
import type { CallRoute, DocumentRoute, Route } from "../routes.js";
import { buildErrorResponses } from "./errors.js";
import type { OpenApiNode } from "./parameters.js";
import {
  actorParameter,
  header,
  idempotencyKeyParameter,
  pathParameters,
  preferParameter,
  queryParameters,
  referencesToShared,
  replayedHeader,
} from "./parameters.js";
import type { RouteSchemas } from "./schemas.js";

/**
 * The name of the security scheme for bearer tokens that callers get outside OAuth. See {@link OAUTH_SCHEME} for OAuth tokens.
 */
export const SECURITY_SCHEME = "bearerToken";
export const OAUTH_SCHEME = "oauth2";

const ofEveryCall: readonly ErrorCode[] = [
  "malformed_request",
  "unauthorized",
  "rate_limit_exceeded",
  "access_denied",
  "address_not_allowed",
  "validation_failed",
  "internal_error",
  "storage_unavailable",
];
const ofValues: readonly ErrorCode[] = ["wrong_param_type"];
const ofIdempotencyKeys: readonly ErrorCode[] = ["idempotency_key_reused", "idempotency_key_in_use"];
const ofBodies: readonly ErrorCode[] = ["payload_too_large", "unsupported_media_type"];

export function describeOperation(route: Route, schemas: RouteSchemas): OpenApiNode {
  const { operationId, tag, summary, description } = route;
  const described = { operationId, tags: [tag], summary };
  if (route.scope === null) return { ...described, security: [], responses: { 200: documentAnswer(route) } };
  const query = schemas.query.get(operationId);
  const body = schemas.body.get(operationId);
  const parameters = [
    ...pathParameters(route.path),
    ...(query === undefined ? [] : queryParameters(query)),
    ...(takesIdempotencyKey(route) ? [idempotencyKeyParameter] : []),
    ...(route.method === "GET" ? [] : [actorParameter]),
    preferParameter,
  ];
  const { scope } = route;
  const scopes = route.orScope === undefined ? [scope] : [scope, route.orScope];
  return {
    ...described,
    description: [
      ...(description === undefined ? [] : [description]),
      `Scope: ${scopes.map((each) => `\`${each}\``).join(" or ")}`,
    ].join("\n\n"),
    ...("deprecated" in route && route.deprecated && { deprecated: true }),
    security: scopes.flatMap((each) => [{ [SECURITY_SCHEME]: [each] }, { [OAUTH_SCHEME]: [each] }]),
    parameters,
    ...(body !== undefined && { requestBody: { required: !route.needsNoBody, content: json(body) } }),
    responses: {
      [route.streamed ? 200 : route.status]: describeResponse(route, schemas),
      ...("statusOfNew" in route && { [route.statusOfNew]: describeResponse(route, schemas) }),
      ...buildErrorResponses(listErrors(route)),
    },
  };
}

function takesIdempotencyKey({ method }: Route): boolean {
  return method === "POST";
}

function listErrors(route: CallRoute): ErrorCode[] {
  const { query, body, errors } = route;
  return [
    ...ofEveryCall,
    ...(takesIdempotencyKey(route) ? ofIdempotencyKeys : []),
    ...(query === undefined && body === undefined ? [] : ofValues),
    ...(body === undefined ? [] : ofBodies),
    ...errors,
  ];
}

function describeResponse(route: CallRoute, schemas: RouteSchemas): OpenApiNode {
  const schema = schemas.output.get(route.operationId);
  return {
    description: route.answer,
    headers: {
      ...referencesToShared,
      ...(takesIdempotencyKey(route) && replayedHeader),
      ...(!route.streamed && route.location !== undefined && locationHeader(route.location)),
      ...("deprecated" in route && route.deprecated && deprecationHeaders(route.deprecated)),
    },
    ...(schema !== undefined && { content: json(schema) }),
    ...("file" in route && { content: { [route.file.type]: { schema: bytes } } }),
  };
}

function deprecationHeaders({ since, successor }: { since: number; successor: string }): OpenApiNode {
  return {
    Deprecation: header("When this operation was deprecated (RFC 9745).", `@${since}`),
    Link: header("The operation that replaces this one.", `<${successor}>; rel="successor-version"`),
  };
}

function locationHeader(path: string): OpenApiNode {
  return {
    Location: header("The URL of the new resource.", `${path}/mdl_0199a5d2-85c9-7d03-a7e2-5b8c4f1d6e90`),
  };
}

/** Schema that client generators recognize as binary data. */
const bytes: OpenApiNode = { type: "string", format: "binary" };

function documentAnswer({ answer: description }: DocumentRoute): OpenApiNode {
  return { description, content: json({ type: "object" }) };
}

function json(schema: OpenApiNode): OpenApiNode {
  return { "application/json": { schema } };
}
