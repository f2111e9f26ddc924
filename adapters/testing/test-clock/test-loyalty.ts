import { AsyncLocalStorage } from "node:async_hooks";
import { CoalescedCalls } from "../../../src/base/concurrency/shared-calls.js";
import { canonicalTimeZone, UTC } from "../../../src/base/values/calendar-days.js";
import type { Clock } from "../../../src/base/values/clock.js";
import type { RefreshResult } from "../../../src/index.js";
import { serviceInternals } from "../../../src/internals.js";
import type { LoyaltyOptions } from "../../../src/loyalty-options.js";
import { LoyaltyService } from "../../../src/loyalty-service.js";
import { automationJobs } from "../../../src/storage/automations.js";
import { mailJobs } from "../../../src/storage/mail.js";
import { messageJobs } from "../../../src/storage/messages.js";
import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import { walletJobs } from "../../../src/storage/wallets.js";
import { createMail, type Mail, type OutgoingMail } from "../../delivery/mail/index.js";
import { memoryStorage } from "../../storage/memory/index.js";
import { type CapturedWebhook, CapturedWebhooks, type ReceiveWebhook } from "./captured-webhooks.js";
import { addDuration, type Duration, parseInstant } from "./duration.js";
import type { CapturedPush, FakeWallets } from "./fake-wallets.js";
import { ManualClock } from "./manual-clock.js";
import { createJobsDueWork, createWebhooksDueWork, DueTimeFinder } from "./next-due-time.js";
import { TestOrganization } from "./test-organization.js";

export interface TestLoyaltyOptions {
  /** The clock's initial time, as a `Date` or an ISO 8601 string. A string without a time zone is interpreted in `timeZone`. */
  readonly at: string | Date;
  /**
   * The time zone in which days begin and end, as an IANA name. Organizations created by the test use this time zone too. Default:
   * UTC.
   */
  readonly timeZone?: string;
  /** The storage to use, which is closed along with the test. Default: a new in-memory storage. */
  readonly storage?: StorageAdapter;
  /** Additional options for the service, such as those that the app uses in production. */
  readonly service?: Omit<LoyaltyOptions, "storage" | "clock" | "secretKeys" | "onError">;
  /** Whether to set up Apple Wallet and Google Wallet. The first setup in a process takes an extra second. Default: `false`. */
  readonly wallets?: boolean;
  /** Handles webhook requests to endpoints that the app created itself. Default: responds with status 200. */
  readonly receive?: ReceiveWebhook;
}

const PUBLIC_URL = "https://loyalty.example.com";

