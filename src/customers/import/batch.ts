import { z } from "zod";
import { turns } from "../../concurrency/pace.js";
import { type Step, wait } from "../../concurrency/step.js";
import type { Recorder } from "../../events/recording.js";
import { type Metadata, metadataSchema } from "../../resources/fields/metadata.js";
import { parse } from "../../resources/parse.js";
import type { StorageTransaction } from "../../storage/storage-adapter.js";
import type { StoredUser } from "../../storage/users.js";
import type { Tenant } from "../../tenant/tenant.js";
import { findKnownUser } from "../known-user.js";
import { changeUser, insertUser, insertUsers } from "../user-changes.js";
import type { RowCompanion } from "./companion.js";
import { type CheckedRow, type FailedRow, failedRow, type ValidRow } from "./row.js";
import { ImportTags } from "./tags.js";

export interface BatchResult {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: readonly FailedRow[];
}

/** How many users are added at most in one step, between two turns of the event loop. */
const MOST_OF_STEP = 256;

/** Of rows that have nothing but users and tags. */
const noCompanion: RowCompanion = {
  check: () => wait({ createdAt: null }),
  give: () => wait(false),
};

/** Imports rows in a running transaction, one after the other; new users that follow each other at once. */
export function* importBatch(
  tenant: Tenant,
  tx: StorageTransaction,
  record: Recorder,
  rows: readonly CheckedRow[],
  { createTags, mergeMetadata }: { readonly createTags: boolean; readonly mergeMetadata: boolean },
  companion: RowCompanion = noCompanion,
): Step<BatchResult> {
  const tags = new ImportTags(tenant, tx, record, createTags);
  const failed: FailedRow[] = [];
  /** Rows of known users who have all but perhaps the tags. */
  const alike: number[] = [];
  let created = 0;
  let updated = 0;
  // A row is mostly as the one before: after new users more and more are added without a look, after a known one none.
  // With companions each row is looked at by itself.
  const most = companion === noCompanion ? MOST_OF_STEP : 0;
  let step = most;
  for (let at = 0; at < rows.length; ) {
    yield* turns();
    const added = yield* addUsers(tenant, tx, record, tags, rows.slice(at, at + step));
    created += added;
    at += added;
    const row = rows[at];
    if (row === undefined) break;
    at += 1;
    if ("errors" in row) {
      failed.push(row);
      continue;
    }
    try {
      // What can fail the row comes before everything that would have to be undone.
      yield* tags.check(row.tags);
      const { createdAt } = yield* companion.check(row);
      const known = yield* findKnownUser(tx, tenant.organizationId, row.user);
      step = known === null ? Math.min(2 * step + 1, most) : 0;
      const user =
        known === null
          ? yield* insertUser(tenant, tx, record, row.user, createdAt)
          : yield* changeUser(tenant, tx, record, known, changeOf(row.user, mergeMetadata ? known : null));
      yield* tags.give(user, row);
      const isGiven = yield* companion.give(user);
      if (known === null) created += 1;
      else if (isGiven || user !== known) updated += 1;
      else alike.push(row.row);
    } catch (error) {
      failed.push(failedRow(row.row, error));
    }
  }
  const tagged = yield* tags.assign();
  const unchanged = alike.filter((row) => !tagged.has(row)).length;
  return { created, updated: updated + alike.length - unchanged, unchanged, failed };
}

/**
 * Adds the users of rows, up to one that is wrong, is known or names a tag that does not exist.
 * @returns how many were added: the first ones.
 */
function* addUsers(
  tenant: Tenant,
  tx: StorageTransaction,
  record: Recorder,
  tags: ImportTags,
  rows: readonly CheckedRow[],
): Step<number> {
  const some = yield* tags.whereKnown(rows);
  if (some.length === 0) return 0;
  const inputs = some.map(({ user }) => user);
  const users = yield* insertUsers(tenant, tx, record, inputs);
  for (const [at, row] of some.slice(0, users.length).entries()) {
    const user = users[at];
    if (user !== undefined) yield* tags.give(user, row);
  }
  return users.length;
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
