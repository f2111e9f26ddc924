import type { ErrorListener } from "../../../src/events/event-emitter.js";
import type { WalletBackend } from "../../../src/wallets/wallet-backend.js";
import { PollLoop } from "../../jobs/poll-loop.js";
import { backgroundTimer } from "../../jobs/timers.js";
import type { CardWriter } from "./card-writer.js";

/** Google's wallets count as one device, because Google only reports that a person has a card. */
export const GOOGLE_DEVICE = "google";

/** Google may take this long to say the same everywhere. */
export const PROPAGATION_MS = 600_000;

/** All cards are reconciled ten minutes after the start, and a day after each time again. */
const FIRST_MS = 600_000;
const AGAIN_MS = 86_400_000;

/** Two cards are read this far apart at least, and take a tenth of the calls at most: changes come first. */
const PAUSE_MS = 500;
const SHARE = 0.1;

type Backend = Pick<WalletBackend, "clock" | "devices" | "google">;

/**
 * Asks Google whether people have a card, because callbacks may get lost, and for some issuers they stopped. A callback within the
 * last ten minutes takes precedence.
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

  /** Reconciles all cards ten minutes from now, and a day after each time again, until it is closed. */
  start(): void {
    this.loop.start();
  }

  /** Resolves when running requests have ended. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.loop.stop();
  }

  /** @param hasUsers what Google reports about a card. @param isHeld whether a person is known to have it. */
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

  /** Asks of all cards, one at a time. It ends when Google does not answer: there is a next time. */
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
