import type { ErrorListener } from "../../../../src/kernel/events/event-emitter.js";
import type { WalletBackend } from "../../../../src/wallets/wallet-backend.js";
import { backgroundTimer, PollLoop } from "../../jobs/timers.js";
import type { CardWriter } from "./card-writer.js";

/**
 * The device ID for all Google Wallet devices. Google reports only whether anyone has a card, so all of a customer's devices count
 * as one.
 */
export const GOOGLE_DEVICE = "google";

/** Maximum time for Google's API to consistently reflect a change, in milliseconds. */
export const PROPAGATION_MS = 600_000;

/** Delay before the first reconciliation of all cards, and the interval between further ones, in milliseconds. */
const INITIAL_DELAY_MS = 600_000;
const RECONCILIATION_INTERVAL_MS = 86_400_000;

/**
 * Minimum pause between reading two cards, in milliseconds, and the maximum share of calls for reconciliation, because changes have
 * priority.
 */
const MIN_PAUSE_MS = 500;
const MAX_CALL_SHARE = 0.1;

type Backend = Pick<WalletBackend, "clock" | "devices" | "google">;

/** A card that has been sent to Google. */
interface CardAtGoogle {
  readonly organizationId: string;
  readonly passId: string;
  /** Whether the card is in a wallet according to the stored state. */
  readonly isHeld: boolean;
}

/**
 * Checks with Google which cards are in customers' wallets. This is necessary because callbacks can get lost, and Google has
 * stopped sending them altogether for some issuers. A callback from the last ten minutes takes precedence over Google's response.
 */
export class Reconciliation {
  private isClosed = false;
  private readonly loop: PollLoop;
  private readonly pauseMs: number;

  constructor(
    private readonly backend: Backend,
    private readonly writer: Pick<CardWriter, "read">,
    onError: ErrorListener,
    callsPerSecond = Number.POSITIVE_INFINITY,
  ) {
    this.pauseMs = Math.max(MIN_PAUSE_MS, 1_000 / (callsPerSecond * MAX_CALL_SHARE));
    this.loop = new PollLoop(() => this.reconcileAll().catch(onError), {
      initialDelayMs: INITIAL_DELAY_MS,
      pollMs: RECONCILIATION_INTERVAL_MS,
      after: backgroundTimer,
    });
  }

  /** Starts reconciling all cards daily. The first run starts after ten minutes. */
  start(): void {
    this.loop.start();
  }

  /** Stops reconciling. Resolves when the request in progress, if any, has finished. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.loop.stop();
  }

  /**
   * Corrects a card's stored state if it differs from what Google reports about whether the card is in a customer's wallet.
   * @param hasUsers whether the card is in a wallet according to Google. Ignored if it isn't a boolean.
   */
  async syncCard(
    { organizationId, passId, isHeld }: CardAtGoogle,
    hasUsers: unknown,
    now: number,
  ): Promise<void> {
    if (typeof hasUsers !== "boolean" || hasUsers === isHeld) return;
    const key = { passId, platform: "google", deviceId: GOOGLE_DEVICE } as const;
    await this.backend.devices.syncDevice(organizationId, key, hasUsers, now - PROPAGATION_MS);
  }

  /**
   * Reconciles all cards, one at a time. Stops early if Google responds with an error or not at all. The next run starts from the
   * beginning.
   */
  async reconcileAll(): Promise<void> {
    for (let after: string | null = ""; after !== null; ) {
      const { cards, next } = await this.backend.google.readPage(after);
      for (const card of cards) {
        if (this.isClosed) return;
        const now = this.backend.clock();
        const { status, body } = await this.writer.read(card.passId);
        if (status !== 200 && status !== 404) return;
        await this.syncCard(card, status === 200 ? body.hasUsers : false, now);
        if (!this.isClosed) await new Promise((resolve) => setTimeout(resolve, this.pauseMs));
      }
      after = next;
    }
  }
}
