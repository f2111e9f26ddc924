import type { StoredApiToken } from "../../../src/storage/api-tokens.js";
import type { StoredApp, StoredGrant, StoredGrantToken } from "../../../src/storage/apps.js";
import type { StoredAuditEntry } from "../../../src/storage/audit.js";
import type {
  StoredAutomation,
  StoredAutomationCompletion,
  StoredAutomationQueue,
  StoredAutomationRun,
  StoredPastAutomation,
} from "../../../src/storage/automations.js";
import type { Bitmap } from "../../../src/storage/bitmap.js";
import type { StoredCooldown } from "../../../src/storage/cooldowns.js";
import type { DayCounts } from "../../../src/storage/day-counts.js";
import type { StoredEvent } from "../../../src/storage/events.js";
import type { StoredIdempotencyRecord } from "../../../src/storage/idempotency-records.js";
import type { Job } from "../../../src/storage/jobs.js";
import type {
  StoredMailQueue,
  StoredMessageDelivery,
  StoredMessageSettings,
} from "../../../src/storage/mail.js";
import type { StoredMessage, StoredMessageQueue } from "../../../src/storage/messages.js";
import type { StoredPass, StoredStampEntry } from "../../../src/storage/passes.js";
import type { StoredPerson } from "../../../src/storage/people.js";
import type {
  StoredSegment,
  StoredSegmentDay,
  StoredSegmentFollower,
  StoredSilentChange,
} from "../../../src/storage/saved-segments.js";
import type { StoredSettings } from "../../../src/storage/settings.js";
import type { StoredSubscription } from "../../../src/storage/subscriptions.js";
import type { StoredAssignment, StoredTag, StoredTagRemoval } from "../../../src/storage/tags.js";
import type { StoredTemplate } from "../../../src/storage/templates.js";
import type { StoredUser, UserFolds, UserSequence } from "../../../src/storage/users.js";
import type {
  StoredPicture,
  StoredWalletCard,
  StoredWalletDevice,
  StoredWalletQueue,
} from "../../../src/storage/wallets.js";
import type { StoredAttempt, StoredDelivery, StoredWebhookEndpoint } from "../../../src/storage/webhooks.js";
import type { DeliveryOrder } from "./delivery-order.js";
import {
  byRecordAge,
  byRecordEnd,
  byTokenEnd,
  type RecordAge,
  type RecordEnd,
  type TokenEnd,
} from "./order.js";
import { OrdinalSet } from "./ordinal-set.js";
import { SortedRows } from "./sorted-rows.js";

export interface UserRow {
  readonly user: StoredUser;
  readonly folds: UserFolds;
}

export interface JobRow {
  readonly job: Job;
  /** The claim that it is under. */
  readonly lease: string | null;
}

/** All rows of one organization with their indexes. Rows are frozen and replaced as a whole, never changed. */
export class OrganizationRows {
  sequence: UserSequence = { ordinal: 0, newest: null };
  /** By ordinal. */
  readonly users = new Map<number, UserRow>();
  readonly ordinalsById = new Map<string, number>();
  readonly ordinalsByEmail = new Map<string, number>();
  readonly ordinalsByExternalId = new Map<string, number>();

  nextTagOrdinal = 1;
  /** By ordinal. */
  readonly tags = new Map<number, StoredTag>();
  readonly tagOrdinalsBySlug = new Map<string, number>();
  /** By the ordinal of the tag. */
  readonly tagRemovals = new Map<number, StoredTagRemoval>();
  /** By the user's ordinal, oldest first. */
  readonly assignments = new Map<number, readonly StoredAssignment[]>();

  /** The ordinals of all users. */
  everybody = new OrdinalSet();
  /** The ordinals of the users of each tag, including removed tags, by the tag's ordinal. */
  holders: Map<number, OrdinalSet> = new Map();

  readonly templates = new Map<string, StoredTemplate>();
  /** The number of passes by template. */
  readonly passCounts = new Map<string, number>();

