import type { SecretKeys } from "../base/secrets/secret-keys.js";
import type { Tracer } from "../base/tracing.js";
import type { Clock } from "../base/values/clock.js";
import type { UuidSource } from "../base/values/ids.js";
import type { StorageAdapter } from "../storage/storage-adapter.js";
import type { Channels } from "./channels.js";
import type { EventDelivery } from "./events/event-delivery.js";
import type { ServiceConfig } from "./limits.js";
import type { WorkQueues } from "./queues.js";
import type { RunningChanges } from "./running-changes.js";
import type { SegmentClock } from "./segment-clock.js";

/** The components of a service that its use cases share. A use case that needs only some of them takes a `Pick` of this type. */
export interface Engine {
  readonly storage: StorageAdapter;
  readonly clock: Clock;
  readonly uuid: UuidSource;
  /** The tracer that receives spans for calls, or `null` if there is no tracer. */
  readonly tracer: Tracer | null;
  /** Encrypts secrets before they are stored. */
  readonly secretKeys: SecretKeys;
  /** The bounds and addresses that the host has chosen. */
  readonly config: ServiceConfig;
  /** Publishes the events of committed changes. */
  readonly delivery: EventDelivery;
  /** Tracks changes in progress, so that closing the service can wait for them. */
  readonly changes: RunningChanges;
  /** Makes work that takes long wait for its turn. */
  readonly queues: WorkQueues;
  /** The email and the wallets that the host has set up. */
  readonly channels: Channels;
  /** Decides which midnights have passed. */
  readonly segmentClock: SegmentClock;
}
