import { z } from "zod";
import { turns } from "../../concurrency/pace.js";
import type { Step } from "../../concurrency/step.js";
import { isLoyaltyError } from "../../errors.js";
import type { Recorder } from "../../events/recording.js";
import { type Metadata, metadataSchema } from "../../resources/fields/metadata.js";
import { parse } from "../../resources/parse.js";
import type { StorageTransaction } from "../../storage/storage-adapter.js";
import type { StoredUser } from "../../storage/users.js";
import type { Tenant } from "../../tenant/tenant.js";
import { fold } from "../../values/text.js";
import { changeUser, insertUser } from "../user-changes.js";
import { type CheckedRow, type FailedRow, failedRow, type ValidRow } from "./row.js";
import { ImportTags } from "./tags.js";

interface BatchResult {
  readonly created: number;
  readonly updated: number;
  readonly failed: readonly FailedRow[];
}

/** Imports rows in a running transaction. */
export function* importBatch(
  tenant: Tenant,
  tx: StorageTransaction,
  record: Recorder,
  rows: readonly CheckedRow[],
  { createTags, mergeMetadata }: { readonly createTags: boolean; readonly mergeMetadata: boolean },
): Step<BatchResult> {
  const tags = new ImportTags(tenant, tx, record, createTags);
  const failed: FailedRow[] = [];
  let created = 0;
  let updated = 0;
  // A row is mostly as the one before: a new user is inserted without a look, and a known one not tried in vain.
  let isNew = true;
  for (const row of rows) {
    yield* turns();
    if ("errors" in row) {
      failed.push(row);
      continue;
    }
    try {
      // What can fail the row comes before everything that would have to be undone.
      yield* tags.check(row.tags);
      const inserted: StoredUser | null = isNew
        ? yield* insertedUnlessKnown(tenant, tx, record, row.user)
        : null;
      const known: StoredUser | null = inserted === null ? yield* findKnown(tenant, tx, row.user) : null;
      isNew = known === null;
      const user =
        known === null
          ? (inserted ?? (yield* insertUser(tenant, tx, record, row.user)))
          : yield* changeUser(tenant, tx, record, known, changeOf(row.user, mergeMetadata ? known : null));
      yield* tags.give(user, row.tags);
      if (known === null) created += 1;
      else updated += 1;
    } catch (error) {
      failed.push(failedRow(row.row, error));
    }
  }
  yield* tags.assign();
  return { created, updated, failed };
}

/** Adds the user of a row; `null`, with nothing added, when somebody has its email or external id. */
function* insertedUnlessKnown(
  tenant: Tenant,
  tx: StorageTransaction,
  record: Recorder,
  user: ValidRow["user"],
): Step<StoredUser | null> {
  try {
    return yield* insertUser(tenant, tx, record, user);
  } catch (error) {
    if (isLoyaltyError(error, "user_already_exists")) return null;
    throw error;
  }
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
