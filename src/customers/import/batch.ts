import * as z from "zod";
import { yieldIfDue } from "../../base/concurrency/event-loop.js";
import { awaitInStep, type Step } from "../../base/concurrency/step.js";
import { validationFailed } from "../../base/errors.js";
import { type Metadata, metadataSchema } from "../../base/fields/metadata.js";
import { parse } from "../../base/parse.js";
import type { RecordEvent } from "../../kernel/events/recording.js";
import type { Change } from "../../kernel/tenant.js";
import { applyImportedConsent, type ImportedConsent } from "../../messages/imported-consent.js";
import { emptySubscription, saveSubscription } from "../../messages/subscription-state.js";
import { splitIntoBatches } from "../../storage/batches.js";
import type { StoredSettings } from "../../storage/settings.js";
import { StorageConflict, type StorageTransaction } from "../../storage/storage-adapter.js";
import type { StoredSubscription } from "../../storage/subscriptions.js";
import type { StoredAssignment, TagWithMerging } from "../../storage/tags.js";
import type { StoredUser } from "../../storage/users.js";
import { insertTag } from "../../tags/insert-tag.js";
import { settleMerges } from "../../tags/removals.js";
import { userTagOf } from "../../tags/schema.js";
import { changeUser, insertUser, insertUsers, missingEmail } from "../user-writes.js";
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
  isOfEach: false,
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
  given: readonly CheckedRow[],
  { createTags, mergeMetadata }: { readonly createTags: boolean; readonly mergeMetadata: boolean },
  extension: RowExtension = noExtension,
): Step<BatchResult> {
  const { tenant, tx, record } = change;
  const settings = yield* tx.findSettings(tenant.organizationId);
  const rows = given.map((row) => withEmail(rejectFutureConsent(row, tenant.now()), settings));
  const tags = new ImportTags(change, createTags);
  const consents = new ImportConsents(change);
  const failed: FailedRow[] = [];
  let at = 0;
  while (at < rows.length && !extension.isOfEach) {
    yield* yieldIfDue();
    const added = yield* addUsers(change, { tags, consents }, rows.slice(at, at + MAX_USERS_PER_STEP));
    at += added;
    const row = rows[at];
    if (row === undefined || added === MAX_USERS_PER_STEP) continue;
    if (!("errors" in row)) break;
    failed.push(row);
    at += 1;
  }
  let created = at - failed.length;
  let updated = 0;
  /** Rows whose user exists and already has all of the row's data, except perhaps tags and consents. */
  const alike: number[] = [];
  const others: ValidRow[] = [];
  for (const row of rows.slice(at)) {
    if ("errors" in row) failed.push(row);
    else others.push(row);
  }
  const keys = others.map(({ user }) => user);
  const known = yield* ExistingUsers.load(tx, tenant.organizationId, keys);
  const fresh = new NewUsers(tenant, tx, record);
  yield* extension.prepare(others, known);
  for (const row of others) {
    yield* yieldIfDue();
    try {
      // These checks can fail the row, so they run before any write that would have to be undone.
      yield* tags.check(row.tags);
      const before = known.match(row.user);
      const { createdAt } = yield* extension.check(row, before);
      if (before !== null || known.isTaken(row.user)) yield* fresh.write();
      const user =
        before !== null
          ? yield* changeUser(change, before, buildUserChange(row.user, mergeMetadata ? before : null))
          : known.isTaken(row.user)
            ? yield* insertUser(change, row.user, createdAt)
            : yield* fresh.add(row.user, createdAt);
      if (before === null) known.add(user);
      else if (user !== before) known.replace(before, user);
      yield* tags.queueFor(user, row);
      consents.queueFor(user, row);
      const isGiven = extension.queueFor(user);
      if (extension.isFull) {
        yield* fresh.write();
        yield* extension.write();
      }
      if (before === null) created += 1;
      else if (isGiven || user !== before) updated += 1;
      else alike.push(row.row);
    } catch (error) {
      failed.push(toFailedRow(row.row, error));
    }
  }
  yield* fresh.write();
  yield* extension.write();
  const tagged = yield* tags.assign();
  const { changed, skipped } = yield* consents.write();
  const unchanged = alike.filter((row) => !tagged.has(row) && !changed.has(row)).length;
  failed.sort((a, b) => a.row - b.row);
  return {
    ...{ created, updated: updated + alike.length - unchanged, unchanged, failed },
    consentsSkipped: skipped,
  };
}

