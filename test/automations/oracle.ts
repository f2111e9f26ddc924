import { DAY, HOUR } from "./automated-shop.js";

/** A simulated automation. Its filter is a tag that no automation assigns. */
export interface SimulatedAutomation {
  readonly id: string;
  readonly on: { readonly event: string; readonly toGo?: number } | { readonly birthdays: number };
  readonly tag: string | null;
  readonly after: number;
  readonly per: "once" | "occasion" | { readonly everyDays: number };
  readonly do: readonly SimulatedAction[];
}

export type SimulatedAction =
  | { readonly assignTag: string }
  | { readonly unassignTag: string }
  | { readonly addStamps: number };

export interface Customer {
  readonly id: string;
  readonly tags: Set<string>;
  /** Stamps on the card; `null` without a card. */
  stamps: number | null;
  readonly birthday: string;
}

export interface OracleRun {
  readonly automation: SimulatedAutomation;
  readonly customer: Customer;
  readonly occasion: string;
  readonly dueAt: number;
  nextAt: number | null;
  status: "WAITING" | "DONE" | "SKIPPED" | "FAILED";
  reason: string | null;
  endedAt: number;
}

interface ShopEvent {
  readonly type: string;
  readonly customer: Customer;
  readonly toGo: number | null;
  readonly at: number;
}

export const STAMPS = 5;
const NOON = 12 * HOUR;

/** Predicts runs of automations from their contract, for a shop in UTC that checks birthdays at noon. */
export class Oracle {
  readonly runs: OracleRun[] = [];
  readonly customers: Customer[] = [];
  private events: ShopEvent[] = [];
  private eventCount = 0;
  /** Newest day that was checked, by automation. */
  private readonly days = new Map<string, number>();

  constructor(
    private readonly automations: readonly SimulatedAutomation[],
    now: number,
  ) {
    for (const { id } of automations) this.days.set(id, Math.floor((now - NOON) / DAY));
  }

  recordEvent(type: string, customer: Customer, toGo: number | null, at: number): void {
    this.events.push({ type, customer, toGo, at });
  }

  addStamps(customer: Customer, count: number, at: number, isTold: boolean): boolean {
    if (customer.stamps === null) return false;
    const total = customer.stamps + count;
    customer.stamps = total % STAMPS;
    if (!isTold) return true;
    this.recordEvent("stamp.added", customer, STAMPS - customer.stamps, at);
    if (total >= STAMPS) this.recordEvent("stamp_card.completed", customer, STAMPS - customer.stamps, at);
    return true;
  }

  delete(customer: Customer): void {
    const rowsOfOthers = <Row extends { customer: Customer }>(rows: readonly Row[]) =>
      rows.filter((row) => row.customer !== customer);
    this.events = rowsOfOthers(this.events);
    this.runs.splice(0, this.runs.length, ...rowsOfOthers(this.runs));
    this.customers.splice(this.customers.indexOf(customer), 1);
  }

  run(now: number): void {
    for (const { type, customer, toGo, at } of this.events) {
      this.eventCount += 1;
      for (const automation of this.automations) {
        if (!("event" in automation.on) || automation.on.event !== type) continue;
        if (automation.on.toGo === undefined || automation.on.toGo === toGo)
          this.start(automation, customer, `event ${this.eventCount}`, at, now);
      }
    }
    this.events = [];
    for (const automation of this.automations) this.startDueDates(automation, now);
    for (;;) {
      const dueRuns = this.runs.filter(({ nextAt }) => nextAt !== null && nextAt <= now);
      const first = dueRuns.reduce<OracleRun | null>(
        (one, run) => (one === null || isBefore(run, one) ? run : one),
        null,
      );
      if (first === null) return;
      for (const nextRun of dueRuns)
        if (nextRun.automation === first.automation) this.performRun(nextRun, now);
    }
  }

  private startDueDates(automation: SimulatedAutomation, now: number): void {
    if (!("birthdays" in automation.on)) return;
    const newest = Math.floor((now - NOON) / DAY);
    for (let day = (this.days.get(automation.id) ?? 0) + 1; day <= newest; day += 1) {
      const date = new Date((day + automation.on.birthdays) * DAY).toISOString().slice(0, 10);
      for (const customer of this.customers)
        if (customer.birthday === date.slice(5))
          this.start(automation, customer, date, day * DAY + NOON, now);
    }
    this.days.set(automation.id, newest);
  }

  private start(
    automation: SimulatedAutomation,
    customer: Customer,
    occasion: string,
    at: number,
    now: number,
  ): void {
    if (automation.after === 0 && this.isUsedUp(automation, customer, now)) return;
    const dueAt = at + automation.after * DAY;
    const newRun = { automation, customer, occasion, dueAt, nextAt: now, endedAt: now };
    this.runs.push({ ...newRun, status: "WAITING", reason: null });
  }

  private performRun(run: OracleRun, now: number): void {
    const { automation, customer, dueAt } = run;
    const isEarly = now < dueAt;
    const matches = automation.tag === null || customer.tags.has(automation.tag);
    const endRun = (status: OracleRun["status"], reason: string | null) =>
      Object.assign(run, { status, reason, nextAt: null, endedAt: now });
    if (now - dueAt > DAY) endRun("SKIPPED", "late");
    else if (!isEarly && this.isUsedUp(automation, customer, now)) endRun("SKIPPED", "done_before");
    else if (!matches) endRun("SKIPPED", "condition");
    else if (isEarly) run.nextAt = dueAt;
    else if (this.countRecentRuns(customer, now) >= 5) endRun("SKIPPED", "too_many_runs");
    else if (this.performActions(run, now)) endRun("DONE", null);
    else endRun("FAILED", "resource_not_found");
  }

  private performActions({ automation, customer }: OracleRun, now: number): boolean {
    const isPossible = automation.do.every((action) =>
      "addStamps" in action
        ? customer.stamps !== null
        : !("assignTag" in action) || action.assignTag !== "nothing",
    );
    if (!isPossible) return false;
    for (const action of automation.do) {
      if ("assignTag" in action) customer.tags.add(action.assignTag);
      else if ("unassignTag" in action) customer.tags.delete(action.unassignTag);
      else this.addStamps(customer, action.addStamps, now, false);
    }
    return true;
  }

  private countRecentRuns(customer: Customer, now: number): number {
    return this.runs.filter(
      (run) =>
        run.customer === customer &&
        (run.status === "DONE" || run.status === "FAILED") &&
        run.endedAt > now - HOUR,
    ).length;
  }

  private isUsedUp(automation: SimulatedAutomation, customer: Customer, now: number): boolean {
    const doneRuns = this.runs.filter(
      (run) => run.automation === automation && run.customer === customer && run.status === "DONE",
    );
    const { per } = automation;
    if (per === "occasion" || doneRuns.length === 0) return false;
    if (per === "once") return true;
    const newest = Math.max(...doneRuns.map(({ endedAt }) => endedAt));
    return Math.floor(now / DAY) - Math.floor(newest / DAY) < per.everyDays;
  }
}

function isBefore(one: OracleRun, other: OracleRun): boolean {
  const [a, b] = [one.nextAt ?? 0, other.nextAt ?? 0];
  return a < b || (a === b && one.automation.id < other.automation.id);
}
