import { useEffect, useState } from "preact/hooks";
import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import type { PurchaseEffect, PurchaseResult } from "../../../../../src/purchases/schema.js";
import { CallError } from "../api/call-error.js";
import { createCalls, createIdempotencyKey } from "../api/calls.js";
import { base, session } from "../api/session.js";
import { turns as words } from "../words/en/till.js";
import { shouldQueue } from "./call-failure.js";
import { DeviceStore } from "./device-store.js";
import { IDEMPOTENCY_WINDOW_MS, isPurchase, type PendingScan, type PendingStamps } from "./scan-store.js";
import type { CardReference, TillPurchase } from "./till-purchase.js";

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
export async function queueScan(card: CardReference, count: number, idempotencyKey: string): Promise<void> {
  requestPersistence();
  await (await queuePromise).addStamps(card, count, idempotencyKey);
  await refresh();
}

/** Asks the browser to keep the stored data. Without this request, it may evict the data. */
function requestPersistence(): void {
  void navigator.storage?.persist?.();
}

/** How long to wait for the server to record a purchase, in milliseconds. After that, the purchase waits on this device. */
const BOOKING_MS = 4_000;

const bookingCalls = createCalls({ timeoutMs: BOOKING_MS });

/**
 * Records a purchase. It is stored on this device first, so that it is sent again with the same receipt if the page is closed or
 * the response is lost.
 * @param isReachable whether to call the server now.
 * @returns what the purchase gives on each card, or `null` if the purchase waits on this device.
 * @throws {CallError} if the server refuses the purchase.
 * @throws if the purchase can't be stored on this device.
 */
export async function bookPurchase(
  purchase: TillPurchase,
  isReachable: boolean,
): Promise<readonly PurchaseEffect[] | null> {
  requestPersistence();
  const queue = await queuePromise;
  const isSent = isReachable && navigator.onLine;
  const previous = (await queue.listScans()).filter(hasReceiptOf(purchase));
  const id = await queue.addPurchase(purchase, { isReturn: false, isSent });
  // After a reload, the user may book another amount with the same receipt.
  for (const scan of previous) await queue.remove(scan.id);
  try {
    if (!isSent) return null;
    const { effects } = await putPurchase(bookingCalls, purchase);
    await queue.remove(id);
    return effects;
  } catch (error) {
    if (shouldQueue(error, true)) return null;
    await queue.remove(id);
    throw error;
  } finally {
    await refresh();
  }
}

/**
 * Undoes a purchase. Removes it from this device if it hasn't been sent. Otherwise, it is returned as a whole, as soon as there is a
 * connection.
 * @throws {CallError} if the server refuses the return.
 */
export async function returnPurchase(purchase: TillPurchase): Promise<void> {
  const isSame = hasReceiptOf(purchase);
  if (await withdrawScan(isSame)) return;
  const queue = await queuePromise;
  // A purchase that waits for its response must arrive before its return.
  const mustWait = (await queue.listScans()).some(isSame) || !navigator.onLine;
  try {
    if (!mustWait) return await sendReturn(bookingCalls, purchase);
  } catch (error) {
    if (!shouldQueue(error, true)) throw error;
  }
  await queue.addPurchase(purchase, { isReturn: true, isSent: false });
  await refresh();
}

const hasReceiptOf =
  ({ source, receipt }: TillPurchase) =>
  (scan: PendingScan) =>
    isPurchase(scan) && scan.purchase.source === source && scan.purchase.receipt === receipt;

/**
 * Sends a purchase. The server refuses times that are ahead of its clock, in which case the purchase gets the server's time.
 * @throws {CallError} if the call fails.
 */
async function putPurchase(calls: OrganizationCalls, purchase: TillPurchase): Promise<PurchaseResult> {
  const { source, receipt, card, currency, amount, at } = purchase;
  const customer = "passId" in card ? { walletPassId: card.passId } : { qrCodeValue: card.code.trim() };
  const content = { ...customer, currency, lines: [{ amount }] };
  try {
    return await calls.purchases.put(source, receipt, { ...content, at: new Date(at).toISOString() });
  } catch (error) {
    if (!(error instanceof CallError) || error.fields.at === undefined) throw error;
    return calls.purchases.put(source, receipt, content);
  }
}

/** The ID of the return that undoes a whole purchase. */
const RETURN_ID = "undo";

/**
 * Returns a whole purchase. Does nothing if the server has no such purchase, because it refused it.
 * @throws {CallError} if the call fails.
 */
