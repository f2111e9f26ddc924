import type { Step } from "../concurrency/step.js";
import { list, type RowOf, record, text, time } from "./record.js";
export const apiTokenRecord = record("apiTokens", ["id"], {
  id: text(),
  name: text(),
  /** The token's first characters, for people to tell tokens apart. */
  prefix: text(),
  /** SHA-256 of the token, 64 lower-case hexadecimal digits; taken to be unique over all organizations. */
  hash: text(),
  scopes: list(),
  createdAt: time(),
  lastUsedAt: time().nullable(),
  expiresAt: time().nullable(),
  /** The addresses and networks from which alone it may be used; `null` for all. */
  allowedAddresses: list().nullable(),
  /** The API token, person or grant that created it, which may be gone; `null` for the host's own code. */
  createdBy: text().nullable(),
});

export type StoredApiToken = RowOf<typeof apiTokenRecord>;

export interface OwnedApiToken {
  readonly organizationId: string;
  readonly token: StoredApiToken;
}

export interface ApiTokenReads {
  /** Oldest first: by `createdAt`, then id. */
  listApiTokens(organizationId: string): Step<StoredApiToken[]>;
  findApiToken(organizationId: string, id: string): Step<StoredApiToken | null>;
  /** Looks in all organizations, for callers who are not known yet. In no order. */
  findApiTokensByHash(hashes: readonly string[]): Step<OwnedApiToken[]>;
}

export interface ApiTokenWrites {
  insertApiToken(organizationId: string, token: StoredApiToken): Step<void>;
  /** Sets `lastUsedAt`. False when there is no such token. */
  touchApiToken(organizationId: string, id: string, lastUsedAt: number): Step<boolean>;
  /** Removes the token, and the grants that end with it with their tokens. False when there is no such token. */
  deleteApiToken(organizationId: string, id: string): Step<boolean>;
}
