import { FairSemaphore } from "../../../../src/base/concurrency/fair-semaphore.js";
import type { ErrorListener } from "../../../../src/kernel/events/event-emitter.js";
import { computeNextAttemptAt, type RandomSource } from "../../../../src/kernel/retries.js";
import type { WalletOutcome } from "../../../../src/storage/wallets.js";
import type { IssuedCard } from "../../../../src/wallets/issued-card.js";
import type { WalletBackend, WalletJob } from "../../../../src/wallets/wallet-backend.js";
import { type AcceptedMessages, type Deliverer, WALLET_RETRIES } from "../wallet-platform.js";
import type { ApiResponse } from "./api-client.js";
import type { CardUpdater, UpdatedCard } from "./card-updater.js";
import { PROPAGATION_MS, type Reconciliation } from "./reconciliation.js";

/** Maximum number of cards written concurrently, and an organization's share of the free slots. */
const MAX_CONCURRENT_WRITES = 10;
const ORGANIZATION_SHARE = 0.75;

/** How long after a claim its last card may start, in milliseconds, so that the card is written while the claim is valid. */
const START_WINDOW_MS = 10_000;

/**
 * How long after a claim a message may still be added, in milliseconds. The message must be there when another process checks for
 * it, 60 seconds after the claim.
 */
const ANNOUNCE_WINDOW_MS = 40_000;

/** The result of writing one card. */
interface WriteResult {
  readonly isDone: boolean;
  /** The delay that Google asks for, in milliseconds. */
  readonly waitMs: number;
}

const doneResult: WriteResult = { isDone: true, waitMs: 0 };

/**
 * The result for a card that was not started, because other cards used up the calls that Google allows, or because it must be read
 * again.
 */
const notStarted = "unbegun";

/** A number that is lower than any delivery's revision. */
const NO_REVISION = -1;

type Backend = Pick<WalletBackend, "clock" | "card" | "google">;

/** Delivers changed cards to Google. Each delivery writes the card's current state rather than individual changes. */
export class CardDelivery implements Deliverer {
  readonly platform = "google";
  private readonly slots = new FairSemaphore(MAX_CONCURRENT_WRITES, ORGANIZATION_SHARE);
  private isStopping = false;

  constructor(
    private readonly backend: Backend,
    private readonly updater: Pick<CardUpdater, "update">,
    private readonly reconciliation: Pick<Reconciliation, "syncCard">,
    private readonly messages: AcceptedMessages,
    private readonly onError: ErrorListener,
    readonly close: () => void,
    private readonly random: RandomSource = Math.random,
  ) {}

  stop(): void {
    this.isStopping = true;
  }

  deliver(jobs: readonly WalletJob[]): readonly Promise<WalletOutcome>[] {
    const batch = new Batch(performance.now(), this.onError);
    return jobs.map((job) =>
      this.slots.run(job.organizationId, async () => this.computeOutcome(job, await this.write(job, batch))),
    );
  }

  private async write(job: WalletJob, batch: Batch): Promise<WriteResult | typeof notStarted> {
    if (batch.isStopped) return { isDone: false, waitMs: batch.waitMs };
    if (this.isStopping || batch.isTooLateToStart) return notStarted;
    const { organizationId, delivery, devices } = job;
    const { passId } = delivery;
    const startedAt = this.backend.clock();
    // Read as late as possible, because later changes are delivered separately.
    const issuedCard = await this.backend.card(passId);
    if (issuedCard === null) return doneResult;
    const { revision, revokedAt } = issuedCard.card;
    const isSurelyInWallet = devices.some(({ updatedAt }) => updatedAt > startedAt - PROPAGATION_MS);
    const update = await this.updater.update({
      issued: issuedCard,
      areOtherChangesSent: devices.some(({ notifiedRevision }) => notifiedRevision >= revision - 1),
      isSurelyInWallet,
      hasTimeLeft: () => batch.hasTimeToAnnounce,
    });
    if (update === null) return notStarted;
    const { response, notification } = update;
    const isAccepted = response.status === 200 || notification !== null;
    const isRevoked = revokedAt !== null;
    if (isRevoked && (isAccepted || response.status === 404)) {
      await this.backend.google.recordRevokedAtGoogle(organizationId, passId);
      return doneResult;
    }
    if (isAccepted) {
      const isInWallet = devices.length > 0;
      await this.reconciliation.syncCard(
        { organizationId, passId, isHeld: isInWallet },
        response.body.hasUsers,
        startedAt,
      );
      await this.reportMessageResult(
        issuedCard,
        notification,
        isSurelyInWallet || response.body.hasUsers !== false,
      );
    }
    return response.status === 200 ? doneResult : batch.recordRefusal(response);
  }

  /** Reports the result for the message that a card waits for. */
  private async reportMessageResult(
    { organizationId, card, message }: IssuedCard,
    notification: UpdatedCard["notification"],
    isInWallet: boolean,
  ): Promise<void> {
    const { messageDeliveryId } = card;
    if (messageDeliveryId === null || message === null) return;
    if (!isInWallet) await this.messages.walletMissing(organizationId, messageDeliveryId);
    else if (notification !== null) {
      await this.messages.walletAccepted(
        organizationId,
        messageDeliveryId,
        "google",
        notification === "silently",
      );
    }
  }

  private computeOutcome(
    { delivery, devices }: WalletJob,
    result: WriteResult | typeof notStarted,
  ): WalletOutcome {
    const { passId, revision, attempts } = delivery;
    // Due now and without counting a failed attempt, as if the card had changed in the meantime.
    if (result === notStarted) return { passId, revision: NO_REVISION, deviceIds: [], nextAttemptAt: null };
    const { isDone, waitMs } = result;
    if (isDone) {
      return { passId, revision, deviceIds: devices.map(({ deviceId }) => deviceId), nextAttemptAt: null };
    }
    const nextAttemptAt = computeNextAttemptAt(
      WALLET_RETRIES,
      { failures: attempts + 1, now: this.backend.clock(), requestedDelayMs: waitMs },
      this.random,
    );
    return { passId, revision, deviceIds: [], nextAttemptAt };
  }
}

/** Cards that were claimed together. If Google refuses one because of its limits or the account, the rest are not sent. */
class Batch {
  private readonly reportedErrors = new Set<string>();
  waitMs = 0;
  /** Whether Google refuses further calls. */
  isStopped = false;

  /** @param startedAt the time of the claim, in `performance.now()` time. */
  constructor(
    private readonly startedAt: number,
    private readonly onError: ErrorListener,
  ) {}

  /** Whether it is too late to start another card. */
  get isTooLateToStart(): boolean {
    return performance.now() > this.startedAt + START_WINDOW_MS;
  }

  get hasTimeToAnnounce(): boolean {
    return performance.now() <= this.startedAt + ANNOUNCE_WINDOW_MS;
  }

  recordRefusal({ status, reason, waitMs }: ApiResponse): WriteResult {
    const isBusy = status === 429 || (status === 403 && /quota|rateLimit/i.test(reason));
    if (isBusy || status === 401 || status === 403) {
      this.isStopped = true;
      this.waitMs = Math.max(this.waitMs, waitMs);
    }
    const isTemporary = isBusy || status === 0 || status >= 500;
    if (!isTemporary) this.reportOnce(`Google Wallet rejected a card: ${status} ${reason}`);
    return { isDone: false, waitMs };
  }

  /** Reports an error once, even if it affects many cards. */
  private reportOnce(message: string): void {
    if (this.reportedErrors.has(message)) return;
    this.reportedErrors.add(message);
    this.onError(new Error(message));
  }
}
