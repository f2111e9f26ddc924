import type { Step } from "../concurrency/step.js";
import { json, list, oneOf, type RowOf, record, text, time } from "./record.js";
/** An OAuth 2.0 client. It is registered by one organization, and users of any may grant it access to theirs. */
export const appRecord = record("apps", ["id"], {
  /** The `client_id`. Taken to be unique over all organizations. */
  id: text(),
  name: text(),
  /** SHA-256 of the secret, 64 lower-case hexadecimal digits; `null` for a public app, which has none. */
  secretHash: text().nullable(),
  /** The hash of the previous secret; `null` if there is none, or it was revoked immediately. */
  previousSecretHash: text().nullable(),
  previousSecretExpiresAt: time().nullable(),
  /** In the order in which they were given. */
  redirectUris: list(),
  /** The scopes that it may ask for. */
  scopes: list(),
  /** The API token, person or grant that created it, which may be gone; `null` for the host's own code. */
  createdBy: text().nullable().fixed(),
  createdAt: time().fixed(),
  updatedAt: time(),
});

export type StoredApp = RowOf<typeof appRecord>;

/** A user's consent that an app may use an organization's data. Its tokens go with it. */
export const grantRecord = record("grants", ["id"], {
  id: text(),
  appId: text(),
  /** The user who consented, as the host names its users. */
  subject: text().personal(),
  scopes: list(),
  createdAt: time(),
  /** The API token that it ends with; `null` for none. */
  tokenId: text().nullable(),
  /** The time when that token expires. */
  expiresAt: time().nullable(),
});

export type StoredGrant = RowOf<typeof grantRecord>;

/** A code or token of a grant. */
export const grantTokenRecord = record("grantTokens", ["id"], {
  id: text(),
  grantId: text().refersTo("grants", "id"),
  kind: oneOf("code", "access", "refresh"),
  /** SHA-256 of the token, 64 lower-case hexadecimal digits; taken to be unique over all organizations. */
  hash: text(),
  scopes: list(),
  /** JSON text of what else belongs to it, kept to the letter. */
  details: json(),
  createdAt: time(),
  expiresAt: time(),
  /** The time when it was exchanged for others; `null` until then. */
  usedAt: time().nullable(),
});

export type GrantTokenKind = StoredGrantToken["kind"];
export type StoredGrantToken = RowOf<typeof grantTokenRecord>;

/** The first use of a code or token. */
export type GrantTokenUse = Pick<StoredGrantToken, "details"> & { readonly usedAt: number };

/** A token with all that it stands for. */
export interface OwnedGrantToken {
  /** The organization of the grant. */
  readonly organizationId: string;
  readonly token: StoredGrantToken;
  readonly grant: StoredGrant;
}

export interface AppReads {
  /** Oldest first: by `createdAt`, then id. */
  listApps(organizationId: string): Step<StoredApp[]>;
  /** Looks in all organizations, for a client that is not known yet, and keeps none of them from changing it. */
  findApp(id: string): Step<{ organizationId: string; app: StoredApp } | null>;
  /**
   * Searches all organizations, without locking the row. `grant` is `null` if its app was removed, since its tokens are removed
   * with it.
   */
  findGrantTokenByHash(hash: string): Step<OwnedGrantToken | null>;
  /**
   * Returns the grants of the organization's users, oldest first: by `createdAt`, then id. Grants whose app was removed are
   * left out. The app may belong to any organization. Reading them locks no app.
   */
  listGrants(organizationId: string): Step<StoredGrant[]>;
  /** Finds a grant of the organization; `null` once its app was removed. It locks no app. */
  findGrant(organizationId: string, id: string): Step<StoredGrant | null>;
  /** Returns the time when the last token of a grant expires; `null` if it has none. */
  grantEndsAt(organizationId: string, id: string): Step<number | null>;
}

export interface AppWrites {
  insertApp(organizationId: string, app: StoredApp): Step<void>;
  /** Replaces the app of this id; `createdAt` and `createdBy` stay. Returns false if there is none. */
  updateApp(organizationId: string, app: StoredApp): Step<boolean>;
  /** Removes the app. Its grants stay behind unseen. Returns false if there is none. */
  deleteApp(organizationId: string, id: string): Step<boolean>;

  insertGrant(organizationId: string, grant: StoredGrant): Step<void>;
  /** Removes the grant with its tokens. Returns false if there is none. */
  deleteGrant(organizationId: string, id: string): Step<boolean>;
  /** @throws an error if there is no such grant. */
  insertGrantToken(organizationId: string, token: StoredGrantToken): Step<void>;
  /**
   * Records that a token was used, and replaces its `details`. Returns false, and changes nothing, if there is no such token or it
   * was used before: of two concurrent calls one gets true.
   */
  useGrantToken(organizationId: string, id: string, use: GrantTokenUse): Step<boolean>;
  /** Removes a token, and nothing else of its grant. Returns false if there is none. */
  deleteGrantToken(organizationId: string, id: string): Step<boolean>;
  /**
   * Removes tokens that expired before a time (at most `limit`, the earliest first), and the grants that have no token left.
   * @returns how many tokens were removed.
   */
  removeGrantTokens(organizationId: string, before: number, limit: number): Step<number>;
}
