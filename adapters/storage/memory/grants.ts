import type {
  GrantTokenUse,
  OwnedGrantToken,
  StoredGrant,
  StoredGrantToken,
} from "../../../src/storage/apps.js";
import type { StoreWriteContext } from "./port-functions.js";
import { byAge } from "./store/order.js";
import { freezeRowWithLists, requireRow } from "./store/rows.js";
import type { Store } from "./store/store.js";

export function findGrantTokenByHash(store: Store, hash: string): OwnedGrantToken | null {
  const owner = store.grantTokenOwners.get(hash);
  if (owner === undefined) return null;
  const { organizationId, tokenId } = owner;
  const { grants, grantTokens } = store.rows(organizationId);
  const token = requireRow(grantTokens, tokenId);
  const grant = requireRow(grants, token.grantId);
  return store.appOwners.has(grant.appId) ? { organizationId, token, grant } : null;
}

export function listGrants(store: Store, organizationId: string): StoredGrant[] {
  const grants = [...store.rows(organizationId).grants.values()];
  return grants.filter(({ appId }) => store.appOwners.has(appId)).sort(byAge);
}

export function findGrant(store: Store, organizationId: string, id: string): StoredGrant | null {
  const grant = store.rows(organizationId).grants.get(id);
  return grant !== undefined && store.appOwners.has(grant.appId) ? grant : null;
}

export function grantEndsAt(store: Store, organizationId: string, id: string): number | null {
  const { grantTokens, tokenIdsByGrant } = store.rows(organizationId);
  const ends = (tokenIdsByGrant.get(id) ?? []).map((tokenId) => requireRow(grantTokens, tokenId).expiresAt);
  return ends.length === 0 ? null : Math.max(...ends);
}

export function insertGrant({ store, log, organizationId }: StoreWriteContext, grant: StoredGrant): void {
  const { grants, tokenIdsByGrant } = store.rowsForInsert(organizationId, log);
  log.add(grants, grant.id, freezeRowWithLists(grant));
  log.set(tokenIdsByGrant, grant.id, []);
}

export function deleteGrant({ store, log, organizationId }: StoreWriteContext, id: string): boolean {
  const { grants, tokenIdsByGrant } = store.rows(organizationId);
  for (const tokenId of tokenIdsByGrant.get(id) ?? [])
    deleteGrantToken({ store, log, organizationId }, tokenId);
  log.delete(tokenIdsByGrant, id);
  return log.delete(grants, id);
}

export function insertGrantToken(
  { store, log, organizationId }: StoreWriteContext,
  token: StoredGrantToken,
): void {
  const { id, grantId, hash } = token;
  const { grantTokens, grantTokensByEnd, tokenIdsByGrant } = store.rows(organizationId);
  const siblings = requireRow(tokenIdsByGrant, grantId);
  const row = freezeRowWithLists(token);
  log.add(store.grantTokenOwners, hash, { organizationId, tokenId: id });
  log.add(grantTokens, id, row);
  log.set(tokenIdsByGrant, grantId, [...siblings, id]);
  log.change(
    () => grantTokensByEnd.add(row),
    () => grantTokensByEnd.remove(row),
  );
}

export function useGrantToken(
  { store, log, organizationId }: StoreWriteContext,
  id: string,
  { usedAt, details }: GrantTokenUse,
): boolean {
  const token = store.rows(organizationId).grantTokens.get(id);
  if (token === undefined || token.usedAt !== null) return false;
  deleteGrantToken({ store, log, organizationId }, id);
  insertGrantToken({ store, log, organizationId }, { ...token, usedAt, details });
  return true;
}

export function deleteGrantToken({ store, log, organizationId }: StoreWriteContext, id: string): boolean {
  const { grantTokens, grantTokensByEnd, tokenIdsByGrant } = store.rows(organizationId);
  const token = grantTokens.get(id);
  if (token === undefined) return false;
  const { grantId, hash } = token;
  const siblings = requireRow(tokenIdsByGrant, grantId).filter((other) => other !== id);
  log.set(tokenIdsByGrant, grantId, siblings);
  log.delete(store.grantTokenOwners, hash);
  log.change(
    () => grantTokensByEnd.remove(token),
    () => grantTokensByEnd.add(token),
  );
  return log.delete(grantTokens, id);
}

export function removeGrantTokens(
  { store, log, organizationId }: StoreWriteContext,
  before: number,
  limit: number,
): number {
  const { grantTokensByEnd, tokenIdsByGrant } = store.rows(organizationId);
  const end = grantTokensByEnd.countBefore({ expiresAt: before, id: "" });
  const expired = grantTokensByEnd.inOrder.slice(0, Math.min(end, limit));
  for (const { id } of expired) deleteGrantToken({ store, log, organizationId }, id);
  for (const { grantId } of expired) {
    if (tokenIdsByGrant.get(grantId)?.length === 0) deleteGrant({ store, log, organizationId }, grantId);
  }
  return expired.length;
}
