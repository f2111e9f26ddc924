import type { EndpointToServe } from "../../src/storage/webhooks.js";
import type { SettledAttempt } from "../../src/webhooks/queue.js";
import { Rest } from "./rest.js";
import type { Slots } from "./slots.js";
import type { WorkPlace } from "./work-place.js";

/** How long the storage is given to come back, in milliseconds: then the claims have ended anyway. */
const PAUSES = [1_000, 2_000, 4_000, 8_000, 16_000];

/** How long results wait for others, in milliseconds: each transaction costs as much as some attempts. */
const GATHER_MS = 20;

/** The results of attempts at one endpoint. Those that come one soon after the other are written together. */
export class Settlement {
  private waiting: SettledAttempt[] = [];
  private settling: Promise<void> | null = null;

  constructor(
    private readonly place: EndpointToServe,
    private readonly shared: WorkPlace,
    private readonly turns: Slots,
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
        await this.turns.run(() => storageCalls.run(() => queue.settle(this.place, attempted)));
        storageAnswered();
        return;
      } catch (error) {
        storageFailed(error);
      }
      if (pause === null || isClosing()) return;
      await pauses.rest(pause);
    }
  }
}
