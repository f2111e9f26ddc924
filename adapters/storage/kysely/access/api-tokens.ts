import type { ApiTokenLookUps, ApiTokenReads, ApiTokenWrites } from "../../../../src/storage/api-tokens.js";
import type { LookUpModule } from "../change/commit-buffer.js";
import { changeRow, prepare, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

interface TokenKey {
  organizationId: string;
  id: string;
}

export function apiTokenModule(
  dialect: SqlDialect,
): LookUpModule<ApiTokenReads, ApiTokenWrites, ApiTokenLookUps> {
  const { db, isOneOf, listParameter } = dialect;
  const rows = createRowStatements(dialect, tables.apiTokens);

  const findByHash = prepare((slot: Slot<{ hashes: unknown }>) =>
    db
      .selectFrom("loyalty_api_tokens")
      .select(["organization_id as organizationId", ...rows.columns])
      .where(({ ref }) => isOneOf(ref("hash"), slot("hashes"))),
  );

  const touch = prepare((slot: Slot<TokenKey & { lastUsedAt: number }>) =>
    db
      .updateTable("loyalty_api_tokens")
      .set({ last_used_at: slot("lastUsedAt") })
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("id")),
  );

  const removeGrants = prepare((slot: Slot<TokenKey>) =>
    db
      .deleteFrom("loyalty_grants")
      .where("organization_id", "=", slot("organizationId"))
      .where("token_id", "=", slot("id")),
  );

  return {
    reads: {
      listApiTokens: ({ session, organizationId }) => rows.list(session, organizationId),
      findApiToken: ({ session, organizationId }, id) => rows.find(session, organizationId, { id }),
    },
    lookUps: {
      *findApiTokensByHash({ session }, hashes) {
        const tokens = yield* session.all(findByHash({ hashes: listParameter(hashes) }));
        return tokens.map(({ organizationId, ...token }) => ({ organizationId, token: rows.toRow(token) }));
      },
    },
    writes: {
      *insertApiToken({ session, buffer, organizationId }, token) {
        yield* session.change(rows.insert(organizationId, token));
        yield* buffer.updateCounters(organizationId, {});
      },
      touchApiToken: ({ session, organizationId }, id, lastUsedAt) =>
        changeRow(session, touch({ organizationId, id, lastUsedAt })),
      *deleteApiToken({ session, organizationId }, id) {
        yield* session.change(removeGrants({ organizationId, id }));
        return yield* changeRow(session, rows.remove(organizationId, { id }));
      },
    },
  };
}
