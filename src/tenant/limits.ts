import type { Step } from "../concurrency/step.js";
import { createLoyaltyError, type ErrorCode } from "../errors.js";
import type { CountableKind } from "../storage/counts.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { assertInBounds } from "../values/bounds.js";

/** Limits of what one organization may have, so that it can't crowd out others. Rows that already exceed a limit stay. */
export interface OrganizationLimits {
  /** API tokens, expired ones too. Default: 1,000. */
  readonly apiTokens?: number;
  /** OAuth 2.0 apps. Default: 100. */
  readonly apps?: number;
  /**
   * Grants of users to OAuth 2.0 apps. Default: 10,000. Expired grants count until they are removed, a day after their last token
   * expires.
   */
  readonly grants?: number;
  /** Grants given by one user (`subject`). Default: 100, so that no user exhausts `grants`. */
  readonly grantsPerSubject?: number;
  /** People who sign in. Default: 100. */
  readonly people?: number;
  /** Invitations that are mailed to people who sign in, on a day of UTC. Default: 100. */
  readonly invitationsPerDay?: number;
  /** Tags. Default: 5,000. */
  readonly tags?: number;
  /** Saved segments. Default: 100. */
  readonly segments?: number;
  /** Templates of passes. Default: 1,000. */
  readonly templates?: number;
  /** Webhook endpoints. Default: 100. */
  readonly webhookEndpoints?: number;
  /** Deliveries of webhooks that are pending, of all its endpoints. Default: 200,000. */
  readonly pendingDeliveries?: number;
  /** Deliveries that are pending at one endpoint. Default: 50,000. */
  readonly pendingDeliveriesPerEndpoint?: number;
  /** Mails waiting to be sent. Default: 200,000. */
  readonly pendingMessageDeliveries?: number;
  /** Stored messages, including drafts and ended ones. Default: 10,000. */
  readonly messages?: number;
  /** Messages that wait for the time at which they begin. Default: 100. */
  readonly scheduledMessages?: number;
  /** Messages that are being sent at the same time. Default: 20. */
  readonly sendingMessages?: number;
  /** Automations, disabled ones too. Default: 50. */
  readonly automations?: number;
  /** Runs of automations that wait. Default: 100,000. What would be one more is skipped. */
  readonly waitingAutomationRuns?: number;
  /**
   * Bytes of stored results for idempotency keys. Default: 256 MiB. Over the limit the oldest are removed before their 24 hours
   * end, and a repeated call with such a key is executed again.
   */
  readonly idempotencyBytes?: number;
}

/** The limits, complete. */
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

export function isLimit(name: string): name is keyof Limits {
  return Object.hasOwn(defaults, name);
}

/** @throws {RangeError} for a limit that is no positive integer. */
export function parseLimits(given: OrganizationLimits = {}): Limits {
  const limits: Limits = { ...defaults, ...withoutUndefined(given) };
  for (const [name, limit] of Object.entries(limits)) {
    if (!Number.isSafeInteger(limit) || limit < 1) {
      throw new RangeError(`limits.${name} must be a positive integer`);
    }
  }
  return limits;
}

const codes: Readonly<Record<CountableKind, ErrorCode & `too_many_${string}`>> = {
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

/** @throws {LoyaltyError} `too_many_…` when the organization has as many of a kind as it may have. */
export function* assertBelowLimit(
  tx: StorageReader,
  {
    organizationId,
    engine,
  }: { readonly organizationId: string; readonly engine: { readonly limits: Limits } },
  kind: CountableKind,
): Step<void> {
  if ((yield* tx.countOf(organizationId, kind)) >= engine.limits[kind]) throw createLoyaltyError(codes[kind]);
}

/** @throws {LoyaltyError} `too_many_grants` if the user has given as many as one may. */
export function* assertGrantsBelowLimit(
  tx: StorageReader,
  organizationId: string,
  subject: string,
  { grantsPerSubject }: Limits,
): Step<void> {
  if ((yield* tx.countGrantsBy(organizationId, subject)) >= grantsPerSubject)
    throw createLoyaltyError(codes.grants);
}

function withoutUndefined(given: OrganizationLimits): OrganizationLimits {
  return Object.fromEntries(Object.entries(given).filter(([, limit]) => limit !== undefined));
}

/** How long data is stored. */
export interface RetentionOptions {
  /** Events older than this many days are removed: 1 to 3,650. Default: 30. */
  readonly eventDays?: number;
  /** Each organization keeps at most this many events. Default: 1,000,000. */
  readonly maxEvents?: number;
  /** Hours to store results for idempotency keys, 12 to 720. Default: 24. After that a call with such a key is executed again. */
  readonly idempotencyHours?: number;
  /**
   * Days to keep finished webhook deliveries and their responses, 1 to 3,650. Default: as long as events.
   */
  readonly deliveryDays?: number;
  /** Days to store ended mails to customers with the replies of mail servers, 1 to 3,650. Default: 400. */
  readonly messageDays?: number;
  /** Runs of automations are kept for this many days, unless they wait, 31 to 3,650. Default: 90. */
  readonly runDays?: number;
}

/** The retention, complete. */
export interface Retention {
  readonly eventMs: number;
  readonly maxEvents: number;
  readonly idempotencyMs: number;
  readonly deliveryMs: number;
  readonly messageMs: number;
  readonly runMs: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The least and the most that each may be. */
export const retentionBounds: Readonly<Record<keyof RetentionOptions, readonly [from: number, to: number]>> =
  {
    eventDays: [1, 3_650],
    maxEvents: [1, Number.MAX_SAFE_INTEGER],
    idempotencyHours: [12, 720],
    deliveryDays: [1, 3_650],
    messageDays: [1, 3_650],
    // A card shows the message of a run for 30 days at most.
    runDays: [31, 3_650],
  };

export function isRetention(name: string): name is keyof RetentionOptions {
  return Object.hasOwn(retentionBounds, name);
}

/** @throws {RangeError} for a number that is out of its bounds. */
export function parseRetention(given: RetentionOptions = {}): Retention {
  assertInBounds("retention", given, retentionBounds);
  const { eventDays = 30, maxEvents = 1_000_000, idempotencyHours = 24 } = given;
  const { deliveryDays = eventDays, messageDays = 400, runDays = 90 } = given;
  return {
    eventMs: eventDays * DAY_MS,
    maxEvents,
    idempotencyMs: idempotencyHours * HOUR_MS,
    deliveryMs: deliveryDays * DAY_MS,
    messageMs: messageDays * DAY_MS,
    runMs: runDays * DAY_MS,
  };
}
