import { ProcessorTime } from "../../../src/concurrency/step.js";
import { FixedWindows } from "./fixed-windows.js";
import type { RateWindow, TimeQuota } from "./store.js";

/** The most organizations that are counted apart. */
const MAX_WINDOWS = 100_000;

/** The times of each service, which all of its APIs share: the console has one of its own. */
const ofServices = new WeakMap<object, SpentTimes>();

/** What organizations spend of the process's time, by real time, whatever the service's clock says. */
class SpentTimes {
  readonly windows = new FixedWindows(() => performance.now(), MAX_WINDOWS);
  private newest = { organizationId: "", at: Number.NEGATIVE_INFINITY };
  /** The newest request of any other organization. */
  private other = this.newest;

  asked(organizationId: string): void {
    if (this.newest.organizationId !== organizationId) this.other = this.newest;
    this.newest = { organizationId, at: performance.now() };
  }

  /** The time since another organization asked for something, in milliseconds. */
  sinceOthers(organizationId: string): number {
    const others = this.newest.organizationId === organizationId ? this.other : this.newest;
    return performance.now() - others.at;
  }
}

/**
 * Limits the processor time of an organization's calls while other organizations make calls too. A single organization may use all
 * of it.
 */
export class OrganizationTimes {
  private readonly spent: SpentTimes;

  /** @param service all APIs of the same one count together. */
  constructor(
    service: object,
    private readonly quota: TimeQuota,
  ) {
    this.spent = ofServices.get(service) ?? new SpentTimes();
    ofServices.set(service, this.spent);
  }

  /** Counts what a call takes. */
  createProcessorTime(organizationId: string): ProcessorTime {
    return new ProcessorTime((ms) => this.count(organizationId, ms));
  }

  count(organizationId: string, ms: number): void {
    this.spent.windows.count(organizationId, this.quota.seconds, ms);
  }

  /** Notes a request. @returns why it is refused: the window whose time is spent; `null` if it is not. */
  ask(organizationId: string): RateWindow | null {
    const { milliseconds, seconds } = this.quota;
    this.spent.asked(organizationId);
    const window = this.spent.windows.peek(organizationId);
    if (window === null || window.requests < milliseconds) return null;
    return this.spent.sinceOthers(organizationId) < seconds * 1_000 ? window : null;
  }
}
