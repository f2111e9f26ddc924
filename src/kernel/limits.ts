import type { Step } from "../base/concurrency/step.js";
import { createLoyaltyError, type ErrorCode } from "../base/errors.js";
import { DAY_MS, HOUR_MS } from "../base/values/clock.js";
import { type ShortLinkBases, shortLinkBases } from "../base/values/short-link.js";
import type { CountableKind } from "../storage/counts.js";
import type { StorageReader } from "../storage/storage-adapter.js";

/**
 * Per-organization limits, which keep a single organization from using up shared resources. Existing rows above a limit are kept.
 */
export interface OrganizationLimits {
  /** Maximum number of API tokens, including expired ones. Default: 1,000. */
  readonly apiTokens?: number;
  /** Maximum number of OAuth 2.0 apps. Default: 100. */
  readonly apps?: number;
  /**
   * Maximum number of grants to OAuth 2.0 apps, across all users. Default: 10,000. Expired grants count until they are removed,
   * which happens one day after their last token expires.
   */
  readonly grants?: number;
  /** Maximum number of grants per user (`subject`), so that no single user can exhaust `grants`. Default: 100. */
  readonly grantsPerSubject?: number;
  /** Maximum number of staff accounts. Default: 100. */
  readonly people?: number;
  /** Maximum number of invitations emailed to staff per UTC day. Default: 100. */
  readonly invitationsPerDay?: number;
  /** Maximum number of tags. Default: 5,000. */
  readonly tags?: number;
  /** Maximum number of saved segments. Default: 100. */
  readonly segments?: number;
  /** Maximum number of pass templates. Default: 1,000. */
  readonly templates?: number;
  /** Maximum number of webhook endpoints. Default: 100. */
  readonly webhookEndpoints?: number;
  /** Maximum number of pending webhook deliveries, across all endpoints. Default: 200,000. */
  readonly pendingDeliveries?: number;
  /** Maximum number of pending webhook deliveries per endpoint. Default: 50,000. */
  readonly pendingDeliveriesPerEndpoint?: number;
  /** Maximum number of emails waiting to be sent. Default: 200,000. */
  readonly pendingMessageDeliveries?: number;
  /** Maximum number of stored messages, including drafts and finished ones. Default: 10,000. */
  readonly messages?: number;
  /** Maximum number of messages that can be scheduled at a time. Default: 100. */
  readonly scheduledMessages?: number;
  /** Maximum number of messages that are being sent at the same time. Default: 20. */
  readonly sendingMessages?: number;
  /** Maximum number of automations, including disabled ones. Default: 50. */
  readonly automations?: number;
  /** Maximum number of waiting automation runs. New runs beyond this limit are skipped. Default: 100,000. */
  readonly waitingAutomationRuns?: number;
  /**
   * Maximum total size of the results stored for idempotency keys, in bytes. Default: 256 MiB. Above the limit, the oldest results
   * are removed before their retention ends, and a repeated call with one of their keys is executed again.
   */
  readonly idempotencyBytes?: number;
}

/** The limits, with defaults applied. */
export type Limits = Required<OrganizationLimits>;

const defaults: Limits = {
  apiTokens: 1_000,
  apps: 100,
  grants: 10_000,
  grantsPerSubject: 100,
  people: 100,
  invitationsPerDay: 100,
  tags: 5_000,
  segments: 100,
  templates: 1_000,
  webhookEndpoints: 100,
  pendingDeliveries: 200_000,
  pendingDeliveriesPerEndpoint: 50_000,
  pendingMessageDeliveries: 200_000,
  messages: 10_000,
  scheduledMessages: 100,
  sendingMessages: 20,
  automations: 50,
  waitingAutomationRuns: 100_000,
  idempotencyBytes: 268_435_456,
};

export function isLimitName(name: string): name is keyof Limits {
  return Object.hasOwn(defaults, name);
}

/**
 * Returns the limits with defaults applied.
 * @throws {RangeError} if a limit is not a positive integer.
 */
export function parseLimits(input: OrganizationLimits = {}): Limits {
  const limits: Limits = { ...defaults, ...omitUndefined(input) };
  for (const [name, limit] of Object.entries(limits)) {
    if (!Number.isSafeInteger(limit) || limit < 1) {
      throw new RangeError(`limits.${name} must be a positive integer`);
    }
  }
  return limits;
}

const limitErrorCodes: Readonly<Record<CountableKind, ErrorCode & `too_many_${string}`>> = {
  apiTokens: "too_many_api_tokens",
  apps: "too_many_apps",
  automations: "too_many_automations",
  grants: "too_many_grants",
  messages: "too_many_messages",
  people: "too_many_people",
  pendingMessageDeliveries: "too_many_pending_deliveries",
  scheduledMessages: "too_many_messages",
  sendingMessages: "too_many_messages",
  segments: "too_many_segments",
  tags: "too_many_user_tags",
  templates: "too_many_templates",
  waitingAutomationRuns: "too_many_automations",
  webhookEndpoints: "too_many_webhook_endpoints",
};

/**
 * Checks that another row of the given kind can be created.
 * @throws {LoyaltyError} `too_many_…` if the organization has reached its limit for that kind.
 */
