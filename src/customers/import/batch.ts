import * as z from "zod";
import { yieldIfDue } from "../../base/concurrency/event-loop.js";
import { awaitInStep, type Step } from "../../base/concurrency/step.js";
import { validationFailed } from "../../base/errors.js";
import { type Metadata, metadataSchema } from "../../base/fields/metadata.js";
import { parse } from "../../base/parse.js";
import type { RecordEvent } from "../../kernel/events/recording.js";
import type { Change } from "../../kernel/tenant.js";
import {
  applyImportedConsent,
  emptySubscription,
  type ImportedConsent,
  saveSubscription,
} from "../../messages/subscription-state.js";
import { splitIntoBatches } from "../../storage/batches.js";
import type { StoredSettings } from "../../storage/settings.js";
import { StorageConflict, type StorageTransaction } from "../../storage/storage-adapter.js";
import type { StoredSubscription } from "../../storage/subscriptions.js";
import type { StoredAssignment, TagWithMerging } from "../../storage/tags.js";
import type { StoredUser } from "../../storage/users.js";
import { insertTag } from "../../tags/insert-tag.js";
import { applyPendingMerges } from "../../tags/removals.js";
import { toUserTag } from "../../tags/schema.js";
import { changeUser, findEmailError, insertUser, insertUsers } from "../user-writes.js";
import { ExistingUsers, MAX_USERS_PER_STEP, NewUsers } from "./existing-users.js";
import { type CheckedRow, type FailedRow, type NamedTag, toFailedRow, type ValidRow } from "./row.js";

export interface BatchResult {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: readonly FailedRow[];
  /** Number of consents skipped because the customer has unsubscribed since giving them. */
  readonly consentsSkipped: number;
}

const noExtension: RowExtension = {
  checksEveryRow: false,
  isFull: false,
  prepare: () => awaitInStep(undefined),
  check: () => awaitInStep({ createdAt: null }),
  queueFor: () => false,
  write: () => awaitInStep(undefined),
};

/**
 * Imports rows in order, in the caller's transaction. Because rows for new customers are usually adjacent, users are inserted
 * without a lookup until a row matches an existing user. Users for the remaining rows are then looked up together.
 */
export function* importBatch(
  change: Change,
  checkedRows: readonly CheckedRow[],
  { createTags, mergeMetadata }: { readonly createTags: boolean; readonly mergeMetadata: boolean },
  extension: RowExtension = noExtension,
): Step<BatchResult> {
  const { tenant, tx, record } = change;
  const settings = yield* tx.findSettings();
  const rows = checkedRows.map((row) => rejectMissingEmail(rejectFutureConsent(row, tenant.now()), settings));
  const tags = new ImportTags(change, createTags);
  const consents = new ImportConsents(change);
  const failed: FailedRow[] = [];
  let index = 0;
  while (index < rows.length && !extension.checksEveryRow) {
    yield* yieldIfDue();
    const addedCount = yield* addUsers(
      change,
      { tags, consents },
      rows.slice(index, index + MAX_USERS_PER_STEP),
    );
    index += addedCount;
    const row = rows[index];
    if (row === undefined || addedCount === MAX_USERS_PER_STEP) continue;
    if (!("errors" in row)) break;
    failed.push(row);
    index += 1;
  }
  let createdCount = index - failed.length;
  let updatedCount = 0;
  /** Rows whose user exists and already has all of the row's data, except perhaps tags and consents. */
  const unchangedRows: number[] = [];
  const otherRows: ValidRow[] = [];
  for (const row of rows.slice(index)) {
    if ("errors" in row) failed.push(row);
    else otherRows.push(row);
  }
  const keys = otherRows.map(({ user }) => user);
  const existingUsers = yield* ExistingUsers.load(tx, keys);
  const newUsers = new NewUsers(tenant, tx, record);
  yield* extension.prepare(otherRows, existingUsers);
  for (const row of otherRows) {
    yield* yieldIfDue();
    try {
      // These checks can fail the row, so they run before any write that would have to be undone.
      yield* tags.check(row.tags);
      const before = existingUsers.match(row.user);
      const { createdAt } = yield* extension.check(row, before);
      if (before !== null || existingUsers.isEmailTaken(row.user)) yield* newUsers.write();
      const user =
        before !== null
          ? yield* changeUser(change, before, buildUserChange(row.user, mergeMetadata ? before : null))
          : existingUsers.isEmailTaken(row.user)
            ? yield* insertUser(change, row.user, createdAt)
            : yield* newUsers.add(row.user, createdAt);
      if (before === null) existingUsers.add(user);
      else if (user !== before) existingUsers.replace(before, user);
      yield* tags.queueFor(user, row);
      consents.queueFor(user, row);
      const hasExtensionData = extension.queueFor(user);
      if (extension.isFull) {
        yield* newUsers.write();
        yield* extension.write();
      }
      if (before === null) createdCount += 1;
      else if (hasExtensionData || user !== before) updatedCount += 1;
      else unchangedRows.push(row.row);
    } catch (error) {
      failed.push(toFailedRow(row.row, error));
    }
  }
  yield* newUsers.write();
  yield* extension.write();
  const taggedRows = yield* tags.assign();
  const { changed, skipped } = yield* consents.write();
  const unchangedCount = unchangedRows.filter((row) => !taggedRows.has(row) && !changed.has(row)).length;
  failed.sort((a, b) => a.row - b.row);
  return {
    ...{
      created: createdCount,
      updated: updatedCount + unchangedRows.length - unchangedCount,
      unchanged: unchangedCount,
      failed,
    },
    consentsSkipped: skipped,
  };
}

