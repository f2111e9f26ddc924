import type { Semaphore } from "../../src/concurrency/semaphore.js";
import type { EndpointPlace } from "../../src/storage/webhooks.js";
import type { SettledAttempt } from "../../src/webhooks/queue.js";
import { Rest } from "./rest.js";
import type { WorkPlace } from "./work-place.js";

/**
 * How long a storage that fails is given to come back, and another transaction to let go of the endpoint, in milliseconds:
 * then the claims have ended anyway.
 */
const PAUSES = [50, 250, 1_000, 2_000, 4_000, 8_000, 16_000];

/** The longest of them that the end of the worker waits for. */
const LAST_PAUSE_MS = 1_000;

/** How long results wait for others, in milliseconds: each transaction costs as much as some attempts. */
const GATHER_MS = 20;

/** The results of attempts at one endpoint. Those that come one soon after the other are written together. */
export class Settlement {
  private waiting: SettledAttempt[] = [];
  private settling: Promise<void> | null = null;

  constructor(
    private readonly place: EndpointPlace,
    private readonly shared: WorkPlace,
    private readonly turns: Semaphore,
  ) {}

  add(attempted: SettledAttempt): void {
    this.waiting.push(attempted);
    this.settling ??= this.settle();
  }

  /** Resolves when all results so far are written, or given up. */
  async settled(): Promise<void> {
    await this.settling;
  }

  private async settle(): Promise<void> {
    const { outside } = this.shared;
    while (this.waiting.length > 0) {
      await new Rest(outside.after).rest(GATHER_MS);
      const attempted = this.waiting;
      this.waiting = [];
      await this.write(attempted);
    }
    this.settling = null;
  }

  /** What can't be written is lost: the events are sent once more when the claims end. */
  private async write(attempted: readonly SettledAttempt[]): Promise<void> {
    const { queue, outside, storageCalls, isClosing, storageAnswered, storageFailed } = this.shared;
    const pauses = new Rest(outside.after);
    for (const pause of [...PAUSES, null]) {
      try {
        const isRecorded = await this.turns.run(() =>
          storageCalls.run(this.place.organizationId, () => queue.settle(this.place, attempted)),
        );
        storageAnswered();
        if (isRecorded) return;
      } catch (error) {
        storageFailed(error);
      }
      if (pause === null || (isClosing() && pause > LAST_PAUSE_MS)) return;
      await pauses.rest(pause);
    }
  }
}
