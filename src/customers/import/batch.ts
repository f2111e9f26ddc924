import * as z from "zod";
import { yieldIfDue } from "../../base/concurrency/event-loop.js";
import { awaitInStep, type Step } from "../../base/concurrency/step.js";
import { type Metadata, metadataSchema } from "../../base/fields/metadata.js";
import { parse } from "../../base/parse.js";
import type { RecordEvent } from "../../kernel/events/recording.js";
import type { Tenant } from "../../kernel/tenant.js";
import type { StoredSettings } from "../../storage/settings.js";
import type { StorageTransaction } from "../../storage/storage-adapter.js";
import type { StoredUser } from "../../storage/users.js";
import { changeUser, insertUser, insertUsers, missingEmail } from "../user-writes.js";
import { ImportConsents, rejectFutureConsent } from "./consents.js";
import { ExistingUsers, MAX_USERS_PER_STEP, NewUsers } from "./existing-users.js";
import { type CheckedRow, type FailedRow, toFailedRow, type ValidRow } from "./row.js";
import { ImportTags } from "./tags.js";

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
  tenant: Tenant,
  tx: StorageTransaction,
  record: RecordEvent,
  given: readonly CheckedRow[],
  { createTags, mergeMetadata }: { readonly createTags: boolean; readonly mergeMetadata: boolean },
  extension: RowExtension = noExtension,
): Step<BatchResult> {
  const settings = yield* tx.findSettings(tenant.organizationId);
  const rows = given.map((row) => withEmail(rejectFutureConsent(row, tenant.now()), settings));
  const tags = new ImportTags(tenant, tx, record, createTags);
  const consents = new ImportConsents(tenant, tx, record);
  const failed: FailedRow[] = [];
  let at = 0;
  while (at < rows.length && !extension.isOfEach) {
    yield* yieldIfDue();
    const added = yield* addUsers(
      tenant,
      tx,
      record,
      { tags, consents },
      rows.slice(at, at + MAX_USERS_PER_STEP),
    );
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
          ? yield* changeUser(
              tenant,
              tx,
              record,
              before,
              buildUserChange(row.user, mergeMetadata ? before : null),
            )
          : known.isTaken(row.user)
            ? yield* insertUser(tenant, tx, record, row.user, createdAt)
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
  tenant: Tenant,
  tx: StorageTransaction,
  record: RecordEvent,
  { tags, consents }: { readonly tags: ImportTags; readonly consents: ImportConsents },
  rows: readonly CheckedRow[],
): Step<number> {
  const some = yield* tags.takeUntilUnknown(rows);
  if (some.length === 0) return 0;
  const inputs = some.map(({ user }) => user);
  const users = yield* insertUsers(tenant, tx, record, inputs);
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