export function* assertBelowLimit(
  tx: StorageReader,
  {
    engine,
  }: { readonly organizationId: string; readonly engine: { readonly config: Pick<ServiceConfig, "limits"> } },
  kind: CountableKind,
): Step<void> {
  if ((yield* tx.countOf(kind)) >= engine.config.limits[kind])
    throw createLoyaltyError(limitErrorCodes[kind]);
}

/**
 * Checks that a user can create another grant.
 * @throws {LoyaltyError} `too_many_grants` if the user has reached the limit for grants.
 */
export function* assertGrantsBelowLimit(
  tx: StorageReader,
  subject: string,
  { grantsPerSubject }: Limits,
): Step<void> {
  if ((yield* tx.countGrantsBy(subject)) >= grantsPerSubject)
    throw createLoyaltyError(limitErrorCodes.grants);
}

function omitUndefined(input: OrganizationLimits): OrganizationLimits {
  return Object.fromEntries(Object.entries(input).filter(([, limit]) => limit !== undefined));
}

/** Options for how long the service keeps each kind of data before deleting it. */
export interface RetentionOptions {
  /** Number of days to retain events, 1 to 3,650. Default: 30. */
  readonly eventDays?: number;
  /** Maximum number of stored events per organization. Default: 1,000,000. */
  readonly maxEvents?: number;
  /**
   * Number of hours to retain results for idempotency keys, 12 to 720. Default: 24. After that time, a repeated call with the same
   * key is executed again.
   */
  readonly idempotencyHours?: number;
  /** Number of days to retain finished webhook deliveries and their responses, 1 to 3,650. Default: the same as `eventDays`. */
  readonly deliveryDays?: number;
  /** Number of days to retain finished emails to customers and the mail servers' replies, 1 to 3,650. Default: 400. */
  readonly messageDays?: number;
  /** Number of days to retain automation runs that aren't waiting, 31 to 3,650. Default: 90. */
  readonly runDays?: number;
}

/** The retention settings, with defaults applied and times converted to milliseconds. */
export interface Retention {
  readonly eventMs: number;
  readonly maxEvents: number;
  readonly idempotencyMs: number;
  readonly deliveryMs: number;
  readonly messageMs: number;
  readonly runMs: number;
}

/** The minimum and maximum value of each setting, both inclusive. */
export const retentionBounds: Readonly<Record<keyof RetentionOptions, readonly [from: number, to: number]>> =
  {
    eventDays: [1, 3_650],
    maxEvents: [1, Number.MAX_SAFE_INTEGER],
    idempotencyHours: [12, 720],
    deliveryDays: [1, 3_650],
    messageDays: [1, 3_650],
    // A card shows a run's message for up to 30 days.
    runDays: [31, 3_650],
  };

export function isRetentionName(name: string): name is keyof RetentionOptions {
  return Object.hasOwn(retentionBounds, name);
}

/**
 * Returns the retention settings with defaults applied.
 * @throws {RangeError} if a number is out of range.
 */
export function parseRetention(input: RetentionOptions = {}): Retention {
  assertInBounds("retention", input, retentionBounds);
  const { eventDays = 30, maxEvents = 1_000_000, idempotencyHours = 24 } = input;
  const { deliveryDays = eventDays, messageDays = 400, runDays = 90 } = input;
  return {
    eventMs: eventDays * DAY_MS,
    maxEvents,
    idempotencyMs: idempotencyHours * HOUR_MS,
    deliveryMs: deliveryDays * DAY_MS,
    messageMs: messageDays * DAY_MS,
    runMs: runDays * DAY_MS,
  };
}

/** The host's options that set bounds and addresses. */
interface ConfigOptions {
  readonly limits?: OrganizationLimits;
  readonly retention?: RetentionOptions;
  readonly shortLinkBase?: string;
  readonly previousShortLinkBases?: readonly string[];
}

/** A service's configuration as set by the host, with defaults applied. */
export interface ServiceConfig {
  readonly limits: Limits;
  readonly retention: Retention;
  readonly shortLinks: ShortLinkBases;
  /** Whether webhook endpoints may use loopback addresses, such as `localhost`. */
  readonly allowsLoopback: boolean;
}

/**
 * Returns the service's configuration with defaults applied.
 * @throws {RangeError} if a limit, retention setting, or address is invalid.
 */
export function parseServiceConfig(options: ConfigOptions, allowsLoopback: boolean): ServiceConfig {
  const { shortLinkBase = "https://pass.invalid", previousShortLinkBases = [] } = options;
  return {
    limits: parseLimits(options.limits),
    retention: parseRetention(options.retention),
    shortLinks: shortLinkBases(shortLinkBase, previousShortLinkBases),
    allowsLoopback,
  };
}

/**
 * Asserts that each value, unless it is `undefined`, is an integer within its inclusive bounds.
 * @throws {RangeError} if a value is out of bounds or isn't an integer.
 */
function assertInBounds<Name extends string>(
  optionName: string,
  input: Readonly<Partial<Record<Name, number | undefined>>>,
  bounds: Readonly<Record<Name, readonly [from: number, to: number]>>,
): void {
  for (const name in bounds) {
    const value = input[name];
    const [from, to] = bounds[name];
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= from && value <= to)) {
      throw new RangeError(`${optionName}.${name} must be a whole number from ${from} to ${to}`);
    }
  }
}
