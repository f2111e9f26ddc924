import { waitForAnonymousSlot, waitForLoopIteration } from "../../../src/concurrency/event-loop.js";
import { FairSemaphore, type QueueLimits } from "../../../src/concurrency/fair-semaphore.js";
import { type LoyaltyError, unavailable } from "../../../src/errors.js";
import { toClientGroup } from "./client-network.js";

/** Concurrent anonymous requests, and the share of the free slots that one client group may take. */
const AT_ONCE = 4;
const SHARE = 0.5;

/** A request keeps its place for this many milliseconds: waiting for others, such as Google, takes no processor time. */
const MOST_MS = 100;

interface Bounds extends Pick<QueueLimits, "length" | "patience"> {
  /** The most bodies of a client group that may be in transfer. */
  readonly bodies: number;
}

/** The most requests of one party that wait, and the milliseconds after which one of them is refused. */
const line: Bounds = { length: 500, patience: 10_000, bodies: 100 };

/** The same of requests by signed links: the servers of a mail provider send theirs by the thousand. */
export const linkQueueLimits: Bounds = { length: 10_000, patience: 60_000, bodies: 10_000 };

/** Requests are begun for this many milliseconds in one turn of the event loop. */
const SLICE_MS = 2;

/** Clients of unknown address are one party. */
const UNKNOWN = "unknown";

/**
 * Lets strangers have their requests answered a few at a time, party by party in turn, and lets everybody else have their
 * turn of the event loop in between: however many strangers ask for however much, the others wait for some milliseconds of
 * it. A party is an IPv4 address or a /48 of IPv6; all whose address is not known are one.
 */
export class AnonymousQueue {
  private readonly places: FairSemaphore;
  /** How many bodies of a party are waited for. */
  private readonly bodies = new Map<string, number>();
  private sliceBegun: number | null = null;
  /** These have a place, and wait for the next slice. */
  private readonly waiting: (() => void)[] = [];

  /** @param most how many of a party may wait and come, and how long one waits. */
  constructor(private readonly most: Bounds = line) {
    const { length, patience } = most;
    this.places = new FairSemaphore(AT_ONCE, SHARE, { length, patience, createError: tooMany });
  }

  /** @throws {LoyaltyError} `storage_unavailable` if too many of the party wait, or one has waited too long. */
  async begin(address: string | null): Promise<AnonymousSlot> {
    const party = (address === null ? null : toClientGroup(address)) ?? UNKNOWN;
    const turn = new AnonymousSlot(
      () => this.enter(party),
      () => this.beginBody(party),
    );
    await turn.resume();
    return turn;
  }

  private async enter(party: string): Promise<() => void> {
    const leave = await this.places.acquire(party);
    if (this.isSliceOver()) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return leave;
  }

  /** @returns a function to call at its end. */
  private beginBody(party: string): () => void {
    const before = this.bodies.get(party) ?? 0;
    if (before >= this.most.bodies && party !== UNKNOWN) throw tooMany();
    this.bodies.set(party, before + 1);
    return () => {
      const left = (this.bodies.get(party) ?? 1) - 1;
      if (left > 0) this.bodies.set(party, left);
      else this.bodies.delete(party);
    };
  }

  private isSliceOver(): boolean {
    const now = performance.now();
    if (this.sliceBegun !== null) return now - this.sliceBegun >= SLICE_MS;
    this.sliceBegun = now;
    void waitForLoopIteration()
      .then(waitForAnonymousSlot)
      .then(() => {
        this.sliceBegun = null;
        this.beginNext();
      });
    return false;
  }

  /**
   * Begins as many as there are slots, synchronously: requests after the first would otherwise use up its time slice before the
   * last one begins.
   */
  private beginNext(): void {
    if (this.waiting.length === 0 || this.isSliceOver()) return;
    for (const go of this.waiting.splice(0)) go();
  }
}

function tooMany(): LoyaltyError {
  return unavailable("crowded", new Error("too many anonymous clients are waiting"));
}

/** An anonymous request. It holds a slot while it runs, for at most a tenth of a second at a time. */
export class AnonymousSlot {
  private leave: (() => void) | null = null;
  private begun = 0;
  private spent = 0;
  private late: NodeJS.Timeout | undefined;

  constructor(
    private readonly enter: () => Promise<() => void>,
    private readonly beginBody: () => () => void,
  ) {}

  /** The time for which it has had a place so far, in milliseconds. */
  get ms(): number {
    return this.spent + (this.leave === null ? 0 : performance.now() - this.begun);
  }

  async resume(): Promise<void> {
    this.leave = await this.enter();
    this.begun = performance.now();
    this.late = setTimeout(() => this.pause(), MOST_MS);
  }

  /** Gives the slot to others until the request continues. */
  pause(): void {
    if (this.leave === null) return;
    clearTimeout(this.late);
    this.spent += performance.now() - this.begun;
    this.leave();
    this.leave = null;
  }

  /**
   * Reads the chunks, and has no place while it waits for the client, which may take long.
   * @throws {LoyaltyError} `storage_unavailable` if too many of the party are read.
   */
  async *reading(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
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
