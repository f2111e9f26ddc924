import type { FairSemaphore } from "../../src/base/concurrency/fair-semaphore.js";
import { UsageCounter } from "../../src/base/concurrency/usage-counter.js";
import { createQueue } from "../../src/kernel/queues.js";
import { CHUNKING_THRESHOLD, ChunkedText, endOfIteration, toChunks } from "./chunked-text.js";
import type { HttpResponse } from "./request/http-message.js";

type Body = HttpResponse["body"];

/** Maximum number of large responses waiting to be read, per token and per organization. */
const MAX_UNREAD = [8, 32] as const;

/** Number of an organization's unread bytes from which it gets no slot for another large response. */
const MAX_UNREAD_BYTES = 8 * 1_048_576;

/** Limits the number of large responses in progress, per token and per organization. Each response takes a slot. */
export class SlotCounter {
  private readonly counts = new UsageCounter();

  constructor(
    private readonly perToken: number,
    private readonly perOrganization: number,
  ) {}

  /**
   * Acquires a slot.
   * @returns a function that releases the slot and can be called more than once, or `null` if the token or its organization has no
   *   slot left.
   */
  acquire(token: string, organizationId: string): (() => void) | null {
    if (!this.has(token, organizationId)) return null;
    const keys = listKeys(token, organizationId);
    for (const key of keys) this.counts.add(key);
    let isHeld = true;
    return () => {
      if (isHeld) for (const key of keys) this.counts.add(key, -1);
      isHeld = false;
    };
  }

  /** Returns whether both the token and its organization have a free slot. */
  has(token: string, organizationId: string): boolean {
    const [tokenKey, organizationKey] = listKeys(token, organizationId);
    return (
      this.counts.get(tokenKey) < this.perToken && this.counts.get(organizationKey) < this.perOrganization
    );
  }

  /** Total number of tokens and organizations that currently hold slots. */
  get size(): number {
    return this.counts.size;
  }
}

function listKeys(token: string, organizationId: string): readonly [string, string] {
  return [`token ${token}`, `organization ${organizationId}`];
}

/**
 * Limits the number of large responses that are waiting for clients to read them. Without a limit, clients that don't read their
 * responses could exhaust memory.
 */
export class ResponseLimits {
  /** Number of unread bytes, keyed by organization. */
  private readonly unreadBytes = new UsageCounter();

  /** @param unreadSlots the counter for slots held by large responses that clients haven't finished reading. */
  constructor(private readonly unreadSlots = new SlotCounter(...MAX_UNREAD)) {}

  private hasSlotForLarge(token: string, organizationId: string): boolean {
    const bytes = this.unreadBytes.get(organizationId);
    return bytes < MAX_UNREAD_BYTES && this.unreadSlots.has(token, organizationId);
  }

  /**
   * Acquires a slot for a large body and holds it until the body has been read or abandoned. A large body is produced only as fast
   * as it is read. Every streamed body counts as large.
   * @returns the body to send, or `null` if no slot is left.
   */
  withSlot(body: Body, token: string, organizationId: string): Body {
    if (body === null || body instanceof Uint8Array) return body;
    if (typeof body === "string" && body.length <= CHUNKING_THRESHOLD) return body;
    if (!this.hasSlotForLarge(token, organizationId)) return null;
    const release = this.unreadSlots.acquire(token, organizationId);
    if (release === null) return null;
    const pieces = typeof body === "string" ? toChunks(body) : body;
    if (!(pieces instanceof ChunkedText)) return holdUntilRead(pieces[Symbol.asyncIterator](), release);
    return holdUntilRead(pieces, release, this.trackBytes(organizationId, pieces));
  }

  /**
   * Adds the unread bytes to the organization's total.
   * @returns a function that updates the total after bytes were read.
   */
  private trackBytes(organizationId: string, pieces: ChunkedText): () => void {
    let countedBytes = 0;
    const count = () => {
      this.unreadBytes.add(organizationId, pieces.size - countedBytes);
      countedBytes = pieces.size;
    };
    count();
    return count;
  }
}

/**
 * Yields the chunks and drops them at the end, because a kept-alive connection holds on to the last body it sent. This isn't a
 * generator, because calling `return` on a generator that was never started would not run its cleanup.
 */
function holdUntilRead<Piece>(
  pieces: Pick<AsyncIterator<Piece>, "next" | "return">,
  release: () => void,
  onRead = () => {},
): AsyncIterableIterator<Piece> {
  let source: typeof pieces | null = pieces;
  const end = () => {
    source = null;
    release();
  };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      try {
        const step = (await source?.next()) ?? endOfIteration;
        onRead();
        if (step.done) end();
        return step;
      } catch (error) {
        end();
        throw error;
      }
    },
    async return() {
      const unreadPieces = source;
      end();
      await unreadPieces?.return?.();
      onRead();
      return endOfIteration;
    },
  };
}

/**
 * Creates the queue for building lists and pages. A response's size isn't known until the response has been built, so each response
 * holds a slot until then. The slot count thus limits the memory used by responses that are being built.
 */
export function createListQueue(): FairSemaphore {
  return createQueue("lists", { concurrency: 128, maxShare: 1 / 2, length: 10_000, patience: 30_000 });
}

/**
 * Creates the queue for building long pages. Each organization can build one long page at a time. A page holds its slot from the
 * time its data is read until the page is serialized. If several long pages were built at the same time, their memory would survive
 * V8's minor garbage collections and be freed only by a major one.
 */
export function createLongPageQueue(): FairSemaphore {
  return createQueue("long pages", { concurrency: 4, maxShare: 1 / 4, length: 100, patience: 10_000 });
}