/** Returns the row, or a failed row if its user needs an email and has none. */
function rejectMissingEmail(row: CheckedRow, settings: StoredSettings | null): CheckedRow {
  const emailError = "errors" in row ? null : findEmailError(row.user, settings);
  return emailError === null ? row : { row: row.row, errors: { email: emailError } };
}

/**
 * Adds users for the leading rows. Stops at the first row that is invalid, matches an existing user or names an unknown tag.
 * @returns the number of rows whose users were added.
 */
function* addUsers(
  change: Change,
  { tags, consents }: { readonly tags: ImportTags; readonly consents: ImportConsents },
  rows: readonly CheckedRow[],
): Step<number> {
  const acceptedRows = yield* tags.takeUntilUnknownTag(rows);
  if (acceptedRows.length === 0) return 0;
  const inputs = acceptedRows.map(({ user }) => user);
  const users = yield* insertUsers(change, inputs);
  for (const [index, row] of acceptedRows.slice(0, users.length).entries()) {
    const user = users[index];
    if (user === undefined) continue;
    yield* tags.queueFor(user, row);
    consents.queueFor(user, row);
  }
  return users.length;
}

/**
 * Converts a row to a change. An import clears nothing, so `null` counts as absent.
 * @param mergedUser the user whose other metadata keys are kept; `null` to replace all metadata.
 * @throws {LoyaltyError} `validation_failed` if the metadata would be too large.
 */
function buildUserChange(
  { email, name, phone, externalId, metadata }: ValidRow["user"],
  mergedUser: StoredUser | null,
) {
  return {
    email: email ?? undefined,
    name: name ?? undefined,
    phone: phone ?? undefined,
    externalId: externalId ?? undefined,
    metadata: metadata === undefined || mergedUser === null ? metadata : mergeMetadata(mergedUser, metadata),
  };
}

function mergeMetadata({ metadata: before }: StoredUser, metadata: Metadata): Metadata {
  return parse(z.object({ metadata: metadataSchema }), { metadata: { ...JSON.parse(before), ...metadata } })
    .metadata;
}

