import type { Step } from "../base/concurrency/step.js";
import { list, type RowOf, record, text, time } from "./record.js";
export const apiTokenRecord = record("apiTokens", ["id"], {
  /** The token's ID, unique within the organization. */
  id: text(),
  /** The display name that the token was created with. */
  name: text(),
  /** The beginning of the token, so that people can tell tokens apart. */
  prefix: text(),
  /** SHA-256 of the token, 64 lowercase hexadecimal digits. Assumed to be unique across all organizations. */
  hash: text(),
  /** The scopes that the token grants. */
  scopes: list(),
  /** When the token was created, in milliseconds since the Unix epoch. */
  createdAt: time(),
  /**
   * When the token was last used, in milliseconds since the Unix epoch. Updated at most once a minute. `null` if the token hasn't
   * been used since it was created or rotated.
   */
  lastUsedAt: time().nullable(),
  /** When the token expires, in milliseconds since the Unix epoch. `null` if it never expires. */
  expiresAt: time().nullable(),
  /** The IP addresses and networks that the token may be used from, or `null` if it may be used from any address. */
  allowedAddresses: list().nullable(),
  /**
   * The API token, person or grant that created this token, which may no longer exist. `null` if the host's own code created it.
   */
  createdBy: text().nullable(),
});

export type StoredApiToken = RowOf<typeof apiTokenRecord>;

export interface OwnedApiToken {
  /** The ID of the organization that the token grants access to. */
  readonly organizationId: string;
  /** The token, which might have expired. */
  readonly token: StoredApiToken;
}

export interface ApiTokenReads {
  /** Lists the organization's tokens, sorted by `createdAt` (oldest first), then by ID. */
  listApiTokens(): Step<StoredApiToken[]>;
  /** Finds an API token by its ID, even if the token has expired. Returns `null` if there is none. */
  findApiToken(id: string): Step<StoredApiToken | null>;
}

/** Look-ups across all organizations. */
export interface ApiTokenLookUps {
  /** Finds the tokens with these hashes in all organizations, in no particular order. Used to authenticate callers. */
  findApiTokensByHash(hashes: readonly string[]): Step<OwnedApiToken[]>;
}

export interface ApiTokenWrites {
  /** Adds an API token. Its ID must be unused. */
  insertApiToken(token: StoredApiToken): Step<void>;
  /** Sets a token's `lastUsedAt`. Returns `false` if there is no such token. */
  touchApiToken(id: string, lastUsedAt: number): Step<boolean>;
  /**
   * Removes a token, the grants that depend on it, and the tokens issued under those grants. Returns `false` if there is no such
   * token.
   */
  deleteApiToken(id: string): Step<boolean>;
}
