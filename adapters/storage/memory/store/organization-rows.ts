import type { StoredApiToken } from "../../../../src/storage/api-tokens.js";
import type { StoredApp, StoredGrant, StoredGrantToken } from "../../../../src/storage/apps.js";
import type { StoredAuditEntry } from "../../../../src/storage/audit.js";
import type {
  StoredAutomation,
  StoredAutomationCompletion,
  StoredAutomationRun,
  StoredPastAutomation,
} from "../../../../src/storage/automations.js";
import type { Bitmap } from "../../../../src/storage/bitmap.js";
import type { StoredCooldown } from "../../../../src/storage/cooldowns.js";
import type { DayCounts } from "../../../../src/storage/day-counts.js";
import type { StoredEvent } from "../../../../src/storage/events.js";
import type { StoredIdempotencyRecord } from "../../../../src/storage/idempotency-records.js";
import type { Job } from "../../../../src/storage/jobs.js";
import type { StoredMessageDelivery, StoredMessageSettings } from "../../../../src/storage/mail.js";
import type { StoredMessage } from "../../../../src/storage/messages.js";
import type { StoredPass, StoredStampEntry } from "../../../../src/storage/passes.js";
import type { StoredPerson } from "../../../../src/storage/people.js";
import type { StoredPointCard, StoredPointEntry, StoredPointLot } from "../../../../src/storage/points.js";
import type {
  StoredPurchase,
  StoredPurchaseEffect,
  StoredPurchaseReturn,
} from "../../../../src/storage/purchases.js";
import type {
  StoredSegment,
  StoredSegmentDay,
  StoredSegmentFollower,
  StoredSilentChange,
} from "../../../../src/storage/saved-segments.js";
import type { StoredSettings } from "../../../../src/storage/settings.js";
import type { StoredSubscription } from "../../../../src/storage/subscriptions.js";
import type { StoredAssignment, StoredTag, StoredTagRemoval } from "../../../../src/storage/tags.js";
import type { StoredPastProgram, StoredTemplate } from "../../../../src/storage/templates.js";
import type { StoredUser, UserFolds, UserSequence } from "../../../../src/storage/users.js";
import type { StoredPicture, StoredWalletCard, StoredWalletDevice } from "../../../../src/storage/wallets.js";
import type {
  StoredAttempt,
  StoredDelivery,
  StoredWebhookEndpoint,
} from "../../../../src/storage/webhooks.js";
import {
  byRecordAge,
  byRecordEnd,
  byTokenEnd,
  type DeliveryOrder,
  type RecordAge,
  type RecordEnd,
  SortedRows,
  type TokenEnd,
} from "./order.js";
import { OrdinalSet } from "./ordinal-set.js";

export interface UserRow {
  readonly user: StoredUser;
  readonly folds: UserFolds;
}

export interface JobRow {
  readonly job: Job;
  /** The lease of the current claim on the job, or `null` if no worker has claimed the job. */
  readonly lease: string | null;
}

/**
 * One organization's rows and the indexes on them. Rows are frozen, so changing a row means replacing it. Users and tags are keyed
 * by ordinal. All other rows are keyed by their own ID or their owner's ID, except where noted.
 */
export class OrganizationRows {
  sequence: UserSequence = Object.freeze({ ordinal: 0, newest: null });
  readonly users = new Map<number, UserRow>();
  readonly ordinalsById = new Map<string, number>();
  readonly ordinalsByEmail = new Map<string, number>();
  readonly ordinalsByExternalId = new Map<string, number>();

  nextTagOrdinal = 1;
  readonly tags = new Map<number, StoredTag>();
  readonly tagOrdinalsBySlug = new Map<string, number>();
  /** Pending tag removals, keyed by the tag's ordinal. */
  readonly tagRemovals = new Map<number, StoredTagRemoval>();
  /** Each user's tag assignments, oldest first, keyed by user ordinal. */
  readonly assignments = new Map<number, readonly StoredAssignment[]>();

  everybody = new OrdinalSet();
  /** The ordinals of the users who have each tag, keyed by tag ordinal. Includes tags that are being removed. */
  holders: Map<number, OrdinalSet> = new Map();

  readonly templates = new Map<string, StoredTemplate>();
  /** Past versions of templates' programs, keyed by template ID and version. */
  readonly pastPrograms = new Map<string, StoredPastProgram>();
  /** The number of passes issued from each template, keyed by template ID. */
  readonly passCounts = new Map<string, number>();

  readonly passes = new Map<string, StoredPass>();
  readonly passIdsByCode = new Map<string, string>();
  readonly passIdsByUser = new Map<string, readonly string[]>();
  /** Each pass's stamp entries, oldest first, keyed by pass ID. */
  readonly ledgers = new Map<string, StoredStampEntry[]>();

