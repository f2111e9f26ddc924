import * as z from "zod";
import { type Scope, scopes } from "../base/scopes.js";
import { defineQuery, type Operations } from "../kernel/operation.js";
import {
  apiTokenSchema,
  createApiTokenSchema,
  createdApiTokenSchema,
  rotateApiTokenSchema,
} from "./api-token-schema.js";
import {
  appSchema,
  appWithSecretSchema,
  createAppSchema,
  createdAppSchema,
  createdByTokenSchema,
  grantSchema,
  newGrantSchema,
  rotateAppSecretSchema,
} from "./app-schema.js";
import {
  auditHeadQuerySchema,
  auditPageSchema,
  auditQuerySchema,
  auditVerificationSchema,
} from "./audit-schema.js";

export const apiTokenOperations = {
  create: {
    operationId: "createApiToken",
    summary: "Create an API token",
    description: "The new token can only have scopes that the calling token has.",
    answer: "The new token with its secret, which is shown only once.",
    scope: "api_token:manage",
    body: createApiTokenSchema,
    status: 201,
    result: createdApiTokenSchema,
    errors: ["too_many_api_tokens"],
    scopesFor: listInputScopes,
  },
  list: {
    operationId: "listApiTokens",
    summary: "List all API tokens",
    answer: "All of the organization's tokens, oldest first, including expired ones.",
    scope: "api_token:manage",
    result: z.array(apiTokenSchema),
    errors: [],
  },
  listCreated: {
    operationId: "getCreatedByApiToken",
    summary: "List what an API token created",
    description:
      "Lists the API tokens, apps, grants and webhook endpoints that were created with this token and " +
      "still exist, and the IDs of grants that have ended. The token itself may have been revoked. Webhook " +
      "endpoints and ended grants are listed only for as long as their audit entries are retained.",
    answer: "The resources that the token created, oldest first within each kind.",
    scope: "api_token:manage",
    result: createdByTokenSchema,
    errors: ["resource_not_found"],
  },
  rotate: {
    operationId: "rotateApiToken",
    summary: "Rotate an API token",
    description:
      "The token keeps its ID, name and scopes, and also its expiration time unless you set a new " +
      "`expiresAt` (`null` means it never expires). By default, the previous secret stops working " +
      "immediately. With `overlapSeconds`, it remains valid for that long as a separate token. The request " +
      "body is optional.",
    answer: "The token with its new secret, which is shown only once.",
    scope: "api_token:manage",
    body: rotateApiTokenSchema,
    needsNoBody: true,
    result: createdApiTokenSchema,
    errors: ["resource_not_found", "too_many_api_tokens"],
  },
  delete: {
    operationId: "deleteApiToken",
    summary: "Revoke an API token",
    answer: "The token was revoked.",
    scope: "api_token:manage",
    result: null,
    errors: ["resource_not_found"],
  },
} satisfies Operations<"apiTokens">;

export const appOperations = {
  create: {
    operationId: "createApp",
    summary: "Register an app",
    description:
      "Creates an OAuth 2.0 client. The app can only have scopes that the calling token has. Set `isPublic` " +
      "for apps that can't keep a secret, such as mobile and browser apps.",
    answer: "The new app and its secret, which is shown only once. The secret is `null` for public apps.",
    scope: "api_token:manage",
    body: createAppSchema,
    status: 201,
    result: createdAppSchema,
    errors: ["too_many_apps"],
    scopesFor: listInputScopes,
  },
  list: {
    operationId: "listApps",
    summary: "List all apps",
    answer: "All apps registered by the organization, oldest first.",
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
    summary: "Rotate an app's secret",
    description:
      "The previous secret stays valid for 24 hours, or stops working immediately with `immediately: true`. " +
      "The request body is optional.",
    answer: "The app and its new secret, which is shown only once.",
    scope: "api_token:manage",
    body: rotateAppSecretSchema,
    needsNoBody: true,
    result: appWithSecretSchema,
    errors: ["resource_not_found", "app_has_no_secret"],
  },
  delete: {
    operationId: "deleteApp",
    summary: "Delete an app",
    answer: "The app was deleted, and all its tokens were revoked.",
    scope: "api_token:manage",
    result: null,
    errors: ["resource_not_found"],
  },
} satisfies Operations<"apps">;

export const grantOperations = {
  list: {
    operationId: "listGrants",
    summary: "List app grants",
    answer: "All grants that the organization's users have given to apps, oldest first.",
    scope: "api_token:manage",
    result: z.array(grantSchema),
    errors: [],
  },
  delete: {
    operationId: "deleteGrant",
    summary: "Revoke a grant",
    answer: "The grant and all its tokens were revoked.",
    scope: "api_token:manage",
    result: null,
    errors: ["resource_not_found"],
  },
  allow: { scope: [], arguments: [defineQuery(newGrantSchema)] },
} satisfies Operations<"grants">;

export const auditOperations = {
  list: {
    operationId: "listAuditEntries",
    summary: "List audit entries",
    description:
      "Returns entries for changes to tokens, apps, grants and webhook endpoints, and for exports and erasures " +
      "of customer data.",
    answer: "A page of entries in chronological order, and the position to continue from.",
    scope: "audit:read",
    query: auditQuerySchema,
    result: auditPageSchema,
    errors: [],
  },
  verify: {
    operationId: "verifyAuditEntries",
    summary: "Verify the audit trail",
    description:
      "Verifies the audit trail's hash chain. If you provide the `sequence` and `hash` of an earlier " +
      "`head`, also verifies that this entry hasn't changed since then.",
    answer:
      "The newest entry, which you can save for later verification, and the sequence number of the first " +
      "missing or altered entry, if there is one.",
    scope: "audit:read",
    query: auditHeadQuerySchema,
    result: auditVerificationSchema,
    errors: [],
  },
} satisfies Operations<"audit">;

/** Returns the valid scopes in a request body for a token or an app. */
function listInputScopes(body: unknown): Scope[] {
  if (typeof body !== "object" || body === null || !("scopes" in body) || !Array.isArray(body.scopes))
    return [];
  return scopes.filter((scope) => Array.isArray(body.scopes) && body.scopes.includes(scope));
}