/** Returns the row, or a failed row if its user needs an email and has none. */
function withEmail(row: CheckedRow, settings: StoredSettings | null): CheckedRow {
  const missing = "errors" in row ? null : missingEmail(row.user, settings);
  return missing === null ? row : { row: row.row, errors: { email: missing } };
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
  const some = yield* tags.takeUntilUnknown(rows);
  if (some.length === 0) return 0;
  const inputs = some.map(({ user }) => user);
  const users = yield* insertUsers(change, inputs);
  for (const [at, row] of some.slice(0, users.length).entries()) {
    const user = users[at];
    if (user === undefined) continue;
    yield* tags.queueFor(user, row);
    consents.queueFor(user, row);
  }
  return users.length;
}

/**
 * Converts a row to a change. An import clears nothing, so `null` counts as absent.
 * @param merged the user whose other metadata keys are kept; `null` to replace all metadata.
 * @throws {LoyaltyError} `validation_failed` if the metadata would be too large.
 */
function buildUserChange(
  { email, name, phone, externalId, metadata }: ValidRow["user"],
  merged: StoredUser | null,
) {
  return {
    email: email ?? undefined,
    name: name ?? undefined,
    phone: phone ?? undefined,
    externalId: externalId ?? undefined,
    metadata: metadata === undefined || merged === null ? metadata : mergedMetadata(merged, metadata),
  };
}

function mergedMetadata({ metadata: before }: StoredUser, metadata: Metadata): Metadata {
  return parse(z.object({ metadata: metadataSchema }), { metadata: { ...JSON.parse(before), ...metadata } })
    .metadata;
}

/** Imports the parts of one transaction's rows other than users and tags, such as passes. */
export interface RowExtension {
  /** `true` if every row must be checked individually, even a row that has no tags. */
  readonly isOfEach: boolean;
  /** Loads the data that {@link check} needs, for all of the rows together. */
  prepare(rows: readonly ValidRow[], known: ExistingUsers): Step<void>;
  /**
   * Checks a row before any of it is written.
   * @param known the existing user that the row matches, or `null` if there is none.
   * @returns the time to record as the user's creation time, or `null` for the current time.
   * @throws {LoyaltyError} if the row is invalid. The import then reports the row as failed.
   */
  check(row: ValidRow, known: StoredUser | null): Step<{ readonly createdAt: number | null }>;
  /**
   * Queues the additional data from the row that was checked last, for the given user. {@link write} writes it together with
   * other rows' data.
   * @returns whether the row had any additional data.
   */
  queueFor(user: StoredUser): boolean;
  /** `true` if the queue is full and should be written now. */
  readonly isFull: boolean;
  /** Writes the queued data. Call it after the users have been written. */
  write(): Step<void>;
}

/** Creates the extension for the rows that one transaction imports. Called again for each transaction, including retries. */
export type ExtendRows = (tx: StorageTransaction, record: RecordEvent) => RowExtension;

/** Returns the row unchanged, or a failed row if its consent time is in the future. */
function rejectFutureConsent(row: CheckedRow, now: number): CheckedRow {
  const at = "errors" in row ? null : row.consent?.email?.at;
  return at == null || at <= now ? row : { row: row.row, errors: { consentAt: "must not be in the future" } };
}

/** Collects the consents from one transaction's rows, to write them together at the end of the transaction. */
class ImportConsents {
  private given: { readonly row: number; readonly userId: string; readonly consent: ImportedConsent }[] = [];

  constructor(private readonly change: Change) {}

  queueFor({ id: userId }: StoredUser, { row, consent }: ValidRow): void {
    if (consent !== null) this.given.push({ row, userId, consent });
  }

  /**
   * Writes the queued consents. Call it after their users have been written.
   * @returns the numbers of the rows that changed something, and how many consents were skipped.
   */
  *write(): Step<{ readonly changed: ReadonlySet<number>; readonly skipped: number }> {
    const { change, given } = this;
    const changed = new Set<number>();
    let skipped = 0;
    const known = yield* this.known();
    for (const { row, userId, consent } of given) {
      const before = known.get(userId) ?? emptySubscription(userId);
      const { after, isSkipped } = applyImportedConsent(before, consent, change.tenant.now());
      if (isSkipped) skipped += 1;
      if (after === before) continue;
      yield* saveSubscription(change, before, after);
      known.set(userId, after);
      changed.add(row);
    }
    return { changed, skipped };
  }

