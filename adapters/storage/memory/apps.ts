import { appRecord, type StoredApp } from "../../../src/storage/apps.js";
import { updated } from "../../../src/storage/record.js";
import type { StoreWriteContext } from "./port-functions.js";
import { freezeRowWithLists, requireRow } from "./store/rows.js";
import type { Store } from "./store/store.js";

export function findApp(store: Store, id: string): { organizationId: string; app: StoredApp } | null {
  const organizationId = store.appOwners.get(id);
  if (organizationId === undefined) return null;
  return { organizationId, app: requireRow(store.rows(organizationId).apps, id) };
}

export function insertApp({ store, log, organizationId }: StoreWriteContext, app: StoredApp): void {
  log.add(store.appOwners, app.id, organizationId);
  log.add(store.rowsForInsert(organizationId, log).apps, app.id, freezeRowWithLists(app));
}

export function updateApp({ store, log, organizationId }: StoreWriteContext, app: StoredApp): boolean {
  const { apps } = store.rows(organizationId);
  const previous = apps.get(app.id);
  if (previous === undefined) return false;
  log.set(apps, app.id, freezeRowWithLists(updated(appRecord, previous, app)));
  return true;
}

export function deleteApp({ store, log, organizationId }: StoreWriteContext, id: string): boolean {
  if (!log.delete(store.rows(organizationId).apps, id)) return false;
  return log.delete(store.appOwners, id);
}
