import type { FairSemaphore } from "../base/concurrency/fair-semaphore.js";
import type { TaskTracker } from "../base/concurrency/task-tracker.js";
import type { SecretKeys } from "../base/secrets/secret-keys.js";
import type { Tracer } from "../base/tracing.js";
import type { Clock } from "../base/values/clock.js";
import type { UuidSource } from "../base/values/ids.js";
import type { ShortLinkBases } from "../base/values/short-link.js";
import type { StorageAdapter } from "../storage/storage-adapter.js";
import type { ErrorListener, EventEmitter } from "./events/event-emitter.js";
import type { JoinedCommitTracker } from "./events/joined-commit-tracker.js";
import type { CommitSequencer, Outbox } from "./events/outbox.js";
import type { Limits, Retention } from "./limits.js";
import type { MailGateway } from "./mail-gateway.js";
import type { PictureDecodeQueue } from "./picture-decode-queue.js";
import type { SegmentClock } from "./segment-clock.js";
import type { WalletGateway } from "./wallet-gateway.js";
import type { WorkSignal } from "./work-signal.js";

/** The components of a service that are shared by all of its organizations and calls. */
export interface Engine {
  readonly storage: StorageAdapter;
  readonly events: EventEmitter;
  /** Receives errors that no caller can catch. */
  readonly onError: ErrorListener;
  /** The outbox that stores events for delivery, or `null` if events only go to listeners in this process. */
  readonly outbox: Outbox | null;
  /** Tracks changes in progress, so that closing the service can wait for them. */
  readonly changes: TaskTracker;
  readonly commitOrder: CommitSequencer;
  readonly joinedChanges: JoinedCommitTracker;
  /** The hashed idempotency keys of calls that are running in this process. */
  readonly runningKeyHashes: Set<string>;
  /** Encrypts secrets before they are stored. */
  readonly secretKeys: SecretKeys;
  readonly clock: Clock;
  /** The tracer that receives spans for calls, or `null` if there is no tracer. */
  readonly tracer: Tracer | null;
  readonly uuid: UuidSource;
  readonly shortLinks: ShortLinkBases;
  /** Whether webhook endpoints may use loopback addresses, such as `localhost`. */
  readonly allowsLoopback: boolean;
  readonly limits: Limits;
  readonly retention: Retention;
  readonly wallets: WalletGateway;
  readonly mail: MailGateway;
  /** Notifies message workers after commits that create work for them. */
  readonly messages: WorkSignal;
  readonly pictures: PictureDecodeQueue;
  readonly segmentClock: SegmentClock;
  /** The queue for reads that might cover a whole organization. See {@link createCostlyReadQueue}. */
  readonly costlyReads: FairSemaphore;
  /** The queue for changes that affect many rows. See {@link createLargeChangeQueue}. */
  readonly largeChanges: FairSemaphore;
}
