import type { Step } from "../concurrency/step.js";
import type { ErrorListener } from "../events/event-emitter.js";
import type { EmittingSegments, StoredSegmentMark } from "../storage/saved-segments.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import type { ChangeWatch, WatchedChange, Watching } from "../tenant/watching.js";
import { DAY_MS, type SteadyClock, timestamp } from "../values/clock.js";
import { JudgedSegments } from "./judged-segments.js";
import type { SegmentsNow } from "./segments-now.js";
import { type FindSegments, Watch } from "./watch.js";

/** Tells who enters and leaves segments by changes, and how far the clock is heeded for that. */
export class SegmentSettling implements Watching {
  /** Storage gives the same object for segments as long as they are the same. */
  readonly #known = new WeakMap<EmittingSegments, JudgedSegments>();
  #isRefusalTold = false;

  constructor(
    private readonly clock: SteadyClock,
    private readonly onError: ErrorListener,
  ) {}

  begin(tx: StorageTransaction, change: WatchedChange): ChangeWatch {
    return new Watch(tx, change, this.#find);
  }

  /**
   * Returns the time up to which an organization's time may be settled. That of a clock that has jumped counts only where somebody
   * has seen about the same time: else it is what was seen last.
   */
  timeFor({ lookedAt }: Pick<StoredSegmentMark, "lookedAt">): number {
    const now = this.clock.now();
    if (!this.clock.isRefused) {
      this.#isRefusalTold = false;
      return now;
    }
    if (now - lookedAt <= DAY_MS) {
      this.accept();
      return now;
    }
    if (!this.#isRefusalTold) {
      this.#isRefusalTold = true;
      this.onError(new RefusedClock(now));
    }
    return lookedAt;
  }

  /** True while the clock is refused. */
  get isRefused(): boolean {
    return this.clock.isRefused;
  }

  accept(): void {
    this.clock.accept();
    this.#isRefusalTold = false;
  }

  /** The segments of an organization as they are now; `null` where none emits events. */
  readonly #find: FindSegments = (tx, organizationId) => this.#found(tx, organizationId);

  *#found(tx: StorageTransaction, organizationId: string): Step<SegmentsNow | null> {
    const emitting = yield* tx.emittingSegments(organizationId);
    if (emitting === null || emitting.mark === null) return null;
    const { mark } = emitting;
    const state = yield* this.judged(tx, organizationId, emitting);
    return { state, mark, judgement: state.now(mark, this.timeFor(mark)) };
  }

  *judged(reader: StorageReader, organizationId: string, emitting: EmittingSegments): Step<JudgedSegments> {
    const known = this.#known.get(emitting);
    if (known !== undefined) return known;
    const read = yield* JudgedSegments.read(reader, organizationId, emitting);
    this.#known.set(emitting, read);
    return read;
  }
}

/** The clock has jumped by more than a day while the process ran. */
export class RefusedClock extends Error {
  override readonly name = "RefusedClock";

  constructor(now: number) {
    super(
      `the clock jumped to ${timestamp(now)}, more than a day ahead: what time does to segments waits until it is back, ` +
        "or until somebody accepts it with loyalty-kit segment refresh --accept-clock",
    );
  }
}