/**
 * Opens a service for a test, with a clock that moves only when the test moves it. Segments are refreshed after each call. All
 * other work (emails, webhooks, pushes, messages, automations, and changes at midnight) waits until the test calls {@link
 * TestLoyalty.runDue} or {@link TestLoyalty.advance}. Emails, webhooks, and pushes are captured instead of leaving the process.
 *
 * @throws {TypeError} if `at` isn't a valid instant or the time zone is unknown.
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

/** A service for a test, opened by {@link testLoyalty}. */
export class TestLoyalty {
  /** The service to pass to the app under test. The test runs the service's workers, so the app must not start any. */
  readonly loyalty: LoyaltyService;
  /** The test clock to pass to the app under test. Returns milliseconds since the Unix epoch. */
  readonly clock: Clock;
  /** The emails sent so far, in order, as they would be handed to a mail server. */
  readonly mails: OutgoingMail[] = [];
  private readonly timeZone: string;
  private readonly mail: Mail;
  private readonly capturedWebhooks: CapturedWebhooks | null;
  private readonly manualClock: ManualClock;
  private readonly errors: unknown[] = [];
  private readonly refreshes = new CoalescedCalls<RefreshResult>();
  /** `true` within a refresh. */
  private readonly refreshContext = new AsyncLocalStorage<boolean>();
  private wallets: FakeWallets | null = null;
  private organizationCount = 0;

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
      throw new TypeError(`"${timeZone}" is not a time zone: use a name such as Europe/Vienna`);
    this.timeZone = zone;
    const hasOutbox = service?.outbox !== false;
    const kinds = [
      createJobsDueWork(storage, [automationJobs], () => this.loyalty.runAutomations()),
      createJobsDueWork(storage, [messageJobs, mailJobs], () => this.mail.runOnce()),
      ...(wallets === true
        ? [createJobsDueWork(storage, [walletJobs], async () => this.wallets?.runOnce())]
        : []),
      ...(hasOutbox ? [createWebhooksDueWork(storage, async () => this.capturedWebhooks?.runOnce())] : []),
    ];
    const dueTimes = new DueTimeFinder(storage, kinds);
    this.manualClock = new ManualClock(parseInstant(at, zone), dueTimes, kinds, () => this.sweepAll());
    this.clock = this.manualClock.read;
    const onError = (error: unknown) => void this.errors.push(error);
    this.loyalty = new LoyaltyService({
      shortLinkBase: `${PUBLIC_URL}/c`,
      ...service,
      // No jitter, so that attempts happen exactly on schedule.
      webhooks: { random: () => 0.5, ...service?.webhooks },
      ...{ storage: this.wrapWithRefresh(storage), onError, clock: this.clock },
    });
    this.mail = createMail(this.loyalty, {
      publicUrl: PUBLIC_URL,
      from: "Test <test@example.com>",
      smtp: { send: async (mail) => void this.mails.push(mail) },
      // The rate limit applies to real time, so it must not slow down tests.
      rate: { requests: 1_000_000, seconds: 1 },
      deliver: false,
    });
    const receiver = receive ?? (() => new Response(null, { status: 200 }));
    this.capturedWebhooks = hasOutbox ? new CapturedWebhooks(this.loyalty, storage, receiver, onError) : null;
  }

  static async open(options: TestLoyaltyOptions): Promise<TestLoyalty> {
    const test = new TestLoyalty(options);
    if (options.wallets === true) {
      // Loaded only when needed, because most tests use no wallets.
      const { FakeWallets } = await import("./fake-wallets.js");
      test.wallets = await FakeWallets.open(test.loyalty, PUBLIC_URL, (error) => test.errors.push(error));
    }
    return test;
  }

  /** The test clock's current time. */
  get now(): Date {
    return new Date(this.clock());
  }

  /** All webhook delivery attempts, in order. */
  get webhooks(): readonly CapturedWebhook[] {
    return this.capturedWebhooks?.all ?? [];
  }

  /** All pushes to customers' wallets, in order. */
  get pushes(): readonly CapturedPush[] {
    return this.wallets?.pushes ?? [];
  }

  /**
   * Returns an organization, in the test's time zone, with methods for creating test data.
   * @param id the organization's ID. Default: a new ID.
   */
  async organization(id?: string): Promise<TestOrganization> {
    this.organizationCount += 1;
    const organizationId = id ?? `organization-${this.organizationCount}`;
    const organization = this.loyalty.organization(organizationId);
    const { timeZone } = this;
    if (timeZone !== UTC) await organization.settings.update({ timeZone });
    return new TestOrganization(organizationId, organization, this.capturedWebhooks, this.wallets);
  }

  /**
   * Runs all work that is currently due, without moving the clock.
   * @throws {AggregateError} with all errors that weren't thrown to a caller, such as errors thrown by event listeners.
   */
  runDue(): Promise<void> {
    return this.advanceTo(this.now);
  }

  /**
   * Moves the clock forward. Work that becomes due along the way runs in order, with the clock stopped at each item's due time.
   * @param duration a duration such as `90m`, `12h`, or `30d`, at most ten years. Days are calendar days in the test's time zone,
   *   so advancing from 9:00 by `1d` ends at 9:00 on the next day.
   * @throws {TypeError} if the duration is malformed.
   * @throws {AggregateError} in the same cases as {@link runDue}.
   */
  advance(duration: Duration): Promise<void> {
    return this.moveTo(() => addDuration(this.clock(), duration, this.timeZone));
  }

  /**
   * Moves the clock forward to an instant, like {@link advance}.
   * @param instant a `Date` or an ISO 8601 string. A string without a time zone is interpreted in the test's time zone.
   * @throws {TypeError} if the instant isn't valid.
   * @throws {RangeError} if the instant is in the past.
   * @throws {AggregateError} in the same cases as {@link runDue}.
   */
  advanceTo(instant: string | Date): Promise<void> {
    return this.moveTo(() => parseInstant(instant, this.timeZone));
  }

  /**
   * Closes the service and its storage.
   * @throws {AggregateError} in the same cases as {@link runDue}.
   */
  async close(): Promise<void> {
    await this.wallets?.close();
    await this.mail.close();
    await this.capturedWebhooks?.close();
    await this.loyalty.close();
    this.throwErrors();
  }

  /** Calls {@link close} when the scope of an `await using` declaration ends. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private async moveTo(instant: () => number): Promise<void> {
    try {
      await this.manualClock.moveTo(instant());
    } finally {
      this.throwErrors();
    }
  }

  private async sweepAll(): Promise<void> {
    // A service has to read its clock regularly, to see that the clock hasn't jumped.
    serviceInternals(this.loyalty).now();
    await this.refresh();
  }

  /** Wraps the storage so that each transaction resolves only after segments are refreshed. */
  private wrapWithRefresh(storage: StorageAdapter): StorageAdapter {
    const transaction: StorageAdapter["transaction"] = async (organizationId, work, options) => {
      const result = await storage.transaction(organizationId, work, options);
      if (this.refreshContext.getStore() !== true)
        await this.refresh().catch((error) => this.errors.push(error));
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
    await this.refreshes.run("", () => this.refreshContext.run(true, () => this.loyalty.refreshSegments()));
  }

  private throwErrors(): void {
    const errors = this.errors.splice(0);
    if (errors.length > 0) throw new AggregateError(errors, `a background task failed: ${String(errors[0])}`);
  }
}
