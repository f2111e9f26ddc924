import { useEffect, useState } from "preact/hooks";
import { CallError } from "../api/call-error.js";
import { createCalls, createIdempotencyKey } from "../api/calls.js";
import { base, session } from "../api/session.js";
import { turns as words } from "../words/en/till.js";
import { shouldQueue } from "./call-failure.js";
import { DeviceStore } from "./device-store.js";
import { IDEMPOTENCY_WINDOW_MS } from "./idempotency-window.js";
import type { PendingScan, ScanStore } from "./scan-store.js";

/** Maximum number of scans stored on a device. */
const MAX_SCANS = 5_000;

/** Interval between attempts to send the queue, in milliseconds. */
const RETRY_MS = 5_000;

const queuePromise = DeviceStore.open<PendingScan>(`loyalty-till${base}`).then(
  (store) => new OfflineQueue(store, session.organizationId, sendScan, runExclusive),
);

let notifyScans: (scans: readonly PendingScan[]) => void = () => {};

async function refresh(): Promise<void> {
  notifyScans(await (await queuePromise).listScans());
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
  await (await queuePromise).add(card, count, idempotencyKey);
  await refresh();
}

/**
 * Removes the oldest matching scan from the queue, provided that it hasn't been sent or that the server refused it. A scan that was
 * sent but not refused might have been counted, so it is kept.
 * @returns whether the scan was removed.
 */
export async function withdrawScan(matches: (scan: PendingScan) => boolean): Promise<boolean> {
  const queue = await queuePromise;
  const scan = (await queue.listScans()).find(matches);
  const isRemoved = scan !== undefined && (await queue.withdraw(scan));
  await refresh();
  return isRemoved;
}

async function replay(): Promise<void> {
  const queue = await queuePromise;
  const hasWaitingScans = (await queue.listScans()).some(({ refusal }) => refusal === null);
  if (hasWaitingScans && navigator.onLine) await queue.replay();
  await refresh();
}

/**
 * Returns the scans stored on this device. The scans are sent when the page opens, when the connection comes back, and every few
 * seconds while the till is visible.
 */
export function usePendingScans(): readonly PendingScan[] {
  const [scans, setScans] = useState<readonly PendingScan[]>([]);
  useEffect(() => {
    notifyScans = setScans;
    const retryScans = () => void replay();
    retryScans();
    const timer = setInterval(retryScans, RETRY_MS);
    addEventListener("online", retryScans);
    return () => {
      notifyScans = () => {};
      clearInterval(timer);
      removeEventListener("online", retryScans);
    };
  }, []);
  return scans;
}

/** The queue does its own retries, and never asks the user to sign in. */
const calls = createCalls({ retry: false, askToSignIn: false });

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
async function runExclusive(task: () => Promise<void>): Promise<void> {
  if (navigator.locks === undefined) return task();
  await navigator.locks.request(`loyalty-till${base}`, task);
}

/**
 * The result of sending a scan: `done` if the server accepted it, `later` if it must be retried, or the server's reason for
 * refusing it permanently.
 */
type SendResult = "done" | "later" | { readonly refusal: string };

/** Sends a scan once, using its idempotency key. Never rejects. */
type SendScan = (scan: PendingScan) => Promise<SendResult>;

/**
 * Stores scans until they can be sent. Each scan is assigned an idempotency key when it is stored, so it counts only once even if
 * it is sent twice. That can happen if the browser is killed after the response has arrived but before the scan has been removed.
 */
class OfflineQueue {
  private replaying: Promise<void> | null = null;

  /** @param lock a function that runs a task while preventing other pages in the same browser from sending scans. */
  constructor(
    private readonly store: ScanStore,
    private readonly organizationId: string,
    private readonly send: SendScan,
    private readonly lock: (task: () => Promise<void>) => Promise<void>,
    private readonly now: () => number = Date.now,
  ) {}

  /** Resolves to the organization's waiting and refused scans, in ascending order of their IDs. */
  async listScans(): Promise<PendingScan[]> {
    return (await this.store.list()).filter(({ organizationId }) => organizationId === this.organizationId);
  }

  /**
   * Stores a scan. When the promise resolves, the scan is on disk.
   * @param idempotencyKey the key of an earlier attempt whose response was lost. Defaults to a new key.
   * @throws if the device already stores the maximum number of scans.
   */
  async add(
    card: PendingScan["card"],
    count: number,
    idempotencyKey = createIdempotencyKey(),
  ): Promise<void> {
    if ((await this.store.list()).length >= MAX_SCANS) throw new Error(words.deviceFull(MAX_SCANS));
    const { organizationId } = this;
    const scan = {
      organizationId,
      card,
      count,
      idempotencyKey,
      scannedAt: this.now(),
      sentAt: null,
      refusal: null,
    };
    await this.store.add(scan);
  }

  /**
   * Removes a scan, provided that it hasn't been sent or that the server refused it. A scan that was sent but not refused might
   * have been counted, so it is kept.
   * @returns whether the scan was removed.
   */
  async withdraw(scan: PendingScan): Promise<boolean> {
    const current = (await this.store.list()).find(({ id }) => id === scan.id);
    if (current === undefined || (current.sentAt !== null && current.refusal === null)) return false;
    await this.store.remove(scan.id);
    return true;
  }

  /** Sends the waiting scans in order. Stops at the first scan that must be retried later. */
  replay(): Promise<void> {
    this.replaying ??= this.lock(() => this.sendAll()).finally(() => {
      this.replaying = null;
    });
    return this.replaying;
  }

  private async sendAll(): Promise<void> {
    for (const scan of await this.listScans()) {
      if (scan.refusal !== null) continue;
      const sentAt = scan.sentAt ?? this.now();
      if (this.now() - sentAt > IDEMPOTENCY_WINDOW_MS) {
        await this.store.put({
          ...scan,
          refusal: words.neverAnswered,
        });
        continue;
      }
      // Store the time before sending, in case the browser is killed afterwards.
      if (scan.sentAt === null) await this.store.put({ ...scan, sentAt });
      const result = await this.send({ ...scan, sentAt });
      if (result === "later") return;
      if (result === "done") await this.store.remove(scan.id);
      else await this.store.put({ ...scan, sentAt, refusal: result.refusal });
    }
  }
}
