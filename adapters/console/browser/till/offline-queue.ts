import { newIdempotencyKey } from "../api/calls.js";
import { turns as words } from "../words/en/till.js";
import { IDEMPOTENCY_WINDOW_MS } from "./idempotency-window.js";
import type { PendingScan, ScanStore } from "./scan-store.js";

/** The most scans that one device keeps. */
const MOST = 5_000;

/** The result of sending a scan: done, to be sent again later, or refused for good. */
export type SendResult = "done" | "later" | { readonly refusal: string };

/** Sends a scan once, with its key. It never rejects. */
export type Send = (scan: PendingScan) => Promise<SendResult>;

/**
 * Scans that wait for a connection. Each has a key of its own from the moment when it is kept, so that it counts once
 * however often it is sent: also when the browser was killed between its answer and its removal.
 */
export class OfflineQueue {
  private replaying: Promise<void> | null = null;

  /** @param lock keeps other pages of the browser from sending at the same time, in what order they like. */
  constructor(
    private readonly store: ScanStore,
    private readonly organizationId: string,
    private readonly send: Send,
    private readonly lock: (work: () => Promise<void>) => Promise<void>,
    private readonly now: () => number = Date.now,
  ) {}

  /** Resolves to the waiting and the refused scans of this organization, in order. */
  async scans(): Promise<PendingScan[]> {
    return (await this.store.all()).filter(({ organizationId }) => organizationId === this.organizationId);
  }

  /**
   * Keeps a scan. It is on the disk when this resolves.
   * @param idempotencyKey of a try whose answer was lost.
   * @throws if there is no room for more.
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

  /** Takes a scan back, unless it was sent already, and so may have been counted. Resolves to whether it was taken. */
  async withdraw(scan: PendingScan): Promise<boolean> {
    const current = (await this.store.all()).find(({ id }) => id === scan.id);
    if (current === undefined || (current.sentAt !== null && current.refusal === null)) return false;
    await this.store.remove(scan.id);
    return true;
  }

  /** Sends the waiting scans in order, until all are done or one has to wait on. */
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
      // Noted before, for the case that nothing is after.
      if (scan.sentAt === null) await this.store.put({ ...scan, sentAt });
      const sent = await this.send({ ...scan, sentAt });
      if (sent === "later") return;
      if (sent === "done") await this.store.remove(scan.id);
      else await this.store.put({ ...scan, sentAt, refusal: sent.refusal });
    }
  }
}
