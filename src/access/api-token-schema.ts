import * as z from "zod";
import { instantText } from "../base/fields/instant.js";
import { limitedList } from "../base/fields/limited-list.js";
import { nameText, wireTimestamp } from "../base/fields/text.js";
import { isScope, type Scope, scopes } from "../base/scopes.js";
import { timestamp, timestampOrNull } from "../base/values/clock.js";
import { canonicalNetwork } from "../base/values/networks.js";
import type { StoredApiToken } from "../storage/api-tokens.js";

export const scope = z.enum(scopes);

const MAX_SCOPES = 1_000;
const MAX_ADDRESSES = 100;

/**
 * The schema for an array of scopes. The array's length is checked before its items, because a hostile array could have hundreds of
 * thousands of invalid items.
 */
export const grantedScopes = z
  .custom<readonly Scope[]>()
  .superRefine((list, context) => {
    if (!Array.isArray(list)) {
      context.addIssue({ code: "invalid_type", expected: "array", input: list });
    } else if (list.length === 0) {
      context.addIssue({ code: "too_small", origin: "array", minimum: 1, input: list });
    } else if (list.length > MAX_SCOPES) {
      context.addIssue({ code: "too_big", origin: "array", maximum: MAX_SCOPES, input: list });
    } else {
      for (const [index, item] of list.entries()) {
        const { error } = scope.safeParse(item);
        for (const issue of error?.issues ?? []) context.addIssue({ ...issue, input: item, path: [index] });
      }
    }
  })
  .meta({ type: "array", items: { type: "string", enum: [...scopes] }, minItems: 1, maxItems: MAX_SCOPES });

/** An IP address or network. Parsing converts it to its canonical notation. */
const network = z
  .string()
  .transform((text, context) => {
    const canonical = canonicalNetwork(text);
    if (canonical !== null) return canonical;
    context.addIssue({
      code: "custom",
      message: "must be an IP address, or a network such as 192.0.2.0/24 or 2001:db8::/32",
    });
    return z.NEVER;
  })
  .meta({ maxLength: 49 });

export const apiTokenSchema = z
  .object({
    id: z.string(),
    object: z.literal("api_token"),
    name: z.string(),
    prefix: z.string(),
    scopes: z.array(scope),
    createdAt: wireTimestamp,
    lastUsedAt: wireTimestamp.nullable(),
    expiresAt: wireTimestamp.nullable(),
    allowedAddresses: z.array(z.string()).nullable(),
    createdBy: z.string().nullable(),
  })
  .meta({ id: "ApiToken" });

/**
 * An API token without its secret. `allowedAddresses` lists the addresses from which the token can be used, or is `null` if it can
 * be used from any address. `createdBy` is the ID of the API token, person, or grant that created the token, or `null` if the
 * host's own code did.
 */
export type ApiToken = z.output<typeof apiTokenSchema>;

export const createdApiTokenSchema = z
  .object({ token: z.string(), apiToken: apiTokenSchema })
  .meta({ id: "CreatedApiToken" });

/** A new API token with its secret, which is shown only once. */
export type CreatedApiToken = z.output<typeof createdApiTokenSchema>;

export const createApiTokenSchema = z
  .object({
    name: nameText(100),
    scopes: grantedScopes,
    expiresAt: instantText.nullish(),
    allowedAddresses: limitedList(network, MAX_ADDRESSES).nullish(),
  })
  .meta({ id: "CreateApiToken" });

export type CreateApiToken = z.input<typeof createApiTokenSchema>;

const WEEK_SECONDS = 604_800;

export const rotateApiTokenSchema = z
  .object({ overlapSeconds: z.int().min(0).max(WEEK_SECONDS).default(0), expiresAt: instantText.nullish() })
  .meta({ id: "RotateApiToken" });

/**
 * Options for rotating an API token. If `expiresAt` is omitted, the token's expiration doesn't change. `null` removes the
 * expiration.
 */
export type RotateApiToken = z.input<typeof rotateApiTokenSchema>;

export function apiTokenOf(token: StoredApiToken): ApiToken {
  return {
    id: token.id,
    object: "api_token",
    name: token.name,
    prefix: token.prefix,
    scopes: token.scopes.filter(isScope),
    createdAt: timestamp(token.createdAt),
    lastUsedAt: timestampOrNull(token.lastUsedAt),
    expiresAt: timestampOrNull(token.expiresAt),
    allowedAddresses: token.allowedAddresses && [...token.allowedAddresses],
    createdBy: token.createdBy,
  };
}
