import { base, session } from "../api/session.js";
import { DeviceStore } from "./device-store.js";
import { type PageSnapshot, SnapshotKeeper, type TillSnapshot } from "./till-snapshot.js";

/** The longest wait for a page that is being closed, in milliseconds. */
const CLOSING_MS = 1_000;

let keeper: SnapshotKeeper | null = null;

/** Resolves to the turns that a closed page of this till left behind, which this one keeps from then on. */
export async function openSnapshot(): Promise<TillSnapshot> {
  const store = await DeviceStore.open<PageSnapshot>(`loyalty-till-turns${base}`);
  const opened = new SnapshotKeeper(store, session.organizationId, take, Date.now);
  const left = await opened.open();
  keeper = opened;
  return left;
}

/** Keeps turns, once those that were left behind are known. */
export function saveSnapshot(turns: TillSnapshot): void {
  keeper?.keep(turns);
}

/** Takes a place by a lock that the browser holds until the page is closed. Where it has no locks, there is one till. */
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
