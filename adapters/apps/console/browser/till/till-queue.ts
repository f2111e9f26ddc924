import { useEffect, useState } from "preact/hooks";
import { CallError } from "../api/call-error.js";
import { createCalls } from "../api/calls.js";
import { base, session } from "../api/session.js";
import { turns as words } from "../words/en/till.js";
import { shouldQueue } from "./call-failure.js";
import { DeviceStore } from "./device-store.js";
import { OfflineQueue, type SendResult } from "./offline-queue.js";
import type { PendingScan } from "./scan-store.js";

/** Interval between attempts to send the queue, in milliseconds. */
const AGAIN_MS = 5_000;

const opened = DeviceStore.open<PendingScan>(`loyalty-till${base}`).then(
  (store) => new OfflineQueue(store, session.organizationId, sendScan, runExclusive),
);

let tell: (scans: readonly PendingScan[]) => void = () => {};

async function refresh(): Promise<void> {
  tell(await (await opened).scans());
}

/**
 * Queues stamps to be sent later.
 * @throws if the stamps can't be stored on this device.
 */
export async function queueScan(
  card: PendingScan["card"],
  count: number,
  idempotencyKey: string,
): Promise<void> {
  // Without this request, the browser may evict the stored data.
  void navigator.storage?.persist?.();
  await (await opened).add(card, count, idempotencyKey);
  await refresh();
}

/**
 * Removes the oldest queued scan that `isWanted` accepts, provided that it hasn't been sent or that the server refused it. A scan
 * that was sent but not refused might have been counted, so it is kept.
 * @returns whether the scan was removed.
 */
export async function withdrawScan(isWanted: (scan: PendingScan) => boolean): Promise<boolean> {
  const queue = await opened;
  const scan = (await queue.scans()).find(isWanted);
  const isTaken = scan !== undefined && (await queue.withdraw(scan));
  await refresh();
  return isTaken;
}

async function replay(): Promise<void> {
  const queue = await opened;
  const isWaiting = (await queue.scans()).some(({ refusal }) => refusal === null);
  if (isWaiting && navigator.onLine) await queue.replay();
  await refresh();
}

/**
 * Returns the scans stored on this device. The scans are sent when the page opens, when the connection comes back, and every few
 * seconds while the till is visible.
 */
export function usePendingScans(): readonly PendingScan[] {
  const [scans, setScans] = useState<readonly PendingScan[]>([]);
  useEffect(() => {
    tell = setScans;
    const again = () => void replay();
    again();
    const timer = setInterval(again, AGAIN_MS);
    addEventListener("online", again);
    return () => {
      tell = () => {};
      clearInterval(timer);
      removeEventListener("online", again);
    };
  }, []);
  return scans;
}

/** The queue does its own retries, and never asks the user to sign in. */
const calls = createCalls({ repeats: false, asksToSignIn: false });

/** Sends a scan's stamps. */
async function sendScan({ card, count, idempotencyKey }: PendingScan): Promise<SendResult> {
  try {
    const passId = "passId" in card ? card.passId : (await calls.passes.lookup(card.code.trim())).id;
    await calls.stamps.add(passId, { count, idempotencyKey });
    return "done";
  } catch (error) {
    if (!(error instanceof CallError)) return "later";
    const { status, message } = error;
    if (status === 401 || shouldQueue(error, true)) return "later";
    return { refusal: status === 404 ? words.noSuchCard : message };
  }
}

/**
 * Keeps other pages from sending at the same time. In browsers without the Web Locks API, a second page sends the same idempotency
 * keys and gets the error that they are in use.
 */
async function runExclusive(work: () => Promise<void>): Promise<void> {
  if (navigator.locks === undefined) return work();
  await navigator.locks.request(`loyalty-till${base}`, work);
}
