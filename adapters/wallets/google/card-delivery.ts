import { FairSemaphore } from "../../../src/concurrency/fair-semaphore.js";
import type { ErrorListener, WalletOutcome } from "../../../src/index.js";
import { nextAttempt, type RandomSource } from "../../../src/jobs/retries.js";
import { WALLET_RETRIES, type WalletBackend, type WalletJob } from "../../../src/wallets/wallet-backend.js";
import type { Deliverer } from "../deliverer.js";
import type { ApiResponse } from "./api-client.js";
import type { CardWriter } from "./card-writer.js";
import type { Reconciliation } from "./reconciliation.js";

/** The most cards that are written at once, and the part of those that others leave which one organization may have. */
const AT_ONCE = 10;
const SHARE = 0.75;

/** The last card of a claim is begun within this time, in milliseconds: it must be written while the claim holds. */
const BEGIN_MS = 10_000;

/** The result of writing one card. */
interface WriteResult {
  readonly isSettled: boolean;
  /** The wait that Google asks for, in milliseconds. */
  readonly waitMs: number;
}

const settled: WriteResult = { isSettled: true, waitMs: 0 };

type Backend = Pick<WalletBackend, "clock" | "card" | "google">;

/** Writes cards that changed to Google, each in its newest state. */
export class CardDelivery implements Deliverer {
  readonly platform = "google";
  private readonly slots = new FairSemaphore(AT_ONCE, SHARE);
  private isStopping = false;

  constructor(
    private readonly backend: Backend,
    private readonly writer: Pick<CardWriter, "update">,
    private readonly reconciliation: Pick<Reconciliation, "take">,
    private readonly onError: ErrorListener,
    readonly close: () => void,
    private readonly random: RandomSource = Math.random,
  ) {}

  stop(): void {
    this.isStopping = true;
  }

  deliver(jobs: readonly WalletJob[]): readonly Promise<WalletOutcome>[] {
    const batch = new Batch(performance.now() + BEGIN_MS, this.onError);
    return jobs.map((job) =>
      this.slots.run(job.organizationId, async () => this.outcome(job, await this.write(job, batch))),
    );
  }

  private async write({ organizationId, delivery, devices }: WalletJob, batch: Batch): Promise<WriteResult> {
    if (this.isStopping || batch.isOver) return { isSettled: false, waitMs: batch.waitMs };
    const { passId } = delivery;
    const begun = this.backend.clock();
    // Read at the last moment: what changes from now on is another delivery.
    const issued = await this.backend.card(passId);
    if (issued === null) return settled;
    const response = await this.writer.update(issued);
    const isRevoked = issued.card.revokedAt !== null;
    if (response.status === 200 || (isRevoked && response.status === 404)) {
      if (isRevoked) await this.backend.google.leave(organizationId, passId);
      else
        await this.reconciliation.take(
          organizationId,
          passId,
          response.body.hasUsers,
          devices.length > 0,
          begun,
        );
      return settled;
    }
    return batch.refused(response);
  }

  private outcome({ delivery, devices }: WalletJob, { isSettled, waitMs }: WriteResult): WalletOutcome {
    const { passId, revision, attempts } = delivery;
    if (isSettled) {
      return { passId, revision, deviceIds: devices.map(({ deviceId }) => deviceId), nextAttemptAt: null };
    }
    const nextAttemptAt = nextAttempt(
      WALLET_RETRIES,
      attempts + 1,
      this.backend.clock(),
      waitMs,
      this.random,
    );
    return { passId, revision, deviceIds: [], nextAttemptAt };
  }
}

/** Cards that were claimed together: when Google has had enough of one, it gets none of the others. */
class Batch {
  private readonly complaints = new Set<string>();
  waitMs = 0;
  private isStopped = false;

  /** @param until when the last one may begin, on the clock of the process. */
  constructor(
    private readonly until: number,
    private readonly onError: ErrorListener,
  ) {}

  get isOver(): boolean {
    return this.isStopped || performance.now() > this.until;
  }

  refused({ status, reason, waitMs }: ApiResponse): WriteResult {
    const isBusy = status === 429 || (status === 403 && /quota|rateLimit/i.test(reason));
    if (isBusy || status === 401 || status === 403) {
      this.isStopped = true;
      this.waitMs = Math.max(this.waitMs, waitMs);
    }
    const isPassing = isBusy || status === 0 || status >= 500;
    if (!isPassing) this.complain(`Google's wallet refuses a card: ${status} ${reason}`);
    return { isSettled: false, waitMs };
  }

  /** Once, however many cards meet with it. */
  private complain(complaint: string): void {
    if (this.complaints.has(complaint)) return;
    this.complaints.add(complaint);
    this.onError(new Error(complaint));
  }
}
