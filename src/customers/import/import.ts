import type * as z from "zod";
import { asImportActor } from "../../access/actor-schema.js";
import { isYieldDue, waitForIterationEnd } from "../../base/concurrency/event-loop.js";
import type { Step } from "../../base/concurrency/step.js";
import type { Change, ChangeWork, Tenant } from "../../kernel/tenant.js";
import { summaryOf } from "../import-schema.js";
import { type ImportUser, importRowSchema } from "../schema.js";
import { type BatchResult, type ExtendRows, importBatch } from "./batch.js";
import { CountingRecorder, type ImportProgress, type ImportResult, ImportTotal } from "./import-total.js";
import { type CheckedRow, parseRow } from "./row.js";
import { Trial } from "./trial.js";

const IMPORT_BATCH_SIZE = 500;

export type ImportRows = Iterable<ImportUser> | AsyncIterable<ImportUser>;

export interface ImportOptions {
  /**
   * Whether to create missing tags. A created tag gets the name from the first row that uses it. If `false`, rows with a missing
   * tag fail. Default: `false`.
   */
  readonly createTags?: boolean;
  /**
   * Whether to keep metadata keys that an existing user has but the row doesn't. If `false`, the row's metadata replaces all of the
   * user's metadata. Default: `false`.
   */
  readonly mergeMetadata?: boolean;
  /**
   * Whether to do a dry run, which writes nothing and only returns the result that the import would have. The dry run uses the same
   * short transactions as an import, rolls each one back, and keeps the changed users in memory.
   */
  readonly dryRun?: boolean;
  /** Whether events from the import trigger automations. Default: `false`. */
  readonly startsAutomations?: boolean;
  /** Called after each transaction with the counts so far. If it throws, the import stops. */
  readonly onProgress?: (progress: ImportProgress) => void;
}

/**
 * Which events an import emits. `all` emits one event per change, `summary` emits a single `import.completed` at the end, and
 * `none` emits no events.
 */
export type EmittedEvents = "all" | "summary" | "none";

/** A kind of import. It determines what rows can contain beyond users and tags, and which events the import emits. */
export interface ImportKind {
  readonly extendRows?: ExtendRows;
  readonly emit?: EmittedEvents;
  /** The schema for all fields that a row can have. Strict mode uses it to reject unknown keys. */
  readonly schema?: z.ZodType;
}

/** Imports users, with their tags and consents, and any other data that `kind` adds. The caller must have checked permissions. */
export async function importUsers(
  tenant: Tenant,
  rows: ImportRows,
  options: ImportOptions,
  kind: ImportKind = {},
): Promise<ImportResult> {
  const batches = readBatches(rows, tenant.isStrict ? (kind.schema ?? importRowSchema) : null);
  if (options.dryRun) return dryRun(tenant, batches, options, kind);
  const total = new ImportTotal(options.onProgress);
  // The caller is the actor of the changes and their events. The import actor only lets automations recognize the events as
  // imported.
  const importTenant =
    options.startsAutomations === true ? tenant : tenant.actingAs(asImportActor(tenant.actor));
  const write = async (batch: readonly CheckedRow[], shouldEmitSummary: boolean) => {
    const work: ChangeWork<BatchResult> = function* (change) {
      const { record } = change;
      const result = yield* importOneBatch(change, batch, options, kind);
      if (shouldEmitSummary) record("import.completed", summaryOf(total.preview(result)));
      return result;
    };
    total.add(await importTenant.change(["users.import"], work));
  };
  if (kind.emit === "summary") {
    for await (const { batch, isLast } of markLastBatch(batches)) await write(batch, isLast);
  } else {
    for await (const batch of batches) await write(batch, false);
  }
  return total.result;
}

/**
 * Yields each batch with whether it is the last. If there are none, yields one empty batch as the last. If the source throws, no
 * batch is marked as the last.
 */
async function* markLastBatch<Row>(
  batches: AsyncIterable<readonly Row[]>,
): AsyncGenerator<{ readonly batch: readonly Row[]; readonly isLast: boolean }, void, undefined> {
  let pending: readonly Row[] | null = null;
  try {
    for await (const batch of batches) {
      if (pending !== null) yield { batch: pending, isLast: false };
      pending = batch;
    }
  } catch (error) {
    if (pending !== null) yield { batch: pending, isLast: false };
    throw error;
  }
  yield { batch: pending ?? [], isLast: true };
}

/** Imports each batch in a transaction that is rolled back. Each batch sees the writes of the batches before it. */
async function dryRun(
  tenant: Tenant,
  batches: AsyncIterable<readonly CheckedRow[]>,
  options: ImportOptions,
  kind: ImportKind,
): Promise<ImportResult> {
  const total = new ImportTotal(options.onProgress);
  const trial = new Trial();
  for await (const batch of batches) {
    const work: ChangeWork<never> = function* (change) {
      const { tx } = change;
      const silentKind = { ...kind, emit: "none" as const };
      throw new RollbackResult(
        yield* importOneBatch({ ...change, tx: trial.wrap(tx) }, batch, options, silentKind),
      );
    };
    total.add(await tenant.change(["users.import"], work).catch(unwrapRollback));
    trial.commit();
  }
  return total.result;
}

/** Rolls back a transaction by throwing, and carries its result to the caller. */
class RollbackResult extends Error {
  constructor(readonly result: BatchResult) {
    super("a dry run is undone");
  }
}

function unwrapRollback(error: unknown): BatchResult {
  if (error instanceof RollbackResult) return error.result;
  throw error;
}

function* importOneBatch(
  change: Change,
  batch: readonly CheckedRow[],
  { createTags = false, mergeMetadata = false }: ImportOptions,
  { extendRows, emit = "all" }: ImportKind,
): Step<BatchResult> {
  const { tenant, tx, record: recorder } = change;
  const counter = new CountingRecorder();
  const record = emit === "all" ? recorder : counter.record;
  const options = { createTags, mergeMetadata };
  const result = yield* importBatch({ ...change, record }, batch, options, extendRows?.(tx, record));
  yield* counter.write(tx, tenant);
  return result;
}

/** Yields the rows in batches, checked and numbered. If `rows` throws, yields the rows read until then before rethrowing. */
async function* readBatches(
  rows: ImportRows,
  schema: z.ZodType | null,
): AsyncGenerator<CheckedRow[], void, undefined> {
  let rowNumber = 0;
  let batch: CheckedRow[] = [];
  try {
    for await (const row of rows) {
      rowNumber += 1;
      batch.push(parseRow(rowNumber, row, schema));
      while (isYieldDue()) await waitForIterationEnd();
      if (batch.length < IMPORT_BATCH_SIZE) continue;
      yield batch;
      batch = [];
    }
  } catch (error) {
    if (batch.length > 0) yield batch;
    throw error;
  }
  if (batch.length > 0) yield batch;
}
