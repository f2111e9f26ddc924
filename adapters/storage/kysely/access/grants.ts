import type { AppLookUps, AppReads, AppWrites, GrantTokenUse } from "../../../../src/storage/apps.js";
import type { LookUpModule, PortModule } from "../change/commit-buffer.js";
import { changeRow, findFirst, prepare, type Slot } from "../session/session.js";
import { listColumns } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";

import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

type Reads = Pick<AppReads, "listGrants" | "findGrant" | "grantEndsAt">;
type LookUps = Pick<AppLookUps, "findGrantTokenByHash">;
type Writes = Pick<
  AppWrites,
  | "insertGrant"
  | "deleteGrant"
  | "insertGrantToken"
  | "useGrantToken"
  | "deleteGrantToken"
  | "removeGrantTokens"
>;

export function grantModule(dialect: SqlDialect): LookUpModule<Reads, Writes, LookUps> {
  const { db } = dialect;
  const rows = createRowStatements(dialect, tables.grants);
  const tokens = createRowStatements(dialect, tables.grantTokens);

  const findByHash = prepare((slot: Slot<{ hash: string }>) =>
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
        ...listColumns(tables.grantTokens, "token"),
        "grant.app_id as appId",
        "grant.subject",
        "grant.scopes as grantScopes",
        "grant.created_at as grantCreatedAt",
        "grant.token_id as grantTokenId",
        "grant.expires_at as grantExpiresAt",
      ])
      .where("token.hash", "=", slot("hash"))
      // The planner doesn't know that a hash is unique. Without the limit, it would plan to read the whole grants table.
      .limit(1),
  );

  const selectAppGrants = (slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_grants as grant")
      .select(listColumns(tables.grants, "grant"))
      .where("grant.organization_id", "=", slot("organizationId"))
      .where(({ exists, selectFrom }) =>
        exists(selectFrom("loyalty_apps as app").select("app.id").whereRef("app.id", "=", "grant.app_id")),
      );
  const listAll = prepare((slot: Slot<{ organizationId: string }>) =>
    selectAppGrants(slot).orderBy("grant.created_at").orderBy("grant.id"),
  );
  const findById = prepare((slot: Slot<{ organizationId: string; id: string }>) =>
    selectAppGrants(slot).where("grant.id", "=", slot("id")),
  );

  const findLatestExpiry = prepare((slot: Slot<{ organizationId: string; id: string }>) =>
    db
      .selectFrom("loyalty_grant_tokens")
      .select("expires_at as expiresAt")
      .where("organization_id", "=", slot("organizationId"))
      .where("grant_id", "=", slot("id"))
      .orderBy("expires_at", "desc")
      .limit(1),
  );

  const markUsed = prepare((slot: Slot<GrantTokenUse & { organizationId: string; id: string }>) =>
    db
      .updateTable("loyalty_grant_tokens")
      .set({ used_at: slot("usedAt"), details: slot("details") })
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("id"))
      .where("used_at", "is", null),
  );

  return {
    reads: {
      *listGrants({ session, organizationId }) {
        return (yield* session.all(listAll({ organizationId }))).map(rows.toRow);
      },
      *findGrant({ session, organizationId }, id) {
        const row = yield* findFirst(session, findById({ organizationId, id }));
        return row && rows.toRow(row);
      },
      *grantEndsAt({ session, organizationId }, id) {
        return (yield* findFirst(session, findLatestExpiry({ organizationId, id })))?.expiresAt ?? null;
      },
    },
    lookUps: {
      *findGrantTokenByHash({ session }, hash) {
        const row = yield* findFirst(session, findByHash({ hash }));
        if (row === null) return null;
        const { organizationId, appId, subject, ...rest } = row;
        const { grantScopes, grantCreatedAt, grantTokenId, grantExpiresAt, ...token } = rest;
        return {
          organizationId,
          token: tokens.toRow(token),
          grant: rows.toRow({
            id: token.grantId,
            appId,
            subject,
            scopes: grantScopes,
            createdAt: grantCreatedAt,
            tokenId: grantTokenId,
            expiresAt: grantExpiresAt,
          }),
        };
      },
    },
    writes: {
      *insertGrant({ session, buffer, organizationId }, grant) {
        yield* session.change(rows.insert(organizationId, grant));
        yield* buffer.updateCounters(organizationId, {});
      },
      deleteGrant: ({ session, organizationId }, id) =>
        changeRow(session, rows.remove(organizationId, { id })),
      *insertGrantToken({ session, organizationId }, token) {
        yield* session.change(tokens.insert(organizationId, token));
      },
      useGrantToken: ({ session, organizationId }, id, { usedAt, details }) =>
        changeRow(session, markUsed({ organizationId, id, usedAt, details })),
      deleteGrantToken: ({ session, organizationId }, id) =>
        changeRow(session, tokens.remove(organizationId, { id })),
      removeGrantTokens: prepareExpiredRemoval(dialect),
    },
  };
}

function prepareExpiredRemoval({
  db,
  isOneOf,
  listParameter,
}: SqlDialect): PortModule<Reads, Writes>["writes"]["removeGrantTokens"] {
  const findExpired = prepare((slot: Slot<{ organizationId: string; before: number; limit: number }>) =>
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

  const removeEmptyGrants = prepare((slot: Slot<{ organizationId: string; ids: unknown }>) =>
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

  return function* ({ session, organizationId }, before, limit) {
    const tokens = yield* session.all(findExpired({ organizationId, before, limit }));
    if (tokens.length === 0) return 0;
    const ids = listParameter(tokens.map(({ id }) => id));
    const grantIds = listParameter([...new Set(tokens.map(({ grantId }) => grantId))]);
    const removedTokens = yield* session.change(removeTokens({ organizationId, ids }));
    yield* session.change(removeEmptyGrants({ organizationId, ids: grantIds }));
    return removedTokens;
  };
}
