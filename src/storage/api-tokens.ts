import type { Step } from "../base/concurrency/step.js";
import { list, type RowOf, record, text, time } from "./record.js";
export const apiTokenRecord = record("apiTokens", ["id"], {
  id: text(),
  name: text(),
  /** The beginning of the token, so that people can tell tokens apart. */
  prefix: text(),
  /** SHA-256 of the token, 64 lowercase hexadecimal digits. Assumed to be unique across all organizations. */
  hash: text(),
  scopes: list(),
  createdAt: time(),
  lastUsedAt: time().nullable(),
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
  readonly organizationId: string;
  readonly token: StoredApiToken;
}

export interface ApiTokenReads {
  /** Lists the organization's tokens, sorted by `createdAt` (oldest first), then by ID. */
  listApiTokens(organizationId: string): Step<StoredApiToken[]>;
  /** Finds an API token by its id. */
  findApiToken(organizationId: string, id: string): Step<StoredApiToken | null>;
  /** Finds the tokens with these hashes in all organizations, in no particular order. Used to authenticate callers. */
  findApiTokensByHash(hashes: readonly string[]): Step<OwnedApiToken[]>;
}

export interface ApiTokenWrites {
  insertApiToken(organizationId: string, token: StoredApiToken): Step<void>;
  /** Sets `lastUsedAt`. Returns `false` if there is no such token. */
  touchApiToken(organizationId: string, id: string, lastUsedAt: number): Step<boolean>;
  /**
   * Removes a token, the grants that depend on it, and the tokens issued under those grants. Returns `false` if there is no such
   * token.
   */
  deleteApiToken(organizationId: string, id: string): Step<boolean>;
}