/** Imports data other than users and tags, such as passes, from the rows of one transaction. */
export interface RowExtension {
  /** `true` if every row must be checked individually, even if it has no tags. */
  readonly checksEveryRow: boolean;
  /** Loads the data that {@link check} needs, for all of the rows together. */
  prepare(rows: readonly ValidRow[], existingUsers: ExistingUsers): Step<void>;
  /**
   * Checks a row before any of it is written.
   * @param existingUser the existing user that the row matches, or `null` if there is none.
   * @returns the time to record as the user's creation time, or `null` for the current time.
   * @throws {LoyaltyError} if the row is invalid. The import then reports the row as failed.
   */
  check(row: ValidRow, existingUser: StoredUser | null): Step<{ readonly createdAt: number | null }>;
  /**
   * Queues the additional data from the most recently checked row for the given user. {@link write} writes it together with the
   * data from other rows.
   * @returns whether the row had any additional data.
   */
  queueFor(user: StoredUser): boolean;
  /** `true` if the queue is full and should be written now. */
  readonly isFull: boolean;
  /** Writes the queued data. Call it after the users have been written. */
  write(): Step<void>;
}

/** Creates the extension for the rows imported in one transaction. Called again for each transaction, including retries. */
export type ExtendRows = (tx: StorageTransaction, record: RecordEvent) => RowExtension;

/** Returns the row unchanged, or a failed row if its consent time is in the future. */
function rejectFutureConsent(row: CheckedRow, now: number): CheckedRow {
  const at = "errors" in row ? null : row.consent?.email?.at;
  return at == null || at <= now ? row : { row: row.row, errors: { consentAt: "must not be in the future" } };
}

/** Collects the consents from one transaction's rows, to write them together at the end of the transaction. */
class ImportConsents {
  private queued: { readonly row: number; readonly userId: string; readonly consent: ImportedConsent }[] = [];

  constructor(private readonly change: Change) {}

  queueFor({ id: userId }: StoredUser, { row, consent }: ValidRow): void {
    if (consent !== null) this.queued.push({ row, userId, consent });
  }

  /**
   * Writes the queued consents. Call it after their users have been written.
   * @returns the numbers of the rows that changed something, and how many consents were skipped.
   */
  *write(): Step<{ readonly changed: ReadonlySet<number>; readonly skipped: number }> {
    const { change, queued } = this;
    const changed = new Set<number>();
    let skippedCount = 0;
    const subscriptionByUser = yield* this.readSubscriptions();
    for (const { row, userId, consent } of queued) {
      const before = subscriptionByUser.get(userId) ?? emptySubscription(userId);
      const { after, isSkipped } = applyImportedConsent(before, consent, change.tenant.now());
      if (isSkipped) skippedCount += 1;
      if (after === before) continue;
      yield* saveSubscription(change, before, after);
      subscriptionByUser.set(userId, after);
      changed.add(row);
    }
    return { changed, skipped: skippedCount };
  }

  private *readSubscriptions(): Step<Map<string, StoredSubscription>> {
    const ids = [...new Set(this.queued.map(({ userId }) => userId))];
    const subscriptionByUser = new Map<string, StoredSubscription>();
    for (const batch of splitIntoBatches(ids)) {
      const subscriptions = yield* this.change.tx.subscriptionsOf(batch);
      for (const subscription of subscriptions) subscriptionByUser.set(subscription.userId, subscription);
    }
    return subscriptionByUser;
  }
}

interface QueuedAssignment {
  /** Number of the first row that assigns the tag to the user. */
  readonly row: number;
  readonly user: StoredUser;
  readonly tag: TagWithMerging;
}

/** Collects the tags from one transaction's rows. Each tag is looked up once, and all assignments are written together. */
class ImportTags {
  private readonly tagsBySlug = new Map<string, TagWithMerging | null>();
  /** Queued assignments, keyed by user and tag so that each pair occurs once. */
  private readonly queuedAssignments = new Map<string, QueuedAssignment>();

  /** Number of the organization's tags; `null` until counted. */
  private tagCount: number | null = null;

  constructor(
    private readonly change: Change,
    private readonly mayCreate: boolean,
  ) {}

  /**
   * Checks that each of a row's tags exists or can be created.
   * @throws {LoyaltyError} `validation_failed` naming the missing tags, if the import isn't allowed to create tags or creating them
   *   would exceed the limit.
   */
  *check(tags: readonly NamedTag[]): Step<void> {
    const missingNames: string[] = [];
    for (const { slug, name } of tags) if ((yield* this.find(slug)) === null) missingNames.push(name);
    if (
      this.mayCreate &&
      (missingNames.length === 0 || missingNames.length <= (yield* this.countRemainingTags()))
    )
      return;
    if (this.mayCreate) throw validationFailed({ tags: "would exceed the organization's limit of tags" });
    if (missingNames.length > 0)
      throw validationFailed({ tags: `has unknown tags: ${missingNames.join(", ")}` });
  }

