import type { ErrorListener } from "../events/event-emitter.js";
import type { Outbox } from "../events/outbox.js";
import { webhookEndpointOf } from "../resources/representation.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { EndpointToServe, StoredWebhookEndpoint } from "../storage/webhooks.js";
import type { Engine } from "../tenant/engine.js";
import type { Clock } from "../values/clock.js";
import { FanOut } from "./fan-out.js";
import type { DeliveryJob, SettledAttempt } from "./job.js";
import type { WebhookSettings } from "./options.js";
import { recordSettled } from "./settlement.js";
import { secretsOf } from "./signature.js";

export type { AttemptResult, DeliveryJob, SettledAttempt } from "./job.js";

/** For how long a claim holds, in milliseconds: longer than an attempt takes, which is at most 15 seconds. */
const CLAIM_MS = 60_000;

/**
 * What a delivery worker works on. Any number of workers may share the work: a claim belongs to one of them, and when it
 * has not settled it within a minute, its deliveries are due again.
 */
export class WebhookQueue {
  readonly clock: Clock;
  /** Whether endpoints may be on this machine. */
  readonly allowsLoopback: boolean;
  private readonly fanOuts: FanOut;

  constructor(
    private readonly engine: Engine,
    private readonly outbox: Outbox,
    private readonly settings: WebhookSettings,
    /** Told what fails beside any caller's path. */
    readonly onError: ErrorListener,
  ) {
    this.clock = engine.clock;
    this.allowsLoopback = settings.allowsLoopback;
    this.fanOuts = new FanOut(engine, outbox);
  }

  /** Where there may be work, of all organizations. Those that wait longest for a delivery come first. */
  endpointsToServe(limit: number): Promise<EndpointToServe[]> {
    return this.engine.storage.endpointsToServe(this.clock(), limit);
  }

  /**
   * Makes deliveries of the events that came since. None while another transaction has the endpoint locked, such as a
   * host's own: it stays to serve.
   * @returns whether there may be more now.
   */
  fanOut(place: EndpointToServe): Promise<boolean> {
    return this.engine.changes.note(this.fanOuts.run(place));
  }

  /**
   * Claims deliveries that are due, for 60 seconds. None while another worker is at the endpoint, or when that is disabled
   * or deleted.
   * @returns them, those that have been due longest first.
   */
  claim({ organizationId, endpointId }: EndpointToServe, limit: number): Promise<DeliveryJob[]> {
    return this.transaction(async (tx) => {
      const endpoint = await tx.lockWebhookEndpoint(organizationId, endpointId, false);
      if (endpoint === null || endpoint.disabledAt !== null) return [];
      const now = this.clock();
      const lease = this.engine.uuid();
      const claim = { lease, now, until: now + CLAIM_MS, limit };
      const deliveries = await tx.claimDeliveries(organizationId, endpointId, claim);
      const secrets = secretsOf(endpoint, now);
      const { url } = endpoint;
      return deliveries.map(({ id, eventId, attempts, body }) => {
        const attempt = attempts + 1;
        return { organizationId, endpointId, lease, deliveryId: id, eventId, attempt, url, body, secrets };
      });
    });
  }

  /**
   * Records attempts, and what follows from them for their deliveries and for the endpoint. Those whose claim has ended
   * meanwhile are left out: another worker may have made them as well.
   * @returns false when another transaction has the endpoint locked, such as a host's own: then nothing is recorded.
   */
  async settle(
    { organizationId, endpointId }: EndpointToServe,
    attempts: readonly SettledAttempt[],
  ): Promise<boolean> {
    const { storage } = this.engine;
    const settled = await this.transaction(async (tx) => {
      const endpoint = await tx.lockWebhookEndpoint(organizationId, endpointId, false);
      if (endpoint === null) return null;
      const now = this.clock();
      return {
        disabled: await recordSettled(tx, organizationId, endpoint, attempts, now, this.settings.random),
      };
    });
    // What is deleted has nothing to record.
    if (settled === null) return (await storage.findWebhookEndpoint(organizationId, endpointId)) === null;
    if (settled.disabled !== null) this.tellDisabled(organizationId, settled.disabled);
    return true;
  }

  /**
   * Listens for commits in this process that put events into the outbox, and for those that made deliveries by a replay
   * or a test outside of hosts' transactions, by their organizations.
   * @returns a function that ends it.
   */
  onGrowth(listener: (organizationId: string) => void): () => void {
    return this.outbox.onGrowth(listener);
  }

  private transaction<T>(work: (tx: StorageTransaction) => Promise<T>): Promise<T> {
    return this.engine.changes.note(this.engine.storage.transaction(work));
  }

  private tellDisabled(organizationId: string, endpoint: StoredWebhookEndpoint): void {
    const told = async () => this.settings.onDisabled(webhookEndpointOf(endpoint), { organizationId });
    told().catch(this.onError);
  }
}
