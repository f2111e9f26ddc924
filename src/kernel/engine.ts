import type { Step } from "../base/concurrency/step.js";
import { TaskTracker } from "../base/concurrency/task-tracker.js";
import type { Tracer } from "../base/tracing.js";
import type { Clock } from "../base/values/clock.js";
import type { UuidSource } from "../base/values/ids.js";
import type { Claim } from "../storage/jobs.js";
import type { StorageAdapter, StorageTransaction } from "../storage/storage-adapter.js";
import type { EventDelivery } from "./events/event-delivery.js";
import { type ErrorListener, WorkSignal } from "./events/event-emitter.js";
import type { ServiceConfig } from "./limits.js";
import { MailGateway } from "./mail-gateway.js";
import type { WorkQueues } from "./queues.js";
import type { RowSecrets } from "./row-secrets.js";
import type { SegmentClock } from "./segment-clock.js";
import { WalletGateway } from "./wallet-gateway.js";

/** The service components that all use cases share. A use case that needs only some of them takes a `Pick` of this type. */
export interface Engine {
  readonly storage: StorageAdapter;
  readonly clock: Clock;
  readonly uuid: UuidSource;
  /** The tracer that receives spans for calls, or `null` if there is no tracer. */
  readonly tracer: Tracer | null;
  /** Encrypts secrets before they are stored. */
  readonly secrets: RowSecrets;
  /** The host's configuration: limits, retention, short links, and whether webhooks may use loopback addresses. */
  readonly config: ServiceConfig;
  /** Publishes the events of committed changes. */
  readonly delivery: EventDelivery;
  /** Tracks changes in progress, so that closing the service can wait for them. */
  readonly changes: RunningChanges;
  /** The queues in which long-running work waits for its turn. */
  readonly queues: WorkQueues;
  /** The email and wallet channels that the host has set up. */
  readonly channels: Channels;
  /** Determines which midnights have passed. */
  readonly segmentClock: SegmentClock;
}

/** How long a claim lasts, in milliseconds. No attempt takes longer than this. */
export const LEASE_MS = 60_000;

/** Creates a claim that starts now, lasts {@link LEASE_MS}, and covers at most `limit` due jobs. */
export function createClaim({ clock, uuid }: Pick<Engine, "clock" | "uuid">, limit: number): Claim {
  const now = clock();
  return { lease: uuid(), now, until: now + LEASE_MS, limit };
}

/** The changes that are running in this process. */
export class RunningChanges extends TaskTracker {
  /** The hashed idempotency keys of running calls. */
  readonly keyHashes = new Set<string>();

  constructor(
    private readonly storage: StorageAdapter,
    private readonly onError: ErrorListener,
  ) {
    super();
  }

  /** Runs and tracks a transaction of an organization. It waits for its turn among the organization's other changes. */
  run<T>(organizationId: string, work: (tx: StorageTransaction) => Step<T>): Promise<T> {
    return this.track(this.storage.transaction(organizationId, work));
  }

  /**
   * Runs and tracks a transaction that doesn't wait for its turn among the organization's changes, because it is work in the
   * background, or locks only a queue or an endpoint.
   */
  runOutOfTurn<T>(organizationId: string, work: (tx: StorageTransaction) => Step<T>): Promise<T> {
    return this.track(this.storage.transaction(organizationId, work, { isOutOfTurn: true }));
  }

  /** Tracks a change that no caller awaits. If the change fails, its error is passed to the error listener. */
  trackInBackground(change: Promise<unknown>): void {
    this.track(change).catch(this.onError);
  }
}

/** The channels for reaching customers. The host sets them up after creating the service, and may set up none at all. */
export class Channels {
  readonly mail = new MailGateway();
  readonly wallets = new WalletGateway();
  /** Notifies message workers after commits that create work for them. */
  readonly messages = new WorkSignal();

  /** Whether the service can send messages on each channel. */
  get available(): { readonly email: boolean; readonly wallet: boolean } {
    return { email: this.mail.isOn, wallet: this.wallets.isOn };
  }
}
