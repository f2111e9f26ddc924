import * as z from "zod";
import {
  apiTokenSchema,
  createApiTokenSchema,
  createdApiTokenSchema,
  rotateApiTokenSchema,
} from "../resources/api-token.js";
import {
  appSchema,
  appWithSecretSchema,
  createAppSchema,
  createdAppSchema,
  rotateAppSecretSchema,
} from "../resources/app.js";
import {
  auditHeadQuerySchema,
  auditPageSchema,
  auditQuerySchema,
  auditVerificationSchema,
} from "../resources/audit.js";
import { createdByTokenSchema } from "../resources/created-by-token.js";
import { grantSchema, newGrantSchema } from "../resources/grant.js";
import { type Scope, scopes } from "../scopes.js";
import { type Operations, query } from "./operation.js";

/** The operations on API tokens. */
export const apiTokenOperations = {
  create: {
    operationId: "createApiToken",
    summary: "Issue an API token",
    description: "No token can grant a scope that it lacks itself.",
    answer: "The new token. It is shown this once and never again.",
    scope: "api_token:manage",
    body: createApiTokenSchema,
    status: 201,
    result: createdApiTokenSchema,
    errors: ["too_many_api_tokens"],
    scopesFor: scopesIn,
  },
  list: {
    operationId: "listApiTokens",
    summary: "List all API tokens",
    answer: "All tokens, oldest first, expired ones too.",
    scope: "api_token:manage",
    result: z.array(apiTokenSchema),
    errors: [],
  },
  listCreated: {
    operationId: "getCreatedByApiToken",
    summary: "See what an API token has made",
    description:
      "Also of a token that is revoked: the tokens, apps, grants and webhook endpoints that are there still, and which of the grants made with it have ended. Endpoints and ended grants are known as far back as the audit trail goes.",
    answer: "What it has made, each oldest first.",
    scope: "api_token:manage",
    result: createdByTokenSchema,
    errors: ["resource_not_found"],
  },
  rotate: {
    operationId: "rotateApiToken",
    summary: "Give an API token another secret",
    description:
      "The token keeps its id, name and scopes, and its end unless `expiresAt` is given, `null` for never. The secret before ends at once, or is a token of its own for `overlapSeconds`. It needs no body.",
    answer: "The token, and its new secret, which is shown this once and never again.",
    scope: "api_token:manage",
    body: rotateApiTokenSchema,
    needsNoBody: true,
    result: createdApiTokenSchema,
    errors: ["resource_not_found", "too_many_api_tokens"],
  },
  delete: {
    operationId: "deleteApiToken",
    summary: "Revoke an API token",
    answer: "The token is revoked.",
    scope: "api_token:manage",
    result: null,
    errors: ["resource_not_found"],
  },
} satisfies Operations<"apiTokens">;

/** The operations on the OAuth 2.0 clients of an organization. */
export const appOperations = {
  create: {
    operationId: "createApp",
    summary: "Register an app",
    description:
      "An OAuth 2.0 client, for scopes that the token has itself. One that `isPublic`, such as an app on a phone or in a " +
      "browser, has no secret.",
    answer: "The new app, and its secret, which is shown this once and never again; `null` for a public app.",
    scope: "api_token:manage",
    body: createAppSchema,
    status: 201,
    result: createdAppSchema,
    errors: ["too_many_apps"],
    scopesFor: scopesIn,
  },
  list: {
    operationId: "listApps",
    summary: "List all apps",
    answer: "All apps that the organization has registered, oldest first.",
    scope: "api_token:manage",
    result: z.array(appSchema),
    errors: [],
  },
  get: {
    operationId: "getApp",
    summary: "Get an app",
    answer: "The app.",
    scope: "api_token:manage",
    result: appSchema,
    errors: ["resource_not_found"],
  },
  rotateSecret: {
    operationId: "rotateAppSecret",
    summary: "Give an app another secret",
    description:
      "The one before is good for 24 hours beside it, unless it is to end `immediately`. It needs no body.",
    answer: "The app, and its new secret, which is shown this once and never again.",
    scope: "api_token:manage",
    body: rotateAppSecretSchema,
    needsNoBody: true,
    result: appWithSecretSchema,
    errors: ["resource_not_found", "app_has_no_secret"],
  },
  delete: {
    operationId: "deleteApp",
    summary: "Remove an app",
    answer: "The app is removed, and all its tokens have ended.",
    scope: "api_token:manage",
    result: null,
    errors: ["resource_not_found"],
  },
} satisfies Operations<"apps">;

/** The operations on what users allow apps. */
export const grantOperations = {
  list: {
    operationId: "listGrants",
    summary: "List what apps are allowed",
    answer: "What users of the organization allow apps of any organization, oldest first.",
    scope: "api_token:manage",
    result: z.array(grantSchema),
    errors: [],
  },
  delete: {
    operationId: "deleteGrant",
    summary: "End what an app is allowed",
    answer: "The grant has ended, with all its tokens.",
    scope: "api_token:manage",
    result: null,
    errors: ["resource_not_found"],
  },
  allow: { scope: [], arguments: [query(newGrantSchema)] },
} satisfies Operations<"grants">;

/** The operations on the audit trail. */
export const auditOperations = {
  list: {
    operationId: "listAuditEntries",
    summary: "List acts of administration",
    description:
      "Who has managed tokens, apps, grants and webhook endpoints, and exported or erased customers.",
    answer: "Entries in their order, and where the ones after them begin.",
    scope: "audit:read",
    query: auditQuerySchema,
    result: auditPageSchema,
    errors: [],
  },
  verify: {
    operationId: "verifyAuditEntries",
    summary: "Verify the audit trail",
    description:
      "Looks whether all entries are as they were written, and whether the newest one of an earlier look is still there.",
    answer: "The newest entry, to be kept elsewhere, and where the trail is broken first.",
    scope: "audit:read",
    query: auditHeadQuerySchema,
    result: auditVerificationSchema,
    errors: [],
  },
} satisfies Operations<"audit">;

/** The scopes that a token or app is asked for with, as far as they are some. */
function scopesIn(body: unknown): Scope[] {
  if (typeof body !== "object" || body === null || !("scopes" in body) || !Array.isArray(body.scopes))
    return [];
  return scopes.filter((scope) => Array.isArray(body.scopes) && body.scopes.includes(scope));
}
