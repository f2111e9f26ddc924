import { base, session } from "../api/session.js";
import { DeviceStore } from "./device-store.js";
import { type PageSnapshot, SnapshotKeeper, type TillSnapshot } from "./till-snapshot.js";

/** How long to wait for a page that is being closed, in milliseconds. */
const CLOSING_MS = 1_000;

let keeper: SnapshotKeeper | null = null;

/**
 * Takes over the record of a till page that has been closed, and resolves to the snapshot that the page left behind. If there is no
 * such page, resolves to an empty snapshot.
 */
export async function openSnapshot(): Promise<TillSnapshot> {
  const store = await DeviceStore.open<PageSnapshot>(`loyalty-till-turns${base}`);
  const opened = new SnapshotKeeper(store, session.organizationId, take, Date.now);
  const left = await opened.open();
  keeper = opened;
  return left;
}

/** Stores a snapshot of this page's unfinished cards. Has no effect until {@link openSnapshot} has resolved. */
export function saveSnapshot(turns: TillSnapshot): void {
  keeper?.keep(turns);
}

/**
 * Reserves a record with a lock that the browser holds until the page is closed. In browsers without the Web Locks API, all pages
 * share one record.
 */
function take(id: number): Promise<boolean> {
  if (navigator.locks === undefined) return Promise.resolve(true);
  const signal = AbortSignal.timeout(CLOSING_MS);
  return new Promise((resolve) => {
    const hold = () => {
      resolve(true);
      return new Promise(() => {});
    };
    navigator.locks.request(`loyalty-till-turns${base} ${id}`, { signal }, hold).catch(() => resolve(false));
  });
}
