import type { OwnedApiToken, StoredApiToken } from "../../../src/storage/api-tokens.js";
import { deleteGrant } from "./grants.js";
import type { StoreWriteContext } from "./port-functions.js";
import { freezeRow, freezeRowWithLists } from "./store/rows.js";
import type { Store } from "./store/store.js";

export function findApiTokensByHash(store: Store, hashes: readonly string[]): OwnedApiToken[] {
  return [...new Set(hashes)].flatMap((hash) => {
    const owner = store.tokenOwners.get(hash);
    if (owner === undefined) return [];
    const { organizationId, tokenId } = owner;
    const token = store.rows(organizationId).apiTokens.get(tokenId);
    return token === undefined ? [] : [{ organizationId, token }];
  });
}

export function insertApiToken(
  { store, log, organizationId }: StoreWriteContext,
  token: StoredApiToken,
): void {
  log.add(store.tokenOwners, token.hash, { organizationId, tokenId: token.id });
  log.add(store.rowsForInsert(organizationId, log).apiTokens, token.id, freezeRowWithLists(token));
}

export function touchApiToken(
  { store, log, organizationId }: StoreWriteContext,
  id: string,
  lastUsedAt: number,
): boolean {
  const { apiTokens } = store.rows(organizationId);
  const token = apiTokens.get(id);
  if (token === undefined) return false;
  log.set(apiTokens, id, freezeRow({ ...token, lastUsedAt }));
  return true;
}

export function deleteApiToken({ store, log, organizationId }: StoreWriteContext, id: string): boolean {
  const { apiTokens, grants } = store.rows(organizationId);
  const token = apiTokens.get(id);
  if (token === undefined) return false;
  const tokenGrants = [...grants.values()].filter(({ tokenId }) => tokenId === id);
  for (const grant of tokenGrants) deleteGrant({ store, log, organizationId }, grant.id);
  log.delete(store.tokenOwners, token.hash);
  return log.delete(apiTokens, id);
}
