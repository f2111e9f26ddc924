import type { Step } from "../base/concurrency/step.js";
import { json, list, oneOf, type RowOf, record, text, time } from "./record.js";
/**
 * An OAuth 2.0 client. It is registered by one organization, but users of any organization can grant it access to their own
 * organization's data.
 */
export const appRecord = record("apps", ["id"], {
  /** The OAuth `client_id`, assumed to be unique across all organizations. */
  id: text(),
  /** The name that people see when they are asked to grant access. */
  name: text(),
  /** SHA-256 of the secret, 64 lowercase hexadecimal digits. `null` for a public app, which has no secret. */
  secretHash: text().nullable(),
  /** The hash of the previous secret, or `null` if there is none, or if it was revoked immediately. */
  previousSecretHash: text().nullable(),
  /** When the previous secret expires, in milliseconds since the Unix epoch, or `null` if there is no previous secret. */
  previousSecretExpiresAt: time().nullable(),
  /** The allowed redirect URIs, in the order in which they were registered. */
  redirectUris: list(),
  /** The scopes that the app may request. */
  scopes: list(),
  /** The API token, person or grant that created this app, which may no longer exist. `null` if the host's own code created it. */
  createdBy: text().nullable().fixed(),
  /** When the app was registered, in milliseconds since the Unix epoch. */
  createdAt: time().fixed(),
  /** When the app was last changed, in milliseconds since the Unix epoch. */
  updatedAt: time(),
});

export type StoredApp = RowOf<typeof appRecord>;

/** A user's consent to let an app access an organization's data. Removing a grant also removes its tokens. */
export const grantRecord = record("grants", ["id"], {
  /** The grant's ID, unique within the organization. */
  id: text(),
  /** The `client_id` of the app that has access. The app can belong to any organization. */
  appId: text(),
  /** The host's ID for the user who consented. */
  subject: text(),
  /** The scopes that the user granted to the app. */
  scopes: list(),
  /** When the grant was created, in milliseconds since the Unix epoch. */
  createdAt: time(),
  /** The API token that the grant depends on, or `null` if there is none. */
  tokenId: text().nullable(),
  /** The time when the API token expires. */
  expiresAt: time().nullable(),
});

export type StoredGrant = RowOf<typeof grantRecord>;

/** An authorization code, access token, or refresh token that was issued under a grant. */
export const grantTokenRecord = record("grantTokens", ["id"], {
  /** The ID of the code or token, unique within the organization. */
  id: text(),
  /** The ID of the grant under which the code or token was issued. */
  grantId: text().refersTo("grants", "id"),
  /** Whether this is an authorization code, an access token, or a refresh token. */
  kind: oneOf("code", "access", "refresh"),
  /** SHA-256 of the token, 64 lowercase hexadecimal digits. Assumed to be unique across all organizations. */
  hash: text(),
  /** The scopes that the code or token was issued for. */
  scopes: list(),
  /** Additional data as JSON text, stored verbatim. */
  details: json(),
  /** When the code or token was issued, in milliseconds since the Unix epoch. */
  createdAt: time(),
  /** When the code or token expires, in milliseconds since the Unix epoch. */
  expiresAt: time(),
  /** The time when the code or token was exchanged for new tokens. `null` until then. */
  usedAt: time().nullable(),
});

export type GrantTokenKind = StoredGrantToken["kind"];
export type StoredGrantToken = RowOf<typeof grantTokenRecord>;

/** The fields to set when a code or token is used for the first time. */
export type GrantTokenUse = Pick<StoredGrantToken, "details"> & {
  /** When the code or token was used, in milliseconds since the Unix epoch. */
  readonly usedAt: number;
};

/** A code or token from any organization, with its grant and the organization's ID. */
export interface OwnedGrantToken {
  /** The ID of the organization that the token gives access to. */
  readonly organizationId: string;
  /** The authorization code, access token, or refresh token, which might have expired or been used. */
  readonly token: StoredGrantToken;
  /** The grant under which the code or token was issued. */
  readonly grant: StoredGrant;
}

export interface AppReads {
  /** Lists the organization's apps, sorted by `createdAt` (oldest first), then by ID. */
  listApps(): Step<StoredApp[]>;
  /**
   * Lists the organization's grants, sorted by `createdAt` (oldest first), then by ID. Omits grants whose app was removed. The app
   * can belong to any organization, and its row isn't locked.
   */
  listGrants(): Step<StoredGrant[]>;
  /**
   * Finds one of the organization's grants. Returns `null` if there is no such grant, or if its app was removed. Doesn't lock the
   * app's row.
   */
  findGrant(id: string): Step<StoredGrant | null>;
  /** Returns when the grant's longest-lived token expires, or `null` if the grant has no tokens. */
  grantEndsAt(id: string): Step<number | null>;
}

/** Look-ups across all organizations. */
export interface AppLookUps {
  /** Finds an app in any organization by its ID. Doesn't lock the app's row, because the client isn't authenticated yet. */
  findApp(id: string): Step<{ organizationId: string; app: StoredApp } | null>;
  /**
   * Finds a grant token in any organization by its hash, without locking its row. Returns `null` if there is no such token, or if
   * the grant's app was removed.
   */
  findGrantTokenByHash(hash: string): Step<OwnedGrantToken | null>;
}

export interface AppWrites {
  /** Adds an app. Its ID must be unused. */
  insertApp(app: StoredApp): Step<void>;
  /**
   * Replaces the stored app with the same ID, but keeps its `createdAt` and `createdBy`. Returns `false` if there is no such app.
   */
  updateApp(app: StoredApp): Step<boolean>;
  /** Removes an app. Its grants stay in storage, but reads omit them. Returns `false` if there is no such app. */
  deleteApp(id: string): Step<boolean>;

  /** Adds a grant without tokens. Its ID must be unused. */
  insertGrant(grant: StoredGrant): Step<void>;
  /** Removes a grant and its tokens. Returns `false` if there is no such grant. */
  deleteGrant(id: string): Step<boolean>;
  /**
   * Stores a new code or token.
   * @throws an error if its grant doesn't exist.
   */
  insertGrantToken(token: StoredGrantToken): Step<void>;
  /**
   * Marks a code or token as used and replaces its `details`. Returns `false` and changes nothing if there is no such code or
   * token, or if it was already used. If two calls run concurrently, only one returns `true`.
   */
  useGrantToken(id: string, use: GrantTokenUse): Step<boolean>;
  /**
   * Removes a code or token, but keeps its grant and the grant's other tokens. Returns `false` if there is no such code or token.
   */
  deleteGrantToken(id: string): Step<boolean>;
  /**
   * Removes up to `limit` codes and tokens that expired before the given time, in order of expiry. Also removes grants that have no
   * codes or tokens left.
   * @returns the number of removed codes and tokens.
   */
  removeGrantTokens(before: number, limit: number): Step<number>;
}