  /** Returns the rows that come before the first row that is invalid or has an unknown tag. */
  *takeUntilUnknownTag(rows: readonly CheckedRow[]): Step<ValidRow[]> {
    const validRows: ValidRow[] = [];
    for (const row of rows) {
      if ("errors" in row) break;
      for (const { slug } of row.tags) if ((yield* this.find(slug)) === null) return validRows;
      validRows.push(row);
    }
    return validRows;
  }

  /** Creates the row's missing tags and queues all of its tags for {@link assign}. */
  *queueFor(user: StoredUser, { row, tags }: ValidRow): Step<void> {
    for (const namedTag of tags) {
      const tag = (yield* this.find(namedTag.slug)) ?? (yield* this.create(namedTag));
      const key = `${user.ordinal} ${tag.ordinal}`;
      if (!this.queuedAssignments.has(key)) this.queuedAssignments.set(key, { row, user, tag });
    }
  }

  /**
   * Assigns the queued tags to the users who don't have them yet.
   * @returns the numbers of the rows that led to a new assignment.
   */
  *assign(): Step<ReadonlySet<number>> {
    const changedRows = new Set<number>();
    const queuedAssignments = [...this.queuedAssignments.values()];
    // All assignments share one time because a clock can go back. The IDs alone keep the order of a row's tags.
    const createdAt = this.change.tenant.now();
    for (const batch of splitIntoBatches(queuedAssignments)) {
      for (const tag of new Set(batch.map((assignment) => assignment.tag))) {
        const users = batch.flatMap((assignment) => (assignment.tag === tag ? [assignment.user] : []));
        yield* applyPendingMerges(this.change, tag, users);
      }
      const assignmentsById = new Map(
        batch.map((assignment) => [this.change.tenant.newId("uta"), assignment]),
      );
      const assignments = Array.from(assignmentsById, ([id, { user, tag }]): StoredAssignment => {
        return { id, userOrdinal: user.ordinal, tagOrdinal: tag.ordinal, createdAt };
      });
      for (const { id } of yield* this.change.tx.assignTags(assignments)) {
        const assignment = assignmentsById.get(id);
        if (assignment === undefined) continue;
        this.recordAssignment(assignment);
        changedRows.add(assignment.row);
      }
    }
    return changedRows;
  }

  private recordAssignment({ user, tag }: QueuedAssignment): void {
    this.change.record("user_tag.assigned", { userId: user.id, userTag: toUserTag(tag) });
  }

  private *find(slug: string): Step<TagWithMerging | null> {
    const cached = this.tagsBySlug.get(slug);
    if (cached !== undefined) return cached;
    const tag = yield* this.change.tx.findTag(slug);
    this.tagsBySlug.set(slug, tag);
    return tag;
  }

  /** Returns how many more tags the organization may create. */
  private *countRemainingTags(): Step<number> {
    const { engine } = this.change.tenant;
    this.tagCount ??= yield* this.change.tx.countOf("tags");
    return engine.config.limits.tags - this.tagCount;
  }

  private *create(namedTag: NamedTag): Step<TagWithMerging> {
    const tag = yield* this.insert(namedTag);
    this.tagsBySlug.set(namedTag.slug, tag);
    if (this.tagCount !== null) this.tagCount += 1;
    return tag;
  }

  private *insert(namedTag: NamedTag): Step<TagWithMerging> {
    try {
      return { merging: 0, ...(yield* insertTag(this.change, namedTag)) };
    } catch (error) {
      if (!(error instanceof StorageConflict)) throw error;
      // Another transaction has created the tag since the lookup.
      const existing = yield* this.change.tx.findTag(namedTag.slug);
      if (existing === null) throw error;
      return existing;
    }
  }
}