  /** The points of each pass whose points ever changed, keyed by pass ID. */
  readonly pointCards = new Map<string, StoredPointCard>();
  /** Each pass's lots, in ascending order of sequence number, keyed by pass ID. */
  readonly pointLots = new Map<string, readonly StoredPointLot[]>();
  /** Each pass's point entries, oldest first, keyed by pass ID. */
  readonly pointLedgers = new Map<string, StoredPointEntry[]>();
  /** Purchases, keyed by source and receipt. */
  readonly purchases = new Map<string, StoredPurchase>();
  /** The effects of purchases, keyed by purchase ID and pass ID. */
  readonly purchaseEffects = new Map<string, StoredPurchaseEffect>();
  /** Returns, keyed by purchase ID and the host's ID for the return. */
  readonly purchaseReturns = new Map<string, StoredPurchaseReturn>();

  /** Stored events, in ascending order of position. */
  outbox: StoredEvent[] = [];
  /**
   * The position of the newest event ever appended, or 0 if no event has been appended yet. Removing events doesn't change it.
   */
  lastPosition = 0;
  /**
   * The creation time of the newest event ever appended, in milliseconds since the Unix epoch, or 0 if no event has been appended
   * yet. Removing events doesn't change it.
   */
  newestEventAt = 0;

  /** Audit entries, in ascending order of sequence number. */
  readonly audit: StoredAuditEntry[] = [];

  readonly dayCounts = new Map<number, DayCounts>();

  readonly apiTokens = new Map<string, StoredApiToken>();
  readonly people = new Map<string, StoredPerson>();

  /** Idempotency records, keyed by key hash. */
  readonly idempotencyRecords = new Map<string, StoredIdempotencyRecord>();
  readonly idempotencyRecordsByAge = new SortedRows<RecordAge, StoredIdempotencyRecord>(byRecordAge);
  /** Each idempotency record's sort key, including the cumulative size, keyed by key hash. */
  readonly idempotencyRecordEnds = new Map<string, RecordEnd>();
  readonly idempotencyRecordsByEnd = new SortedRows<RecordEnd, RecordEnd>(byRecordEnd);

  /** Cooldowns, keyed by name. */
  readonly cooldownsByName = new Map<string, StoredCooldown>();

  readonly apps = new Map<string, StoredApp>();
  readonly grants = new Map<string, StoredGrant>();
  readonly grantTokens = new Map<string, StoredGrantToken>();
  readonly grantTokensByEnd = new SortedRows<TokenEnd, StoredGrantToken>(byTokenEnd);
  readonly tokenIdsByGrant = new Map<string, readonly string[]>();

  readonly webhookEndpoints = new Map<string, StoredWebhookEndpoint>();
  readonly deliveries = new Map<string, StoredDelivery>();
  /** Each endpoint's sorted webhook deliveries, keyed by endpoint ID. */
  readonly deliveryOrders = new Map<string, DeliveryOrder>();
  /** The current lease of each claimed delivery, keyed by delivery ID. */
  readonly leases = new Map<string, string>();
  /** Each delivery's attempts, in order of attempt number, keyed by delivery ID. */
  readonly attempts = new Map<string, readonly StoredAttempt[]>();

  /** The queues, keyed by the name of their record. */
  readonly queues = new Map<string, object>();
  /** Wallet cards, keyed by pass ID. `walletDevices` has the same keys. */
  readonly walletCards = new Map<string, StoredWalletCard>();
  readonly walletDevices = new Map<string, readonly StoredWalletDevice[]>();
  /** Jobs, keyed by kind, lane, and subject. */
  readonly jobs = new Map<string, JobRow>();
  readonly subscriptions = new Map<string, StoredSubscription>();
  readonly segments = new Map<string, StoredSegment>();
  readonly segmentMembers = new Map<string, Bitmap>();
  segmentFollower: StoredSegmentFollower | null = null;
  readonly silentChanges = new Map<string, StoredSilentChange>();
  /** Daily segment counts, keyed by segment ID and day. */
  readonly segmentDays = new Map<string, StoredSegmentDay>();
  settings: StoredSettings | null = null;
  messageSettings: StoredMessageSettings | null = null;
  readonly messageDeliveries = new Map<string, StoredMessageDelivery>();
  /** Message delivery IDs, keyed by message, user, and channel. */
  readonly deliveryIdsByMessageKey = new Map<string, string>();
  readonly messages = new Map<string, StoredMessage>();
  readonly messageAudiences = new Map<string, Bitmap>();
  readonly automations = new Map<string, StoredAutomation>();
  /** Earlier versions of automations, keyed by automation ID and version. */
  readonly pastAutomations = new Map<string, StoredPastAutomation>();
  readonly automationRuns = new Map<string, StoredAutomationRun>();
  /** Automation run IDs, keyed by automation, user, and occasion (the event or date that started the run). */
  readonly runIdsByOccasion = new Map<string, string>();
  /** Automation completions, keyed by automation and user. */
  readonly automationCompletions = new Map<string, StoredAutomationCompletion>();
  /** Pictures, keyed by the SHA-256 hash of their bytes. */
  readonly pictures = new Map<string, StoredPicture>();
}
