import type { FairSemaphore } from "../concurrency/fair-semaphore.js";
import type { TaskTracker } from "../concurrency/task-tracker.js";
import type { ErrorListener, EventEmitter } from "../events/event-emitter.js";
import type { JoinedCommitTracker } from "../events/joined-commit-tracker.js";
import type { CommitSequencer, Outbox } from "../events/outbox.js";
import type { SecretKeys } from "../secrets/secret-keys.js";
import type { StorageAdapter } from "../storage/storage-adapter.js";
import type { Tracer } from "../tracing.js";
import type { Clock } from "../values/clock.js";
import type { UuidSource } from "../values/ids.js";
import type { ShortLinkBases } from "../values/short-link.js";
import type { Limits, Retention } from "./limits.js";
import type { MailGateway } from "./mail-gateway.js";
import type { PictureDecodeQueue } from "./picture-decode-queue.js";
import type { SegmentClock } from "./segment-clock.js";
import type { WalletGateway } from "./wallet-gateway.js";
import type { WorkSignal } from "./work-signal.js";

/** All use cases of a service share its engine. */
export interface Engine {
  readonly storage: StorageAdapter;
  readonly events: EventEmitter;
  /** Receives errors that no caller can see. */
  readonly onError: ErrorListener;
  /** `null` if events only go to listeners. */
  readonly outbox: Outbox | null;
  /** The changes that closing waits for. */
  readonly changes: TaskTracker;
  readonly commitOrder: CommitSequencer;
  readonly joinedChanges: JoinedCommitTracker;
  /** The idempotency keys, by their hashes, of the calls that are being answered in this process. */
  readonly runningKeyHashes: Set<string>;
  /** Secrets are sealed with these keys before they are stored. */
  readonly secretKeys: SecretKeys;
  readonly clock: Clock;
  /** The tracer records calls; `null` if there is none. */
  readonly tracer: Tracer | null;
  readonly uuid: UuidSource;
  readonly shortLinks: ShortLinkBases;
  /** `true` lets webhook endpoints be on this machine. */
  readonly allowsLoopback: boolean;
  readonly limits: Limits;
  readonly retention: Retention;
  readonly wallets: WalletGateway;
  readonly mail: MailGateway;
  /** Knows of commits that leave something to do with a message. */
  readonly messages: WorkSignal;
  readonly pictures: PictureDecodeQueue;
  readonly segmentClock: SegmentClock;
  /** Queue for reads of a whole organization. */
  readonly costlyReads: FairSemaphore;
  /** Queue for changes of very many rows. */
  readonly largeChanges: FairSemaphore;
}
