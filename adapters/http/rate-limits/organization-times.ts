import { ProcessorTime } from "../../../src/base/concurrency/step.js";
import { FixedWindows } from "./fixed-windows.js";
import type { RateWindow, TimeQuota } from "./store.js";

/** Maximum number of organizations that are counted separately. */
const MAX_WINDOWS = 100_000;

/** The times spent, keyed by service. All of a service's APIs share them, because the console has its own API. */
const timesByService = new WeakMap<object, SpentTimes>();

/** Processor time spent per organization, measured by the process's own clock rather than the service's. */
class SpentTimes {
  readonly windows = new FixedWindows(() => performance.now(), MAX_WINDOWS);
  private lastRequest = { organizationId: "", at: Number.NEGATIVE_INFINITY };
  /** The newest request by an organization other than the newest one's. */
  private lastOtherRequest = this.lastRequest;

  recordRequest(organizationId: string): void {
    if (this.lastRequest.organizationId !== organizationId) this.lastOtherRequest = this.lastRequest;
    this.lastRequest = { organizationId, at: performance.now() };
  }

  /** Returns the time since another organization's last request, in milliseconds. */
  getMsSinceOtherRequest(organizationId: string): number {
    const otherRequest =
      this.lastRequest.organizationId === organizationId ? this.lastOtherRequest : this.lastRequest;
    return performance.now() - otherRequest.at;
  }
}

/**
 * Limits the processor time that an organization's calls can use while other organizations are also making calls. There is no limit
 * while no other organization is active.
 */
export class OrganizationTimes {
  private readonly spentTimes: SpentTimes;

  /** @param service the service whose calls are limited. All of the service's HTTP APIs in this process share the limit. */
  constructor(
    service: object,
    private readonly quota: TimeQuota,
  ) {
    this.spentTimes = timesByService.get(service) ?? new SpentTimes();
    timesByService.set(service, this.spentTimes);
  }

  /** Creates a counter that adds a call's processor time to the organization's total. */
  createProcessorTime(organizationId: string): ProcessorTime {
    return new ProcessorTime((ms) => this.count(organizationId, ms));
  }

  count(organizationId: string, ms: number): void {
    this.spentTimes.windows.count(organizationId, this.quota.seconds, ms);
  }

  /**
   * Records a request from the organization, and checks how much processor time the organization has used.
   * @returns the exhausted window if the request is refused, or `null` otherwise.
   */
  checkQuota(organizationId: string): RateWindow | null {
    const { milliseconds, seconds } = this.quota;
    this.spentTimes.recordRequest(organizationId);
    const window = this.spentTimes.windows.peek(organizationId);
    if (window === null || window.requests < milliseconds) return null;
    return this.spentTimes.getMsSinceOtherRequest(organizationId) < seconds * 1_000 ? window : null;
  }
}
