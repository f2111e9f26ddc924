import { z } from "zod";
import {
  apiTokenSchema,
  createApiTokenSchema,
  createdApiTokenSchema,
  rotateApiTokenSchema,
} from "../../../src/resources/api-token.js";
import { madeByTokenSchema } from "../../../src/resources/made-by-token.js";
import { type Scope, scopes } from "../../../src/scopes.js";
import { operation, type Route } from "./route.js";

export const apiKeyRoutes: readonly Route[] = [
  operation({
    method: "POST",
    path: "/v1/api-keys",
    operationId: "createApiToken",
    tag: "API keys",
    summary: "Issue an API token",
    description: "No token can grant a scope that it lacks itself.",
    answer: "The new token. It is shown this once and never again.",
    scope: "api_token:manage",
    body: createApiTokenSchema,
    status: 201,
    output: createdApiTokenSchema,
    errors: ["too_many_api_tokens"],
    scopesFor: scopesIn,
    handle: (organization, { body }) => organization.apiTokens.create(body),
  }),
  operation({
    method: "GET",
    path: "/v1/api-keys",
    operationId: "listApiTokens",
    tag: "API keys",
    summary: "List all API tokens",
    answer: "All tokens, oldest first, expired ones too.",
    scope: "api_token:manage",
    status: 200,
    output: z.array(apiTokenSchema),
    errors: [],
    handle: (organization) => organization.apiTokens.list(),
  }),
  operation({
    method: "GET",
    path: "/v1/api-keys/{id}/made",
    operationId: "getMadeByApiToken",
    tag: "API keys",
    summary: "See what an API token has made",
    description:
      "Also of a token that is revoked: the tokens, apps, grants and webhook endpoints that are there still, and which of the grants made with it have ended. Endpoints and ended grants are known as far back as the audit trail goes.",
    answer: "What it has made, each oldest first.",
    scope: "api_token:manage",
    status: 200,
    output: madeByTokenSchema,
    errors: ["resource_not_found"],
    handle: (organization, { params }) => organization.apiTokens.made(params.id),
  }),
  operation({
    method: "POST",
    path: "/v1/api-keys/{id}/rotate",
    operationId: "rotateApiToken",
    tag: "API keys",
    summary: "Give an API token another secret",
    description:
      "The token keeps its id, name and scopes, and its end unless `expiresAt` is given, `null` for never. The secret before ends at once, or is a token of its own for `overlapSeconds`. It needs no body.",
    answer: "The token, and its new secret, which is shown this once and never again.",
    scope: "api_token:manage",
    body: rotateApiTokenSchema,
    needsNoBody: true,
    status: 200,
    output: createdApiTokenSchema,
    errors: ["resource_not_found", "too_many_api_tokens"],
    handle: (organization, { params, body }) => organization.apiTokens.rotate(params.id, body),
  }),
  operation({
    method: "DELETE",
    path: "/v1/api-keys/{id}",
    operationId: "deleteApiToken",
    tag: "API keys",
    summary: "Revoke an API token",
    answer: "The token is revoked.",
    scope: "api_token:manage",
    status: 204,
    output: null,
    errors: ["resource_not_found"],
    handle: (organization, { params }) => organization.apiTokens.delete(params.id),
  }),
];

/** The scopes that a token or app is asked for with, as far as they are some. */
export function scopesIn(body: unknown): Scope[] {
  if (typeof body !== "object" || body === null || !("scopes" in body) || !Array.isArray(body.scopes))
    return [];
  return scopes.filter((scope) => Array.isArray(body.scopes) && body.scopes.includes(scope));
}
