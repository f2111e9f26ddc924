import { AsyncLocalStorage } from "node:async_hooks";
import { CoalescedCalls } from "../../../src/concurrency/task-tracker.js";
import type { RefreshResult } from "../../../src/index.js";
import { serviceInternals } from "../../../src/internals.js";
import type { LoyaltyOptions } from "../../../src/loyalty-options.js";
import { LoyaltyService } from "../../../src/loyalty-service.js";
import { automationJobs } from "../../../src/storage/automations.js";
import { mailJobs } from "../../../src/storage/mail.js";
import { messageJobs } from "../../../src/storage/messages.js";
import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import { walletJobs } from "../../../src/storage/wallets.js";
import { canonicalTimeZone, UTC } from "../../../src/values/calendar-days.js";
import type { Clock } from "../../../src/values/clock.js";
import { createMail, type Mail, type OutgoingMail } from "../../mail/index.js";
import { memoryStorage } from "../../memory/index.js";
import { type CapturedWebhook, CapturedWebhooks, type ReceiveWebhook } from "./captured-webhooks.js";
import { type Duration, instantAfter, parseInstant } from "./duration.js";
import type { CapturedPush, FakeWallets } from "./fake-wallets.js";
import { ManualClock } from "./manual-clock.js";
import { DueTimeFinder, jobsDueWork, webhooksDueWork } from "./next-due-time.js";
import { TestOrganization } from "./test-organization.js";

export interface TestLoyaltyOptions {
  /** The initial time: a `Date` or an ISO 8601 text. A text without a time zone is in `timeZone`. */
  readonly at: string | Date;
  /**
   * The zone in which days are counted, and of the organizations that the test makes: a name of the IANA database. Default:
   * UTC.
   */
  readonly timeZone?: string;
  /** A storage of its own for each test, which is closed with it. Default: one in memory. */
  readonly storage?: StorageAdapter;
  /** The options of the service that the app has beside these. */
  readonly service?: Omit<LoyaltyOptions, "storage" | "clock" | "secretKeys" | "onError">;
  /** Sets up an Apple Wallet and a Google Wallet, which takes a second in the first test of a process. Default: false. */
  readonly wallets?: boolean;
  /** Answers webhooks to endpoints that the app itself has made. Default: with 200. */
  readonly receive?: ReceiveWebhook;
}

const PUBLIC_URL = "https://loyalty.example.com";

/**
 * Opens a service for a test, with a clock that is moved by hand. After each call, segments are refreshed. Nothing else is done by
 * itself: mails, webhooks, pushes, messages, automations and midnights wait for {@link TestLoyalty.runDue} or
 * {@link TestLoyalty.advance}. What would leave the process is captured.
 *
 * @throws {TypeError} if `at` is no instant, or the time zone is not known.
 * @example
 * import { testLoyalty } from "loyalty-kit/testing";
 *
 * const test = await testLoyalty({ at: "2026-03-01T09:00", timeZone: "Europe/Vienna" });
 * const cafe = await test.organization();
 * const anna = await cafe.customer({ email: "anna@example.com", stamps: 7 });
 * await test.advance("60d");
 */
export function testLoyalty(options: TestLoyaltyOptions): Promise<TestLoyalty> {
  return TestLoyalty.open(options);
}

/** A service for a test, as {@link testLoyalty} opens it. */
export class TestLoyalty {
  /** The service, for the app. Its workers are the test's: the app begins none on it. */
  readonly loyalty: LoyaltyService;
  /** The test clock, for the app: the time in milliseconds since the Unix epoch. */
  readonly clock: Clock;
  /** The mails that were sent, in their order, as they leave for a mail server. */
  readonly mails: OutgoingMail[] = [];
  private readonly timeZone: string;
  private readonly mail: Mail;
  private readonly captured: CapturedWebhooks | null;
  private readonly movedClock: ManualClock;
  private readonly errors: unknown[] = [];
  private readonly refreshes = new CoalescedCalls<RefreshResult>();
  /** True for what a refresh does itself. */
  private readonly inRefresh = new AsyncLocalStorage<boolean>();
  private wallets: FakeWallets | null = null;
  private organizations = 0;

