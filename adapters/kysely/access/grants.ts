import type {
  AppReads,
  AppWrites,
  GrantTokenUse,
  StoredGrant,
  StoredGrantToken,
} from "../../../src/storage/apps.js";
import type { Functions } from "../../../src/storage/methods.js";
import type { Changing } from "../change/pending.js";
import { called } from "../session/call-rules.js";
import { changed, first, type Reading } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { textsOf } from "../sql/text-list.js";

type GrantReads = Pick<AppReads, "findGrantTokenByHash" | "listGrants">;
type GrantWrites = Pick<
  AppWrites,
  | "insertGrant"
  | "deleteGrant"
  | "insertGrantToken"
  | "useGrantToken"
  | "deleteGrantToken"
  | "removeGrantTokens"
>;

interface Key {
  organizationId: string;
  id: string;
}

/** Rows as the port has them, but for their scopes, which are JSON here. */
type GrantValues = Omit<StoredGrant, "scopes"> & { readonly scopes: string };
type TokenValues = Omit<StoredGrantToken, "scopes"> & { readonly scopes: string };

export function grantReads({ db }: SqlDialect): Functions<GrantReads, Reading> {
  const byHash = prepare((slot: Slot<{ hash: string }>) =>
    db
      .selectFrom("loyalty_grant_tokens as token")
      .innerJoin("loyalty_grants as grant", (join) =>
        join
          .onRef("grant.organization_id", "=", "token.organization_id")
          .onRef("grant.id", "=", "token.grant_id"),
      )
      .innerJoin("loyalty_apps as app", "app.id", "grant.app_id")
      .select([
        "token.organization_id as organizationId",
        "token.id",
        "token.grant_id as grantId",
        "token.kind",
        "token.hash",
        "token.scopes",
        "token.details",
        "token.created_at as createdAt",
        "token.expires_at as expiresAt",
        "token.used_at as usedAt",
        "grant.app_id as appId",
        "grant.subject",
        "grant.scopes as grantScopes",
        "grant.created_at as grantCreatedAt",
        "grant.token_id as grantTokenId",
        "grant.expires_at as grantExpiresAt",
      ])
      .where("token.hash", "=", slot("hash"))
      // The planner does not know that a hash is unique: it would read the table of grants for many tokens.
      .limit(1),
  );

  const all = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_grants as grant")
      .select([
        "grant.id",
        "grant.app_id as appId",
        "grant.subject",
        "grant.scopes",
        "grant.created_at as createdAt",
        "grant.token_id as tokenId",
        "grant.expires_at as expiresAt",
      ])
      .where("grant.organization_id", "=", slot("organizationId"))
      .where(({ exists, selectFrom }) =>
        exists(selectFrom("loyalty_apps as app").select("app.id").whereRef("app.id", "=", "grant.app_id")),
      )
      .orderBy("grant.created_at")
      .orderBy("grant.id"),
  );

  return {
    findGrantTokenByHash: called({ locks: "none" }, function* ({ session }, hash) {
      const row = yield* first(session, byHash({ hash }));
      if (row === null) return null;
      const { organizationId, appId, subject, ...rest } = row;
      const { grantScopes, grantCreatedAt, grantTokenId, grantExpiresAt, ...token } = rest;
      return {
        organizationId,
        token: { ...token, scopes: textsOf(token.scopes) },
        grant: {
          id: token.grantId,
          appId,
          subject,
          scopes: textsOf(grantScopes),
          createdAt: grantCreatedAt,
          tokenId: grantTokenId,
          expiresAt: grantExpiresAt,
        },
      };
    }),

    *listGrants({ session }, organizationId) {
      const rows = yield* session.all(all({ organizationId }));
      return rows.map((row) => ({ ...row, scopes: textsOf(row.scopes) }));
    },
  };
}

