import type { FairSemaphore } from "../concurrency/fair-semaphore.js";
import type { InFlight } from "../concurrency/in-flight.js";
import type { EventEmitter } from "../events/event-emitter.js";
import type { JoinedChanges } from "../events/joined-changes.js";
import type { CommitOrder, Outbox } from "../events/outbox.js";
import type { SecretKeys } from "../secrets/secret-keys.js";
import type { StorageAdapter } from "../storage/storage-adapter.js";
import type { Tracer } from "../tracing.js";
import type { Clock } from "../values/clock.js";
import type { UuidSource } from "../values/ids.js";
import type { ShortLinkBases } from "../values/short-link.js";
import type { Limits, Retention } from "./limits.js";
import type { PictureDecoding } from "./picture-decoding.js";
import type { WalletLinking } from "./wallet-linking.js";

/** What every use case of a service shares. */
export interface Engine {
  readonly storage: StorageAdapter;
  readonly events: EventEmitter;
  /** `null` when events are told to listeners only. */
  readonly outbox: Outbox | null;
  /** The changes that closing waits for. */
  readonly changes: InFlight;
  readonly commitOrder: CommitOrder;
  readonly joinedChanges: JoinedChanges;
  /** The idempotency keys, by their hashes, of the calls that are being answered in this process. */
  readonly answersUnderWay: Set<string>;
  /** What secrets are sealed with before they are stored. */
  readonly secretKeys: SecretKeys;
  readonly clock: Clock;
  /** Told of calls; `null` when nobody is. */
  readonly tracer: Tracer | null;
  readonly uuid: UuidSource;
  readonly shortLinks: ShortLinkBases;
  /** Whether webhook endpoints may be on this machine. */
  readonly allowsLoopback: boolean;
  readonly limits: Limits;
  readonly retention: Retention;
  /** How passes get links to wallets. */
  readonly wallets: WalletLinking;
  /** How pictures of designs are read before they are kept. */
  readonly pictures: PictureDecoding;
  /** For reads that may look at all of an organization. */
  readonly costlyReads: FairSemaphore;
  /** For changes of very many rows. */
  readonly largeChanges: FairSemaphore;
}
