import type { Step } from "../../base/concurrency/step.js";
import type { EventType } from "../../base/event-types.js";
import { listNamedIds } from "../../base/values/ids-in-text.js";
import { type RecordEvent, recordSilentChange } from "../../kernel/events/recording.js";
import type { Tenant } from "../../kernel/tenant.js";
import { addPartialCounts, type MomentCounts } from "../../storage/day-counts.js";
import type { StorageTransaction } from "../../storage/storage-adapter.js";
import type { EventData } from "../../webhooks/event-schema.js";
import type { BatchResult } from "./batch.js";
import type { FailedRow } from "./row.js";

/** Counts of the rows processed so far. `rows` is the sum of `created`, `updated`, `unchanged`, and `failed`. */
export interface ImportProgress {
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
}

/** How many rows an import created, updated, or left unchanged, and why the others failed. */
export interface ImportResult {
  /** Number of rows that created a user. */
  readonly created: number;
  /** Number of rows that matched an existing user and changed something. */
  readonly updated: number;
  /** Number of rows that changed nothing, because the existing user already had all of the row's data. */
  readonly unchanged: number;
  /** The rows that failed, each with its errors. */
  readonly failed: readonly FailedRow[];
  /** Number of consents skipped because the customer has unsubscribed since giving them. Absent if 0. */
  readonly consentsSkipped?: number;
}

export class ImportTotal {
  private created = 0;
  private updated = 0;
  private unchanged = 0;
  private consentsSkipped = 0;
  private readonly failed: FailedRow[] = [];

  constructor(private readonly onProgress: ((progress: ImportProgress) => void) | undefined) {}

  /** Adds a batch's counts and reports the progress to the caller. */
  add(batch: BatchResult): void {
    this.created += batch.created;
    this.updated += batch.updated;
    this.unchanged += batch.unchanged;
    this.consentsSkipped += batch.consentsSkipped;
    this.failed.push(...batch.failed);
    const { created, updated, unchanged } = this;
    const failed = this.failed.length;
    this.onProgress?.({ rows: created + updated + unchanged + failed, created, updated, unchanged, failed });
  }

  /** Returns what the totals would be after one more batch, without changing the current totals. */
  preview(batch: BatchResult): ImportResult {
    const { created, updated, unchanged, failed } = this;
    return {
      created: created + batch.created,
      updated: updated + batch.updated,
      unchanged: unchanged + batch.unchanged,
      failed: [...failed, ...batch.failed],
    };
  }

  get result(): ImportResult {
    const { created, updated, unchanged, failed, consentsSkipped } = this;
    return { created, updated, unchanged, failed, ...(consentsSkipped > 0 && { consentsSkipped }) };
  }
}

/** Collects the counts that recorded events would add to the statistics, without emitting the events. */
export class CountingRecorder {
  private counts: Partial<MomentCounts> | null = null;
  private readonly affectedIds = new Set<string>();

  readonly record: RecordEvent = (
    _type: EventType,
    data: EventData[EventType],
    counts?: Partial<MomentCounts>,
  ): void => {
    for (const id of listNamedIds(JSON.stringify(data))) this.affectedIds.add(id);
    if (counts !== undefined) this.counts = addPartialCounts(this.counts ?? {}, counts);
  };

  /**
   * Adds the collected counts to the current day's statistics, and records that the affected users and passes changed without an
   * event.
   */
  *write(tx: StorageTransaction, { engine }: Tenant): Step<void> {
    const { counts, affectedIds: ids } = this;
    if (counts !== null) yield* tx.addCounts(engine.clock(), counts, false);
    yield* recordSilentChange(tx, [...ids]);
  }
}