export function grantWrites(dialect: SqlDialect): Functions<GrantWrites, Changing> {
  const { db } = dialect;
  const removeGrantTokens = removalOfExpired(dialect);

  const insert = prepare((slot: Slot<GrantValues & { organizationId: string }>) =>
    db.insertInto("loyalty_grants").values({
      organization_id: slot("organizationId"),
      id: slot("id"),
      app_id: slot("appId"),
      subject: slot("subject"),
      scopes: slot("scopes"),
      created_at: slot("createdAt"),
      token_id: slot("tokenId"),
      expires_at: slot("expiresAt"),
    }),
  );

  const remove = prepare((slot: Slot<Key>) =>
    db
      .deleteFrom("loyalty_grants")
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("id")),
  );

  const insertToken = prepare((slot: Slot<TokenValues & { organizationId: string }>) =>
    db.insertInto("loyalty_grant_tokens").values({
      organization_id: slot("organizationId"),
      id: slot("id"),
      grant_id: slot("grantId"),
      kind: slot("kind"),
      hash: slot("hash"),
      scopes: slot("scopes"),
      details: slot("details"),
      created_at: slot("createdAt"),
      expires_at: slot("expiresAt"),
      used_at: slot("usedAt"),
    }),
  );

  const use = prepare((slot: Slot<Key & GrantTokenUse>) =>
    db
      .updateTable("loyalty_grant_tokens")
      .set({ used_at: slot("usedAt"), details: slot("details") })
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("id"))
      .where("used_at", "is", null),
  );

  const removeToken = prepare((slot: Slot<Key>) =>
    db
      .deleteFrom("loyalty_grant_tokens")
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("id")),
  );

  return {
    *insertGrant({ session, pending }, organizationId, grant) {
      yield* session.change(insert({ organizationId, ...grant, scopes: JSON.stringify(grant.scopes) }));
      yield* pending.count(organizationId, {});
    },
    deleteGrant: ({ session }, organizationId, id) => changed(session, remove({ organizationId, id })),

    *insertGrantToken({ session }, organizationId, token) {
      yield* session.change(insertToken({ organizationId, ...token, scopes: JSON.stringify(token.scopes) }));
    },
    useGrantToken: ({ session }, organizationId, id, { usedAt, details }) =>
      changed(session, use({ organizationId, id, usedAt, details })),
    deleteGrantToken: ({ session }, organizationId, id) =>
      changed(session, removeToken({ organizationId, id })),
    removeGrantTokens,
  };
}

function removalOfExpired({
  db,
  isOneOf,
  listParameter,
}: SqlDialect): Functions<GrantWrites, Changing>["removeGrantTokens"] {
  const expired = prepare((slot: Slot<{ organizationId: string; before: number; limit: number }>) =>
    db
      .selectFrom("loyalty_grant_tokens")
      .select(["id", "grant_id as grantId"])
      .where("organization_id", "=", slot("organizationId"))
      .where("expires_at", "<", slot("before"))
      .orderBy("expires_at")
      .limit(slot("limit")),
  );

  const removeTokens = prepare((slot: Slot<{ organizationId: string; ids: unknown }>) =>
    db
      .deleteFrom("loyalty_grant_tokens")
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("id"), slot("ids"))),
  );

  const removeEmpty = prepare((slot: Slot<{ organizationId: string; ids: unknown }>) =>
    db
      .deleteFrom("loyalty_grants")
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("id"), slot("ids")))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("loyalty_grant_tokens as token")
              .select("token.id")
              .where("token.organization_id", "=", slot("organizationId"))
              .whereRef("token.grant_id", "=", "loyalty_grants.id"),
          ),
        ),
      ),
  );

  return function* ({ session }, organizationId, before, limit) {
    const tokens = yield* session.all(expired({ organizationId, before, limit }));
    if (tokens.length === 0) return 0;
    const ids = listParameter(tokens.map(({ id }) => id));
    const grantIds = listParameter([...new Set(tokens.map(({ grantId }) => grantId))]);
    const removed = yield* session.change(removeTokens({ organizationId, ids }));
    yield* session.change(removeEmpty({ organizationId, ids: grantIds }));
    return removed;
  };
}
