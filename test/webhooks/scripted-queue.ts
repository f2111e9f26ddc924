import type { DeliveryQueue } from "../../adapters/delivery/webhooks/worker/endpoint-run.js";
import type { AttemptResult, DeliveryJob } from "../../src/webhooks/queue.js";
import type { VirtualTime } from "./simulation/virtual-time.js";

/** Duration of a call in milliseconds. */
const CALL_MS = 2;

const ORGANIZATION = "acme";

/** A queue of due deliveries by endpoint. A delivery is done once its result is recorded. */
export class ScriptedQueue implements DeliveryQueue {
  readonly clock;
  readonly errors: unknown[] = [];
  /** Recorded attempts of each call. */
  readonly recordedResults: { readonly job: DeliveryJob; readonly result: AttemptResult }[][] = [];
  /** Number of polls for endpoints. */
  looks = 0;
  /** Fails every call while it is true. */
  isDown = false;
  /** Fails every call that writes while it is true. */
  isReadOnly = false;
  /** Largest limit of a claim. */
  mostClaimed = 0;
  /** Endpoints that are listed first at every poll, and get nothing. */
  idle: readonly string[] = [];
  /** Organizations of endpoints. Default: `acme`. */
  readonly organizations = new Map<string, string>();
  /** Endpoints whose last attempt is known to have failed. */
  readonly troubled = new Set<string>();
  /** Endpoints that another transaction has locked. */
  readonly locked = new Set<string>();
  /** Secrets that sign for an endpoint instead of its own. */
  readonly secrets = new Map<string, string>();
  private readonly dueJobs = new Map<string, DeliveryJob[]>();
  private readonly listeners = new Set<(organizationId: string) => void>();

  constructor(private readonly time: VirtualTime) {
    this.clock = time.clock;
  }

  readonly onError = (error: unknown): void => {
    this.errors.push(error);
  };

  onWork(listener: (organizationId: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Makes deliveries due, and signals that if this process did it. */
  add(endpointId: string, count: number, isToldAtOnce = true): void {
    const jobs = ScriptedQueue.createJobs(endpointId, count);
    this.dueJobs.set(endpointId, [...(this.dueJobs.get(endpointId) ?? []), ...jobs]);
    if (isToldAtOnce) for (const listener of this.listeners) listener(ORGANIZATION);
  }

  static createJobs(endpointId: string, count: number): DeliveryJob[] {
    return Array.from({ length: count }, (_, number) => createJob(endpointId, number));
  }

  async endpointsWithDueWork(limit: number) {
    this.looks += 1;
    await this.delayCall();
    const dueEndpoints = [...this.dueJobs]
      .filter(([, jobs]) => jobs.length > 0)
      .map(([endpointId]) => endpointId);
    return [...this.idle, ...dueEndpoints]
      .map((endpointId) => ({
        organizationId: this.organizations.get(endpointId) ?? ORGANIZATION,
        endpointId,
        isTroubled: this.troubled.has(endpointId),
      }))
      .slice(0, limit);
  }

  async claimNext({ endpointId }: { readonly endpointId: string }, limit: number) {
    await this.write();
    this.mostClaimed = Math.max(this.mostClaimed, limit);
    const jobs = this.locked.has(endpointId) ? [] : (this.dueJobs.get(endpointId)?.splice(0, limit) ?? []);
    const secret = this.secrets.get(endpointId);
    return {
      jobs: secret === undefined ? jobs : jobs.map((job) => ({ ...job, secrets: [secret] })),
      hasMore: false,
    };
  }

  async recordResults(
    { endpointId }: { readonly endpointId: string },
    attempts: readonly { readonly job: DeliveryJob; readonly result: AttemptResult }[],
  ) {
    await this.write();
    if (this.locked.has(endpointId)) return false;
    this.recordedResults.push([...attempts]);
    return true;
  }

  private async write(): Promise<void> {
    await this.delayCall();
    if (this.isReadOnly) throw new Error("the storage is read-only");
  }

  private async delayCall(): Promise<void> {
    await this.time.pass(CALL_MS);
    if (this.isDown) throw new Error("the storage is down");
  }
}

function createJob(endpointId: string, number: number): DeliveryJob {
  return {
    organizationId: ORGANIZATION,
    endpointId,
    lease: "lease",
    deliveryId: `whd_${endpointId}_${number}`,
    eventId: `evt_${number}`,
    attempt: 1,
    url: `https://${endpointId}.example`,
    body: "{}",
    secrets: [`whsec_${Buffer.from("secret").toString("base64")}`],
  };
}
