import * as z from "zod";
import { limitedList } from "../base/fields/limited-list.js";
import { nameText, nonBlankText, text, wireTimestamp } from "../base/fields/text.js";
import { onAnyObject } from "../base/parse.js";
import { isScope } from "../base/scopes.js";
import { isCodeChallenge } from "../base/secrets/pkce.js";
import { timesOf, timestamp, timestampOrNull } from "../base/values/clock.js";
import { isOfPrivateUseScheme, isRedirectUri, MAX_REDIRECT_URI_LENGTH } from "../base/values/url.js";
import type { StoredApp, StoredGrant } from "../storage/apps.js";
import { apiTokenSchema, grantedScopes, scope } from "./api-token-schema.js";

const MAX_REDIRECT_URIS = 20;

const redirectUri = z
  .string()
  .refine(isRedirectUri, {
    error:
      "must be an https URL, an http URL of localhost, or one such as com.example.app:/callback, without user, fragment or characters that need encoding",
  })
  .meta({ maxLength: MAX_REDIRECT_URI_LENGTH });

export const appSchema = z
  .object({
    id: z.string(),
    object: z.literal("app"),
    name: z.string(),
    isPublic: z.boolean(),
    redirectUris: z.array(z.string()),
    scopes: z.array(scope),
    createdBy: z.string().nullable(),
    createdAt: wireTimestamp,
    updatedAt: wireTimestamp,
  })
  .meta({ id: "App" });

/**
 * An OAuth 2.0 client. Its `id` is the `client_id`. `createdBy` is the ID of the API token, person, or grant that registered the
 * client, or `null` if the host's own code did. A public app has no secret (RFC 6749, section 2.1).
 */
export type App = z.output<typeof appSchema>;

export const appWithSecretSchema = z
  .object({ clientSecret: z.string(), app: appSchema })
  .meta({ id: "AppWithSecret" });

/** An app with its secret, which is shown only once. */
export type AppWithSecret = z.output<typeof appWithSecretSchema>;

export const createdAppSchema = z
  .object({ clientSecret: z.string().nullable(), app: appSchema })
  .meta({ id: "CreatedApp" });

/** A new app with its secret, which is shown only once. The secret is `null` for a public app. */
export type CreatedApp = z.output<typeof createdAppSchema>;

export const createAppSchema = z
  .object({
    name: nameText(100),
    redirectUris: limitedList(redirectUri, MAX_REDIRECT_URIS),
    scopes: grantedScopes,
    isPublic: z.boolean().default(false),
  })
  .superRefine(({ redirectUris, isPublic }, context) => {
    if (isPublic !== false || !Array.isArray(redirectUris)) return;
    const index = redirectUris.findIndex((uri) => typeof uri === "string" && isOfPrivateUseScheme(uri));
    if (index < 0) return;
    const message = "must be an https URL or an http URL of localhost, unless the app is public";
    context.addIssue({ code: "custom", path: ["redirectUris", index], message });
  }, onAnyObject)
  .meta({ id: "CreateApp" });

export type CreateApp = z.input<typeof createAppSchema>;

export const rotateAppSecretSchema = z
  .object({ immediately: z.boolean().default(false) })
  .meta({ id: "RotateAppSecret" });

export type RotateAppSecret = z.input<typeof rotateAppSecretSchema>;

export function appOf(app: StoredApp): App {
  return {
    id: app.id,
    object: "app",
    name: app.name,
    isPublic: app.secretHash === null,
    redirectUris: [...app.redirectUris],
    scopes: app.scopes.filter(isScope),
    createdBy: app.createdBy,
    ...timesOf(app),
  };
}

export const grantSchema = z
  .object({
    id: z.string(),
    object: z.literal("grant"),
    appId: z.string(),
    subject: z.string(),
    scopes: z.array(scope),
    tokenId: z.string().nullable(),
    createdAt: wireTimestamp,
    expiresAt: wireTimestamp.nullable(),
  })
  .meta({ id: "Grant" });

/**
 * A user's permission for an app to act on their behalf. `appId` is the app's `client_id`, and `subject` is the host's ID for the
 * user who granted the permission. The grant ends at `expiresAt`, or when the API token with the ID `tokenId` expires or is
 * revoked, whichever comes first.
 */
export type Grant = z.output<typeof grantSchema>;

/** The schema for a user's ID in the host's own system. */
export const subjectSchema = nonBlankText(255);

export const newGrantSchema = z.object({
  appId: text(100),
  subject: subjectSchema,
  scopes: grantedScopes,
  redirectUri: z.string().nullable(),
  apiToken: z.string().nullable().default(null),
  codeChallenge: z.string().refine(isCodeChallenge, { error: "must be a SHA-256 in base64url" }),
});

export function grantOf(grant: StoredGrant): Grant {
  return {
    id: grant.id,
    object: "grant",
    appId: grant.appId,
    subject: grant.subject,
    scopes: grant.scopes.filter(isScope),
    tokenId: grant.tokenId,
    createdAt: timestamp(grant.createdAt),
    expiresAt: timestampOrNull(grant.expiresAt),
  };
}

export const createdByTokenSchema = z
  .object({
    object: z.literal("created_by_token"),
    tokenId: z.string(),
    apiTokens: z.array(apiTokenSchema),
    apps: z.array(appSchema),
    grants: z.array(grantSchema),
    endedGrantIds: z.array(z.string()),
    webhookEndpointIds: z.array(z.string()),
  })
  .meta({ id: "CreatedByToken" });

/**
 * The resources created by an API token that still exist, oldest first. They are listed even if the token itself no longer exists.
 * `endedGrantIds` lists the IDs of up to 1,000 ended grants that were made with the token. Ended grants and webhook endpoints are
 * listed only as far back as the audit trail goes.
 */
export type CreatedByToken = z.output<typeof createdByTokenSchema>;
