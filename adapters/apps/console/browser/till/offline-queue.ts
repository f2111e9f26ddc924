import { newIdempotencyKey } from "../api/calls.js";
import { turns as words } from "../words/en/till.js";
import { IDEMPOTENCY_WINDOW_MS } from "./idempotency-window.js";
import type { PendingScan, ScanStore } from "./scan-store.js";

/** Maximum number of scans stored on a device. */
const MOST = 5_000;

/**
 * The result of sending a scan: `done` if the server accepted it, `later` if it must be retried, or the server's reason for
 * refusing it permanently.
 */
export type SendResult = "done" | "later" | { readonly refusal: string };

/** Sends a scan once, using its idempotency key. Never rejects. */
export type Send = (scan: PendingScan) => Promise<SendResult>;

/**
 * Stores scans until they can be sent. Each scan is assigned an idempotency key when it is stored, so it counts only once even if
 * it is sent twice. That can happen if the browser is killed after the response has arrived but before the scan has been removed.
 */
export class OfflineQueue {
  private replaying: Promise<void> | null = null;

  /** @param lock a function that runs a task while preventing other pages in the same browser from sending scans. */
  constructor(
    private readonly store: ScanStore,
    private readonly organizationId: string,
    private readonly send: Send,
    private readonly lock: (work: () => Promise<void>) => Promise<void>,
    private readonly now: () => number = Date.now,
  ) {}

  /** Resolves to the organization's waiting and refused scans, in ascending order of their IDs. */
  async scans(): Promise<PendingScan[]> {
    return (await this.store.all()).filter(({ organizationId }) => organizationId === this.organizationId);
  }

  /**
   * Stores a scan. When the promise resolves, the scan is on disk.
   * @param idempotencyKey the key of an earlier attempt whose response was lost. Defaults to a new key.
   * @throws if the device already stores the maximum number of scans.
   */
  async add(card: PendingScan["card"], count: number, idempotencyKey = newIdempotencyKey()): Promise<void> {
    if ((await this.store.all()).length >= MOST) throw new Error(words.deviceFull(MOST));
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
    const current = (await this.store.all()).find(({ id }) => id === scan.id);
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
    for (const scan of await this.scans()) {
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
      const sent = await this.send({ ...scan, sentAt });
      if (sent === "later") return;
      if (sent === "done") await this.store.remove(scan.id);
      else await this.store.put({ ...scan, sentAt, refusal: sent.refusal });
    }
  }
}