  private constructor({
    at,
    timeZone = UTC,
    storage = memoryStorage(),
    service,
    wallets,
    receive,
  }: TestLoyaltyOptions) {
    const zone = canonicalTimeZone(timeZone);
    if (zone === null)
      throw new TypeError(`"${timeZone}" is no time zone: give a name such as Europe/Vienna`);
    this.timeZone = zone;
    const hasOutbox = service?.outbox !== false;
    const kinds = [
      jobsDueWork(storage, [automationJobs], () => this.loyalty.runAutomations()),
      jobsDueWork(storage, [messageJobs, mailJobs], () => this.mail.runOnce()),
      ...(wallets === true ? [jobsDueWork(storage, [walletJobs], async () => this.wallets?.runOnce())] : []),
      ...(hasOutbox ? [webhooksDueWork(storage, async () => this.captured?.runOnce())] : []),
    ];
    const due = new DueTimeFinder(storage, kinds);
    this.movedClock = new ManualClock(parseInstant(at, zone), due, kinds, () => this.sweep());
    this.clock = this.movedClock.read;
    const onError = (error: unknown) => void this.errors.push(error);
    this.loyalty = new LoyaltyService({
      shortLinkBase: `${PUBLIC_URL}/c`,
      ...service,
      // Attempts are made at the very times of the schedule.
      webhooks: { random: () => 0.5, ...service?.webhooks },
      ...{ storage: this.refreshing(storage), onError, clock: this.clock },
    });
    this.mail = createMail(this.loyalty, {
      publicUrl: PUBLIC_URL,
      from: "Test <test@example.com>",
      smtp: { send: async (mail) => void this.mails.push(mail) },
      // The rate is one of the real time.
      rate: { requests: 1_000_000, seconds: 1 },
      deliver: false,
    });
    const answer = receive ?? (() => new Response(null, { status: 200 }));
    this.captured = hasOutbox ? new CapturedWebhooks(this.loyalty, storage, answer, onError) : null;
  }

  static async open(options: TestLoyaltyOptions): Promise<TestLoyalty> {
    const test = new TestLoyalty(options);
    if (options.wallets === true) {
      // Most tests have none.
      const { FakeWallets } = await import("./fake-wallets.js");
      test.wallets = await FakeWallets.open(test.loyalty, PUBLIC_URL, (error) => test.errors.push(error));
    }
    return test;
  }

  /** The present of the test. */
  get now(): Date {
    return new Date(this.clock());
  }

  /** The webhooks that were sent, in their order, each attempt for itself. */
  get webhooks(): readonly CapturedWebhook[] {
    return this.captured?.all ?? [];
  }

  /** The pushes to customers' wallets, in order. */
  get pushes(): readonly CapturedPush[] {
    return this.wallets?.pushes ?? [];
  }

  /**
   * Returns an organization with builders, in the time zone of the test.
   * @param id default: a new one.
   */
  async organization(id?: string): Promise<TestOrganization> {
    this.organizations += 1;
    const known = id ?? `organization-${this.organizations}`;
    const organization = this.loyalty.organization(known);
    const { timeZone } = this;
    if (timeZone !== UTC) await organization.settings.update({ timeZone });
    return new TestOrganization(known, organization, this.captured, this.wallets);
  }

  /**
   * Does all that is due now, without moving the clock.
   * @throws {AggregateError} with what failed beside any caller's path, such as in a listener of events.
   */
  runDue(): Promise<void> {
    return this.advanceTo(this.now);
  }

  /**
   * Moves the clock forward. Work that becomes due on the way is done at its time, in order.
   * @param duration such as `90m`, `12h` or `30d`; at most ten years. Days are calendar days in the time zone of the test: `1d`
   *   after nine in the morning it is nine in the morning.
   * @throws {TypeError} for an invalid duration; {AggregateError} as {@link runDue}.
   */
  advance(duration: Duration): Promise<void> {
    return this.moveTo(() => instantAfter(this.clock(), duration, this.timeZone));
  }

  /**
   * Moves the clock on to an instant, as {@link advance} does.
   * @param instant a `Date`, or a text in ISO 8601, which is in the time zone of the test unless it names a zone.
   * @throws {TypeError} if it is none; {RangeError} when it is over; {AggregateError} as {@link runDue}.
   */
  advanceTo(instant: string | Date): Promise<void> {
    return this.moveTo(() => parseInstant(instant, this.timeZone));
  }

  /** Closes the service and its storage. @throws {AggregateError} as {@link runDue}. */
  async close(): Promise<void> {
    await this.wallets?.close();
    await this.mail.close();
    await this.captured?.close();
    await this.loyalty.close();
    this.tellErrors();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private async moveTo(instant: () => number): Promise<void> {
    try {
      await this.movedClock.moveTo(instant());
    } finally {
      this.tellErrors();
    }
  }

  private async sweep(): Promise<void> {
    // A service knows by each reading of its clock that it has not jumped.
    serviceInternals(this.loyalty).now();
    await this.refresh();
  }

  /** The storage, with which a call resolves once segments are refreshed. */
  private refreshing(storage: StorageAdapter): StorageAdapter {
    const transaction: StorageAdapter["transaction"] = async (work, options) => {
      const result = await storage.transaction(work, options);
      if (this.inRefresh.getStore() !== true) await this.refresh().catch((error) => this.errors.push(error));
      return result;
    };
    return new Proxy(storage, {
      get(target, key) {
        if (key === "transaction") return transaction;
        const member: unknown = Reflect.get(target, key);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
  }

  private async refresh(): Promise<void> {
    await this.refreshes.run("", () => this.inRefresh.run(true, () => this.loyalty.refreshSegments()));
  }

  private tellErrors(): void {
    const errors = this.errors.splice(0);
    if (errors.length > 0) throw new AggregateError(errors, `failed beside the test: ${String(errors[0])}`);
  }
}
