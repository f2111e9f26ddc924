import * as z from "zod";
import { nonBlankText, text, wireTimestamp } from "../base/fields/text.js";
import { isScope } from "../base/scopes.js";
import { isCodeChallenge } from "../base/secrets/pkce.js";
import { timestamp, timestampOrNull } from "../base/values/clock.js";
import type { StoredGrant } from "../storage/apps.js";
import { grantedScopes, scope } from "./api-token-schema.js";

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