  private *known(): Step<Map<string, StoredSubscription>> {
    const ids = [...new Set(this.given.map(({ userId }) => userId))];
    const known = new Map<string, StoredSubscription>();
    for (const some of splitIntoBatches(ids)) {
      const subscriptions = yield* this.change.tx.subscriptionsOf(this.change.organizationId, some);
      for (const subscription of subscriptions) known.set(subscription.userId, subscription);
    }
    return known;
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
  private readonly known = new Map<string, TagWithMerging | null>();
  /** Queued assignments, keyed by user and tag so that each pair occurs once. */
  private readonly gifts = new Map<string, QueuedAssignment>();

  /** Number of the organization's tags; `null` until counted. */
  private present: number | null = null;

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
    const missing: string[] = [];
    for (const { slug, name } of tags) if ((yield* this.find(slug)) === null) missing.push(name);
    if (this.mayCreate && (missing.length === 0 || missing.length <= (yield* this.remainingTags()))) return;
    if (this.mayCreate) throw validationFailed({ tags: "would exceed the organization's limit of tags" });
    if (missing.length > 0) throw validationFailed({ tags: `has unknown tags: ${missing.join(", ")}` });
  }

  /** Returns the rows that come before the first row that is invalid or has an unknown tag. */
  *takeUntilUnknown(rows: readonly CheckedRow[]): Step<ValidRow[]> {
    const found: ValidRow[] = [];
    for (const row of rows) {
      if ("errors" in row) break;
      for (const { slug } of row.tags) if ((yield* this.find(slug)) === null) return found;
      found.push(row);
    }
    return found;
  }

  /** Creates the row's missing tags and queues all of its tags for {@link assign}. */
  *queueFor(user: StoredUser, { row, tags }: ValidRow): Step<void> {
    for (const named of tags) {
      const tag = (yield* this.find(named.slug)) ?? (yield* this.create(named));
      const key = `${user.ordinal} ${tag.ordinal}`;
      if (!this.gifts.has(key)) this.gifts.set(key, { row, user, tag });
    }
  }

  /**
   * Assigns the queued tags to the users who don't have them yet.
   * @returns the numbers of the rows that led to a new assignment.
   */
  *assign(): Step<ReadonlySet<number>> {
    const rows = new Set<number>();
    const gifts = [...this.gifts.values()];
    // All assignments share one time because a clock can go back. The IDs alone keep the order of a row's tags.
    const createdAt = this.change.tenant.now();
    for (const some of splitIntoBatches(gifts)) {
      for (const tag of new Set(some.map((gift) => gift.tag))) {
        const users = some.flatMap((gift) => (gift.tag === tag ? [gift.user] : []));
        yield* settleMerges(this.change, tag, users);
      }
      const byId = new Map(some.map((gift) => [this.change.tenant.newId("uta"), gift]));
      const assignments = Array.from(byId, ([id, { user, tag }]): StoredAssignment => {
        return { id, userOrdinal: user.ordinal, tagOrdinal: tag.ordinal, createdAt };
      });
      for (const { id } of yield* this.change.tx.assignTags(this.change.organizationId, assignments)) {
        const gift = byId.get(id);
        if (gift === undefined) continue;
        this.tell(gift);
        rows.add(gift.row);
      }
    }
    return rows;
  }

  private tell({ user, tag }: QueuedAssignment): void {
    this.change.record("user_tag.assigned", { userId: user.id, userTag: userTagOf(tag) });
  }

  private *find(slug: string): Step<TagWithMerging | null> {
    const known = this.known.get(slug);
    if (known !== undefined) return known;
    const tag = yield* this.change.tx.findTag(this.change.organizationId, slug);
    this.known.set(slug, tag);
    return tag;
  }

  /** Returns how many more tags the organization may create. */
  private *remainingTags(): Step<number> {
    const { organizationId, engine } = this.change.tenant;
    this.present ??= yield* this.change.tx.countOf(organizationId, "tags");
    return engine.config.limits.tags - this.present;
  }

  private *create(named: NamedTag): Step<TagWithMerging> {
    const tag = yield* this.insert(named);
    this.known.set(named.slug, tag);
    if (this.present !== null) this.present += 1;
    return tag;
  }

  private *insert(named: NamedTag): Step<TagWithMerging> {
    try {
      return { merging: 0, ...(yield* insertTag(this.change, named)) };
    } catch (error) {
      if (!(error instanceof StorageConflict)) throw error;
      // Another transaction has created the tag since the lookup.
      const theirs = yield* this.change.tx.findTag(this.change.organizationId, named.slug);
      if (theirs === null) throw error;
      return theirs;
    }
  }
}