  readonly passes = new Map<string, StoredPass>();
  readonly passIdsByCode = new Map<string, string>();
  readonly passIdsByUser = new Map<string, readonly string[]>();
  /** The stamp entries of each pass, oldest first. */
  readonly ledgers = new Map<string, StoredStampEntry[]>();

  /** By position, ascending. */
  outbox: StoredEvent[] = [];
  /** The position of the newest event ever appended. */
  lastPosition = 0;
  /** The time of the newest event ever appended; 0 before the first. */
  newestEventAt = 0;

  /** By the sequence, ascending. */
  readonly audit: StoredAuditEntry[] = [];

  /** By the day. */
  readonly dayCounts = new Map<number, DayCounts>();

  readonly apiTokens = new Map<string, StoredApiToken>();
  readonly people = new Map<string, StoredPerson>();

  /** By the hash of the key. */
  readonly answers = new Map<string, StoredIdempotencyRecord>();
  readonly answersByAge = new SortedRows<RecordAge, StoredIdempotencyRecord>(byRecordAge);
  /** By the hash of the key. */
  readonly answerEnds = new Map<string, RecordEnd>();
  readonly answersByEnd = new SortedRows<RecordEnd, RecordEnd>(byRecordEnd);

  /** By name. */
  readonly marks = new Map<string, StoredCooldown>();

  readonly apps = new Map<string, StoredApp>();
  readonly grants = new Map<string, StoredGrant>();
  readonly grantTokens = new Map<string, StoredGrantToken>();
  readonly grantTokensByEnd = new SortedRows<TokenEnd, StoredGrantToken>(byTokenEnd);
  readonly tokenIdsByGrant = new Map<string, readonly string[]>();

  readonly webhookEndpoints = new Map<string, StoredWebhookEndpoint>();
  readonly deliveries = new Map<string, StoredDelivery>();
  /** By the endpoint's id. */
  readonly deliveryOrders = new Map<string, DeliveryOrder>();
  /** The claim that each claimed delivery is under, by the delivery's id. */
  readonly leases = new Map<string, string>();
  /** The attempts of each delivery, by `number`. */
  readonly attempts = new Map<string, readonly StoredAttempt[]>();

  walletQueue: StoredWalletQueue | null = null;
  /** By the pass's id, as the devices. */
  readonly walletCards = new Map<string, StoredWalletCard>();
  readonly walletDevices = new Map<string, readonly StoredWalletDevice[]>();
  /** By kind, lane and subject. */
  readonly jobs = new Map<string, JobRow>();
  /** By the user's id. */
  readonly subscriptions = new Map<string, StoredSubscription>();
  readonly segments = new Map<string, StoredSegment>();
  /** By the segment's id. */
  readonly segmentMembers = new Map<string, Bitmap>();
  segmentFollower: StoredSegmentFollower | null = null;
  readonly silentChanges = new Map<string, StoredSilentChange>();
  /** By the segment's id and the day. */
  readonly segmentDays = new Map<string, StoredSegmentDay>();
  settings: StoredSettings | null = null;
  messageSettings: StoredMessageSettings | null = null;
  mailQueue: StoredMailQueue | null = null;
  readonly messageDeliveries = new Map<string, StoredMessageDelivery>();
  /** The id of the delivery that a message has to each user and channel. */
  readonly placesInMessages = new Map<string, string>();
  readonly messages = new Map<string, StoredMessage>();
  /** By the message's id. */
  readonly messageAudiences = new Map<string, Bitmap>();
  messageQueue: StoredMessageQueue | null = null;
  readonly automations = new Map<string, StoredAutomation>();
  /** By automation and version. */
  readonly pastAutomations = new Map<string, StoredPastAutomation>();
  readonly automationRuns = new Map<string, StoredAutomationRun>();
  /** The id of the run that an automation has for each user and occasion. */
  readonly runIdsByOccasion = new Map<string, string>();
  /** By automation and user. */
  readonly automationCompletions = new Map<string, StoredAutomationCompletion>();
  automationQueue: StoredAutomationQueue | null = null;
  /** By hash. */
  readonly pictures = new Map<string, StoredPicture>();
}
