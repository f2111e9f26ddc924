import { TaskTracker } from "../base/concurrency/task-tracker.js";
import type { SecretKeys } from "../base/secrets/secret-keys.js";
import type { Tracer } from "../base/tracing.js";
import type { Clock } from "../base/values/clock.js";
import type { UuidSource } from "../base/values/ids.js";
import type { StorageAdapter } from "../storage/storage-adapter.js";
import type { EventDelivery } from "./events/event-delivery.js";
import { type ErrorListener, WorkSignal } from "./events/event-emitter.js";
import type { ServiceConfig } from "./limits.js";
import { MailGateway } from "./mail-gateway.js";
import type { WorkQueues } from "./queues.js";
import type { SegmentClock } from "./segment-clock.js";
import { WalletGateway } from "./wallet-gateway.js";

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

/** The changes that are running in this process. */
export class RunningChanges extends TaskTracker {
  /** The hashed idempotency keys of the calls that are running. */
  readonly keyHashes = new Set<string>();

  constructor(private readonly onError: ErrorListener) {
    super();
  }

  /** Tracks a change that no caller waits for. Its error goes to the error listener. */
  trackInBackground(change: Promise<unknown>): void {
    this.track(change).catch(this.onError);
  }
}

/** The channels to customers. The host sets them up after the service, and may set up neither. */
export class Channels {
  readonly mail = new MailGateway();
  readonly wallets = new WalletGateway();
  /** Notifies message workers after commits that create work for them. */
  readonly messages = new WorkSignal();

  /** The channels on which this service can send messages. */
  get available(): { readonly email: boolean; readonly wallet: boolean } {
    return { email: this.mail.isOn, wallet: this.wallets.isOn };
  }
}
