import { z } from "zod";
import { turns } from "../../concurrency/pace.js";
import type { Step } from "../../concurrency/step.js";
import type { Recorder } from "../../events/recording.js";
import { type Metadata, metadataSchema } from "../../resources/fields/metadata.js";
import { parse } from "../../resources/parse.js";
import type { StorageTransaction } from "../../storage/storage-adapter.js";
import type { StoredUser } from "../../storage/users.js";
import type { Tenant } from "../../tenant/tenant.js";
import { fold } from "../../values/text.js";
import { changeUser, insertUser, insertUsers } from "../user-changes.js";
import { newcomersOf } from "./newcomers.js";
import { type CheckedRow, type FailedRow, failedRow, type ValidRow } from "./row.js";
import { ImportTags } from "./tags.js";

interface BatchResult {
  readonly created: number;
  readonly updated: number;
  readonly failed: readonly FailedRow[];
}

/** How many users are added in one step, between two turns of the event loop. */
const USERS_OF_STEP = 250;

/** Imports rows (at most 1,000) in a running transaction, one after the other; new users that follow each other at once. */
export function* importBatch(
  tenant: Tenant,
  tx: StorageTransaction,
  record: Recorder,
  rows: readonly CheckedRow[],
  { createTags, mergeMetadata }: { readonly createTags: boolean; readonly mergeMetadata: boolean },
): Step<BatchResult> {
  const tags = new ImportTags(tenant, tx, record, createTags);
  const newcomers = yield* newcomersOf(tx, tenant.organizationId, rows.filter(isValid));
  const failed: FailedRow[] = [];
  let created = 0;
  let updated = 0;
  let waiting: ValidRow[] = [];
  const addWaiting = function* (): Step<void> {
    created += waiting.length;
    yield* addNewcomers(tenant, tx, record, tags, waiting);
    waiting = [];
  };
  for (const row of rows) {
    yield* turns();
    if (isValid(row) && newcomers.has(row) && (yield* tags.areKnown(row.tags))) {
      waiting.push(row);
      if (waiting.length === USERS_OF_STEP) yield* addWaiting();
      continue;
    }
    yield* addWaiting();
    if (!isValid(row)) {
      failed.push(row);
      continue;
    }
    try {
      // What can fail the row comes before everything that would have to be undone.
      yield* tags.check(row.tags);
      const known = newcomers.has(row) ? null : yield* findKnown(tenant, tx, row.user);
      const user =
        known === null
          ? yield* insertUser(tenant, tx, record, row.user)
          : yield* changeUser(tenant, tx, record, known, changeOf(row.user, mergeMetadata ? known : null));
      yield* tags.give(user, row.tags);
      if (known === null) created += 1;
      else updated += 1;
    } catch (error) {
      failed.push(failedRow(row.row, error));
    }
  }
  yield* addWaiting();
  yield* tags.assign();
  return { created, updated, failed };
}

function isValid(row: CheckedRow): row is ValidRow {
  return !("errors" in row);
}

/** Adds the users of rows that are new ones for certain and name known tags alone. */
function* addNewcomers(
  tenant: Tenant,
  tx: StorageTransaction,
  record: Recorder,
  tags: ImportTags,
  rows: readonly ValidRow[],
): Step<void> {
  if (rows.length === 0) return;
  const inputs = rows.map(({ user }) => user);
  const users = yield* insertUsers(tenant, tx, record, inputs);
  for (const [at, user] of users.entries()) yield* tags.give(user, rows[at]?.tags ?? []);
}

/** The user whom the row means: whoever has its external id; else its email, and no other external id. */
function* findKnown(
  { organizationId }: Tenant,
  tx: StorageTransaction,
  { externalId = null, email }: ValidRow["user"],
): Step<StoredUser | null> {
  const byExternalId =
    externalId === null ? null : yield* tx.findUserByExternalId(organizationId, externalId);
  if (byExternalId !== null) return byExternalId;
  const byEmail = yield* tx.findUserByEmail(organizationId, fold(email));
  return byEmail === null || externalId === null || byEmail.externalId === null ? byEmail : null;
}

/**
 * The row as a change: an import clears nothing, so `null` is as absent.
 * @param merged whose metadata is kept, but for the keys that the row has; nobody's for `null`.
 * @throws {LoyaltyError} `validation_failed` when the metadata would be too large.
 */
function changeOf({ email, name, phone, externalId, metadata }: ValidRow["user"], merged: StoredUser | null) {
  return {
    email,
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