async function sendReturn(calls: OrganizationCalls, { source, receipt }: TillPurchase): Promise<void> {
  try {
    await calls.purchases.addReturn(source, receipt, { returnId: RETURN_ID, all: true });
  } catch (error) {
    if (!(error instanceof CallError) || error.status !== 404) throw error;
  }
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
 * Returns the scans stored on this device, and calls `onScans` with them whenever they have been read. The scans are sent when the
 * page opens, when the connection comes back, and every few seconds while the till is visible.
 */
export function usePendingScans(onScans: (scans: readonly PendingScan[]) => void): readonly PendingScan[] {
  const [scans, setScans] = useState<readonly PendingScan[]>([]);
  useEffect(() => {
    notifyScans = (newScans) => {
      setScans(newScans);
      onScans(newScans);
    };
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

/** Sends a scan's stamps or purchase. */
async function sendScan(scan: PendingScan): Promise<SendResult> {
  try {
    if (!isPurchase(scan)) await sendStamps(scan);
    else if (scan.isReturn) await sendReturn(calls, scan.purchase);
    else await putPurchase(calls, scan.purchase);
    return "done";
  } catch (error) {
    if (!(error instanceof CallError)) return "later";
    const { status, message } = error;
    if (status === 401 || shouldQueue(error, true)) return "later";
    return { refusal: status === 404 ? words.noSuchCard : message };
  }
}

async function sendStamps({ card, count, idempotencyKey }: PendingStamps): Promise<void> {
  const passId = "passId" in card ? card.passId : (await calls.passes.lookup(card.code.trim())).id;
  await calls.stamps.add(passId, { count, idempotencyKey });
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

  /**
   * @param store keeps the scans in IndexedDB, so that they survive a browser restart.
   * @param lock a function that runs a task while preventing other pages in the same browser from sending scans.
   */
  constructor(
    private readonly store: DeviceStore<PendingScan>,
    private readonly organizationId: string,
    private readonly send: SendScan,
    private readonly lock: (task: () => Promise<void>) => Promise<void>,
  ) {}

  /** Resolves to the organization's waiting and refused scans, in ascending order of their IDs. */
  async listScans(): Promise<PendingScan[]> {
    return (await this.store.list()).filter(({ organizationId }) => organizationId === this.organizationId);
  }

  /**
   * Stores stamps. When the promise resolves, they are on disk.
   * @param idempotencyKey the key of an earlier attempt whose response was lost. Defaults to a new key.
   * @throws if the device already stores the maximum number of scans.
   */
  async addStamps(
    card: CardReference,
    count: number,
    idempotencyKey = createIdempotencyKey(),
  ): Promise<void> {
    await this.assertNotFull();
    await this.store.add({ ...this.createBase(), card, count, idempotencyKey });
  }

  /**
   * Stores a purchase or its return. When the promise resolves, it is on disk.
   * @param isSent whether it is being sent at the same time, so that it might be recorded already.
   * @returns the ID of the stored scan.
   * @throws if the device already stores the maximum number of scans.
   */
  async addPurchase(
    purchase: TillPurchase,
    { isReturn, isSent }: { readonly isReturn: boolean; readonly isSent: boolean },
  ): Promise<number> {
    await this.assertNotFull();
    const base = this.createBase();
    return this.store.add({ ...base, sentAt: isSent ? base.scannedAt : null, purchase, isReturn });
  }

  remove(id: number): Promise<void> {
    return this.store.remove(id);
  }

  private createBase() {
    const { organizationId } = this;
    return { organizationId, scannedAt: Date.now(), sentAt: null, refusal: null };
  }

  private async assertNotFull(): Promise<void> {
    if ((await this.store.list()).length >= MAX_SCANS) throw new Error(words.deviceFull(MAX_SCANS));
  }

  /**
   * Removes a scan, provided that it hasn't been sent or that the server refused it. A scan that was sent but not refused might
   * have been counted, so it is kept.
   * @returns whether the scan was removed.
   */
  async withdraw(scan: PendingScan): Promise<boolean> {
    let isRemoved = false;
    await this.store.update(scan.id, (current) => {
      isRemoved = current.sentAt === null || current.refusal !== null;
      return isRemoved ? null : current;
    });
    return isRemoved;
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
      const sentAt = scan.sentAt ?? Date.now();
      if (!isPurchase(scan) && Date.now() - sentAt > IDEMPOTENCY_WINDOW_MS) {
        await this.store.update(scan.id, (current) => ({ ...current, refusal: words.neverAnswered }));
        continue;
      }
      // Store the time before sending, in case the browser is killed afterwards.
      const isStored = await this.store.update(scan.id, (current) => ({ ...current, sentAt }));
      // The user has undone the scan in the meantime.
      if (!isStored) continue;
      const result = await this.send({ ...scan, sentAt });
      if (result === "later") return;
      if (result === "done") await this.store.remove(scan.id);
      else await this.store.update(scan.id, (current) => ({ ...current, refusal: result.refusal }));
    }
  }
}
