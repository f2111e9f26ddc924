import type { ErrorListener } from "../../../src/events/event-emitter.js";
import type { WalletBackend } from "../../../src/wallets/wallet-backend.js";
import { PollLoop } from "../../jobs/poll-loop.js";
import { backgroundTimer } from "../../jobs/timers.js";
import type { CardWriter } from "./card-writer.js";

/**
 * The device id for Google Wallet. All of a person's devices count as one, because Google only reports whether anyone has a card.
 */
export const GOOGLE_DEVICE = "google";

/** How long Google may take to report a change consistently, in milliseconds. */
export const PROPAGATION_MS = 600_000;

/** Delay before the first reconciliation of all cards, and the interval between further ones, in milliseconds. */
const FIRST_MS = 600_000;
const AGAIN_MS = 86_400_000;

/**
 * Minimum pause between reading two cards, in milliseconds, and the maximum share of calls for reconciliation, because changes have
 * priority.
 */
const PAUSE_MS = 500;
const SHARE = 0.1;

type Backend = Pick<WalletBackend, "clock" | "devices" | "google">;

/**
 * Asks Google which cards people have, because callbacks may get lost, and for some issuers they stopped altogether. A callback
 * within the last ten minutes takes precedence.
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
    this.pauseMs = Math.max(PAUSE_MS, 1_000 / (callsPerSecond * SHARE));
    this.loop = new PollLoop(() => this.reconcileAll().catch(onError), {
      firstMs: FIRST_MS,
      pollMs: AGAIN_MS,
      after: backgroundTimer,
    });
  }

  /** Starts reconciling all cards: ten minutes from now, and then daily, until it is closed. */
  start(): void {
    this.loop.start();
  }

  /** Resolves when the running requests have ended. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.loop.stop();
  }

  /**
   * Applies Google's report about a card.
   * @param hasUsers whether Google reports that people have the card.
   * @param isHeld whether a person is known to have the card.
   */
  async take(
    organizationId: string,
    passId: string,
    hasUsers: unknown,
    isHeld: boolean,
    now: number,
  ): Promise<void> {
    if (typeof hasUsers !== "boolean" || hasUsers === isHeld) return;
    const key = { passId, platform: "google", deviceId: GOOGLE_DEVICE } as const;
    await this.backend.devices.syncDevice(organizationId, key, hasUsers, now - PROPAGATION_MS);
  }

  /** Reconciles all cards, one at a time. Stops if Google doesn't respond, because another run will follow. */
  async reconcileAll(): Promise<void> {
    for (let after: string | null = ""; after !== null; ) {
      const { cards, next } = await this.backend.google.page(after);
      for (const { organizationId, passId, isHeld } of cards) {
        if (this.isClosed) return;
        const now = this.backend.clock();
        const { status, body } = await this.writer.read(passId);
        if (status !== 200 && status !== 404) return;
        await this.take(organizationId, passId, status === 200 ? body.hasUsers : false, isHeld, now);
        if (!this.isClosed) await new Promise((resolve) => setTimeout(resolve, this.pauseMs));
      }
      after = next;
    }
  }
}
