import { waitForAnonymousSlot, waitForLoopIteration } from "../../../src/base/concurrency/event-loop.js";
import { FairSemaphore, type QueueLimits } from "../../../src/base/concurrency/fair-semaphore.js";
import { UsageCounter } from "../../../src/base/concurrency/usage-counter.js";
import { type LoyaltyError, unavailable } from "../../../src/base/errors.js";
import { toClientGroup } from "./client-network.js";

/** Number of concurrent anonymous requests, and the share of the slots left by other client groups that one group may hold. */
const MAX_CONCURRENT_REQUESTS = 4;
const GROUP_SHARE = 0.5;

/** Milliseconds that a request may hold its slot. Waiting for other services, such as Google, takes no processor time. */
const MAX_SLOT_MS = 100;

interface AnonymousQueueLimits extends Pick<QueueLimits, "length" | "patience"> {
  /** Maximum number of request bodies per client group that may be in transfer. */
  readonly bodies: number;
}

/** Maximum number of waiting requests per client group, and the milliseconds after which a waiting request is refused. */
const defaultLimits: AnonymousQueueLimits = { length: 500, patience: 10_000, bodies: 100 };

/**
 * Limits for requests with signed links. They are high because a mail provider's servers can send thousands of these requests
 * at the same time.
 */
export const linkQueueLimits: AnonymousQueueLimits = { length: 10_000, patience: 60_000, bodies: 10_000 };

/** Milliseconds per event loop iteration in which requests may begin. */
const SLICE_MS = 2;

/** Key of the client group for all clients with unknown addresses. */
const UNKNOWN_GROUP = "unknown";

/**
 * Runs anonymous requests a few at a time. Client groups take turns, and other work on the event loop runs in between. Anonymous
 * requests therefore delay that work by only a few milliseconds, no matter how many requests are waiting. A client group is an
 * IPv4 address or an IPv6 /48. All clients with unknown addresses form one group.
 */
export class AnonymousQueue {
  private readonly slots: FairSemaphore;
  /** Number of bodies in transfer per client group. */
  private readonly bodies = new UsageCounter();
  private sliceStartedAt: number | null = null;
  /** Callbacks of requests that hold a slot and wait for the next time slice. */
  private readonly waiting: (() => void)[] = [];

  /**
   * @param limits the limits for each client group: how many requests can wait, how long each one can wait, and how many request
   *   bodies can be received at the same time.
   */
  constructor(private readonly limits: AnonymousQueueLimits = defaultLimits) {
    const { length, patience } = limits;
    this.slots = new FairSemaphore(MAX_CONCURRENT_REQUESTS, GROUP_SHARE, {
      length,
      patience,
      createError: createTooManyWaitingError,
    });
  }

  /**
   * Waits until the client group can run another request, and reserves a slot for it.
   * @throws {LoyaltyError} `storage_unavailable` if too many requests from the client group are waiting, or if this request has
   *   waited too long.
   */
  async begin(address: string | null): Promise<AnonymousSlot> {
    const clientGroup = (address === null ? null : toClientGroup(address)) ?? UNKNOWN_GROUP;
    const slot = new AnonymousSlot(
      () => this.enter(clientGroup),
      () => this.beginBody(clientGroup),
    );
    await slot.resume();
    return slot;
  }

  private async enter(clientGroup: string): Promise<() => void> {
    const release = await this.slots.acquire(clientGroup);
    if (this.isSliceOver()) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return release;
  }

  /**
   * Counts a body in transfer.
   * @returns a function to call when the body ends.
   */
  private beginBody(clientGroup: string): () => void {
    const isFull = this.bodies.get(clientGroup) >= this.limits.bodies;
    if (isFull && clientGroup !== UNKNOWN_GROUP) throw createTooManyWaitingError();
    this.bodies.add(clientGroup);
    return () => this.bodies.add(clientGroup, -1);
  }

  private isSliceOver(): boolean {
    const now = performance.now();
    if (this.sliceStartedAt !== null) return now - this.sliceStartedAt >= SLICE_MS;
    this.sliceStartedAt = now;
    void waitForLoopIteration()
      .then(waitForAnonymousSlot)
      .then(() => {
        this.sliceStartedAt = null;
        this.beginNext();
      });
    return false;
  }

  /**
   * Begins all requests that hold a slot and wait, synchronously. Otherwise the first request could use up the time slice before
   * the last one begins.
   */
  private beginNext(): void {
    if (this.waiting.length === 0 || this.isSliceOver()) return;
    for (const resume of this.waiting.splice(0)) resume();
  }
}

function createTooManyWaitingError(): LoyaltyError {
  return unavailable("crowded", new Error("too many anonymous clients are waiting"));
}

/**
 * A slot in which an anonymous request runs. The number of slots is limited. A slot is released automatically once the request has
 * held it for a tenth of a second.
 */
export class AnonymousSlot {
  private release: (() => void) | null = null;
  private startedAt = 0;
  private spentMs = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly enter: () => Promise<() => void>,
    private readonly beginBody: () => () => void,
  ) {}

  /** Total time that the slot has been held, in milliseconds. */
  get heldMs(): number {
    return this.spentMs + (this.release === null ? 0 : performance.now() - this.startedAt);
  }

  async resume(): Promise<void> {
    this.release = await this.enter();
    this.startedAt = performance.now();
    this.timer = setTimeout(() => this.pause(), MAX_SLOT_MS);
  }

  /** Releases the slot until the request resumes. Has no effect if the slot isn't held. */
  pause(): void {
    if (this.release === null) return;
    clearTimeout(this.timer);
    this.spentMs += performance.now() - this.startedAt;
    this.release();
    this.release = null;
  }

  /**
   * Yields a body's chunks. Releases the slot while waiting for each chunk, because the client might be slow.
   * @throws {LoyaltyError} `storage_unavailable` if too many request bodies from the client group are already being received.
   */
  async *releaseWhileReading(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const end = this.beginBody();
    const iterator = chunks[Symbol.asyncIterator]();
    try {
      for (;;) {
        this.pause();
        const step = await iterator.next();
        await this.resume();
        if (step.done) return;
        yield step.value;
      }
    } finally {
      end();
      await iterator.return?.();
    }
  }
}
