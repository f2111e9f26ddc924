import { runLowPriority } from "../base/concurrency/event-loop.js";
import { FairSemaphore } from "../base/concurrency/fair-semaphore.js";
import { runStep, type Step } from "../base/concurrency/step.js";
import { unavailable } from "../base/errors.js";
import type { Clock } from "../base/values/clock.js";
import type { PictureDecoder, PlainPicture } from "../base/values/picture.js";
import type { SnapshotOptions, StorageAdapter, StorageReader } from "../storage/storage-adapter.js";
import { allRights, type CallerRights } from "./caller-rights.js";

/** Maximum number of pictures that are decoded at the same time; at most one per organization. */
const MAX_CONCURRENT_DECODES = 2;

/** Maximum number of queued pictures per organization, and the maximum wait of each in milliseconds. */
const MAX_QUEUED_PICTURES = 20;

const MAX_WAIT_MS = 10_000;

/** Decodes pictures for designs before they are stored. Organizations take turns. */
class PictureDecodeQueue {
  private readonly queue = new FairSemaphore(MAX_CONCURRENT_DECODES, 1 / MAX_CONCURRENT_DECODES, {
    length: MAX_QUEUED_PICTURES,
    patience: MAX_WAIT_MS,
    createError: () =>
      unavailable("crowded", new Error("too many pictures of the organization are waiting to be decoded")),
  });
  private attachedDecoder: PictureDecoder | null = null;

  /**
   * @param configuredDecoder the decoder, `null` to store pictures as uploaded, or `undefined` to use the wallets' decoder if
   *   there is one.
   */
  constructor(private readonly configuredDecoder: PictureDecoder | null | undefined) {}

  /**
   * Sets the decoder for a service that has no decoder of its own.
   * @returns a function that removes the decoder again.
   */
  attach(decoder: PictureDecoder): () => void {
    this.attachedDecoder = decoder;
    return () => {
      if (this.attachedDecoder === decoder) this.attachedDecoder = null;
    };
  }

  /**
   * Decodes an organization's picture when it is the organization's turn.
   * @param isJoining whether a host transaction is open. If so, the picture skips the queue, because the transaction blocks other
   *   transactions and waiting for them could deadlock.
   * @returns the picture to store, or a message that says why it was rejected.
   * @throws {LoyaltyError} `storage_unavailable` if the queue is full or no decoder is available now.
   */
  async decode(
    organizationId: string,
    picture: PlainPicture,
    isJoining: boolean,
  ): Promise<PlainPicture | string> {
    const decoder = this.configuredDecoder === undefined ? this.attachedDecoder : this.configuredDecoder;
    if (decoder === null) return picture;
    const decode = async () => {
      try {
        return await decoder.decode(picture);
      } catch (cause) {
        throw unavailable("pictures", cause);
      }
    };
    return isJoining ? decode() : this.queue.run(organizationId, decode);
  }
}

/** This process's work queues, in which organizations take turns. */
export class WorkQueues {
  /**
   * The queue for reads that might cover a whole organization: searches, sorting by text, filtering by stamps, fetching pages deep
   * in a list, exports, and lists that can have thousands of items. Other reads never wait in this queue. Queued reads run in
   * steps, so another call waits for at most one step of each running read.
   */
  readonly costlyReads = createQueue("costly reads", {
    concurrency: 4,
    maxShare: 1 / 2,
    length: 100,
    patience: 10_000,
  });
  /** The queue for changes that affect many rows and run in batches. Each organization runs only one such change at a time. */
  readonly largeChanges = createQueue("large changes", {
    concurrency: 2,
    maxShare: 1 / 2,
    length: 20,
    patience: 60_000,
  });
  readonly pictures: PictureDecodeQueue;

  /** @param decoder the host's picture decoder, as for {@link PictureDecodeQueue}. */
  constructor(decoder: PictureDecoder | null | undefined) {
    this.pictures = new PictureDecodeQueue(decoder);
  }
}

interface QueueOptions {
  /** Maximum number of tasks that run concurrently. */
  readonly concurrency: number;
  /** Maximum fraction of the free slots that one organization may take. */
  readonly maxShare: number;
  /** Maximum number of queued tasks per organization. */
  readonly length: number;
  /** Maximum time that a task is queued, in milliseconds. */
  readonly patience: number;
}

/** Creates a queue in which organizations take turns, and which is full when too many of an organization's tasks wait. */
export function createQueue(name: string, { concurrency, maxShare, ...limits }: QueueOptions): FairSemaphore {
  return new FairSemaphore(concurrency, maxShare, {
    ...limits,
    createError: () => {
      const cause = new Error(`too many ${name} of the organization are waiting`);
      return unavailable("crowded", cause);
    },
  });
}

interface CostlyReadOptions extends SnapshotOptions {
  /**
   * The caller's rights, which are checked again because they might have been revoked since the call began. The check never uses a
   * replica, because replicas can lag. Default: all rights.
   */
  readonly rights?: CallerRights;
}

interface CostlyReadContext {
  readonly storage: StorageAdapter;
  readonly queues: WorkQueues;
  readonly clock: Clock;
}

/**
 * Runs a read that might cover a whole organization. The read waits its turn behind other costly reads in this process, and yields
 * to smaller reads.
 * @throws whatever `work` throws, the signal's abort reason, `storage_unavailable` if the queue is full, or an error from {@link
 *   CallerRights.renew}.
 */
export function runCostlyRead<T>(
  { storage, queues, clock }: CostlyReadContext,
  organizationId: string,
  work: (reader: StorageReader) => Step<T>,
  { rights = allRights, ...options }: CostlyReadOptions = {},
): Promise<T> {
  const runRead = async () => {
    if (rights.hasRow) await runStep(rights.renew(storage.reader(organizationId), organizationId, clock()));
    return storage.snapshot(organizationId, (reader) => runLowPriority(() => work(reader)), options);
  };
  return queues.costlyReads.run(organizationId, runRead, options);
}
