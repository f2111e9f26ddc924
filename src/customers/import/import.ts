import type { z } from "zod";
import { isTurnDue, turn } from "../../concurrency/pace.js";
import { type ImportUser, importRowSchema } from "../../resources/user.js";
import type { Tenant } from "../../tenant/tenant.js";
import { importBatch } from "./batch.js";
import type { Companions } from "./companion.js";
import { type CheckedRow, checkedRow, type FailedRow } from "./row.js";
import { SilentRecording } from "./silent-recording.js";

/** How many rows are written in one transaction. */
const IMPORT_BATCH = 500;

export type ImportRows = Iterable<ImportUser> | AsyncIterable<ImportUser>;

export interface ImportOptions {
  /** Whether tags that do not exist are made, each with the text that names it first. Else they fail the row. */
  readonly createTags?: boolean;
  /** Whether a known user keeps the keys of metadata that a row does not have. Else a row's metadata replaces all. */
  readonly mergeMetadata?: boolean;
  /** Told after each transaction how far the import is. What it throws ends the import. */
  readonly onProgress?: (progress: ImportProgress) => void;
}

/** How far an import is: `rows` = `created` + `updated` + `failed`. */
export interface ImportProgress {
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  readonly failed: number;
}

/** What became of the rows; none is missing. */
export interface ImportResult {
  readonly created: number;
  /** Rows that met an existing user, also one that had all of it already. */
  readonly updated: number;
  readonly failed: readonly FailedRow[];
}

/** What rows have besides users and tags, and who hears of it. */
export interface RowKind {
  readonly companions?: Companions;
  readonly tells?: boolean;
  /** Of all that a row has. */
  readonly schema?: z.ZodType;
}

/** Imports users for a caller who may. */
export async function importUsers(
  tenant: Tenant,
  rows: ImportRows,
  { createTags = false, mergeMetadata = false, onProgress }: ImportOptions,
  { companions, tells = true, schema = importRowSchema }: RowKind = {},
): Promise<ImportResult> {
  const failed: FailedRow[] = [];
  let created = 0;
  let updated = 0;
  for await (const batch of batchesOf(rows, tenant.isStrict ? schema : null)) {
    const done = await tenant.change(["users.import"], function* (tx, told) {
      const silent = new SilentRecording();
      const record = tells ? told : silent.record;
      const options = { createTags, mergeMetadata };
      const result = yield* importBatch(tenant, tx, record, batch, options, companions?.(tx, record));
      yield* silent.count(tx, tenant.organizationId, tenant.now());
      return result;
    });
    created += done.created;
    updated += done.updated;
    failed.push(...done.failed);
    onProgress?.({ rows: created + updated + failed.length, created, updated, failed: failed.length });
  }
  return { created, updated, failed };
}

/** The rows, checked and numbered. Those that were read before `rows` throws come before what it throws. */
async function* batchesOf(
  rows: ImportRows,
  schema: z.ZodType | null,
): AsyncGenerator<CheckedRow[], void, undefined> {
  let number = 0;
  let batch: CheckedRow[] = [];
  try {
    for await (const row of rows) {
      number += 1;
      batch.push(checkedRow(number, row, schema));
      while (isTurnDue()) await turn();
      if (batch.length < IMPORT_BATCH) continue;
      yield batch;
      batch = [];
    }
  } catch (error) {
    if (batch.length > 0) yield batch;
    throw error;
  }
  if (batch.length > 0) yield batch;
}
