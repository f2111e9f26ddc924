import type { StoredApiToken } from "../../../src/storage/api-tokens.js";
import type { Functions } from "../../../src/storage/methods.js";
import type { StorageReader, StorageTransaction } from "../../../src/storage/storage-adapter.js";
import type { Changing } from "../change/pending.js";
import { called } from "../session/call-rules.js";
import { changed, first, type Reading } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { textsOf } from "../sql/text-list.js";

type ApiTokenReads = Pick<StorageReader, "listApiTokens" | "findApiToken" | "findApiTokenByHash">;
type ApiTokenWrites = Pick<StorageTransaction, "insertApiToken" | "touchApiToken" | "deleteApiToken">;

interface TokenKey {
  organizationId: string;
  id: string;
}

/** A token as the port has it, but for its lists, which are JSON here. */
type TokenValues = Omit<StoredApiToken, "scopes" | "allowedAddresses"> & {
  readonly scopes: string;
  readonly allowedAddresses: string | null;
};

export function apiTokenReads({ db }: SqlDialect): Functions<ApiTokenReads, Reading> {
  const found = db
    .selectFrom("loyalty_api_tokens")
    .select([
      "id",
      "name",
      "prefix",
      "hash",
      "scopes",
      "created_at as createdAt",
      "last_used_at as lastUsedAt",
      "expires_at as expiresAt",
      "allowed_addresses as allowedAddresses",
      "made_by as madeBy",
    ]);

  const all = prepare((slot: Slot<{ organizationId: string }>) =>
    found
      .where("organization_id", "=", slot("organizationId"))
      .orderBy("loyalty_api_tokens.created_at")
      .orderBy("loyalty_api_tokens.id"),
  );

  const byId = prepare((slot: Slot<TokenKey>) =>
    found.where("organization_id", "=", slot("organizationId")).where("id", "=", slot("id")),
  );

  const byHash = prepare((slot: Slot<{ hash: string }>) =>
    found.select("organization_id as organizationId").where("hash", "=", slot("hash")),
  );

  return {
    listApiTokens: function* ({ session }, organizationId) {
      return (yield* session.all(all({ organizationId }))).map(tokenOf);
    },

    *findApiToken({ session }, organizationId, id) {
      const row = yield* first(session, byId({ organizationId, id }));
      return row === null ? null : tokenOf(row);
    },

    findApiTokenByHash: called({ locks: "none" }, function* ({ session }, hash) {
      const row = yield* first(session, byHash({ hash }));
      if (row === null) return null;
      const { organizationId, ...values } = row;
      return { organizationId, token: tokenOf(values) };
    }),
  };
}

export function apiTokenWrites({ db }: SqlDialect): Functions<ApiTokenWrites, Changing> {
  const insert = prepare((slot: Slot<TokenValues & { organizationId: string }>) =>
    db.insertInto("loyalty_api_tokens").values({
      organization_id: slot("organizationId"),
      id: slot("id"),
      name: slot("name"),
      prefix: slot("prefix"),
      hash: slot("hash"),
      scopes: slot("scopes"),
      created_at: slot("createdAt"),
      last_used_at: slot("lastUsedAt"),
      expires_at: slot("expiresAt"),
      allowed_addresses: slot("allowedAddresses"),
      made_by: slot("madeBy"),
    }),
  );

  const touch = prepare((slot: Slot<TokenKey & { lastUsedAt: number }>) =>
    db
      .updateTable("loyalty_api_tokens")
      .set({ last_used_at: slot("lastUsedAt") })
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("id")),
  );

  const remove = prepare((slot: Slot<TokenKey>) =>
    db
      .deleteFrom("loyalty_api_tokens")
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
    *insertApiToken({ session, pending }, organizationId, token) {
      yield* session.change(insert({ organizationId, ...valuesOf(token) }));
      yield* pending.count(organizationId, {});
    },
    touchApiToken: ({ session }, organizationId, id, lastUsedAt) =>
      changed(session, touch({ organizationId, id, lastUsedAt })),
    *deleteApiToken({ session }, organizationId, id) {
      yield* session.change(removeGrants({ organizationId, id }));
      return yield* changed(session, remove({ organizationId, id }));
    },
  };
}

function tokenOf(values: TokenValues): StoredApiToken {
  const { scopes, allowedAddresses } = values;
  return {
    ...values,
    scopes: textsOf(scopes),
    allowedAddresses: allowedAddresses === null ? null : textsOf(allowedAddresses),
  };
}

function valuesOf(token: StoredApiToken): TokenValues {
  const { scopes, allowedAddresses } = token;
  return {
    ...token,
    scopes: JSON.stringify(scopes),
    allowedAddresses: allowedAddresses === null ? null : JSON.stringify(allowedAddresses),
  };
}
