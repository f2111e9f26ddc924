import type { BatchResult } from "./batch.js";
import type { ImportProgress, ImportResult } from "./import.js";
import type { FailedRow } from "./row.js";

/** What became of the rows so far. */
export class ImportTotal {
  private created = 0;
  private updated = 0;
  private unchanged = 0;
  private readonly failed: FailedRow[] = [];

  constructor(private readonly onProgress: ((progress: ImportProgress) => void) | undefined) {}

  /** Tells of it, too. */
  add(done: BatchResult): void {
    this.created += done.created;
    this.updated += done.updated;
    this.unchanged += done.unchanged;
    this.failed.push(...done.failed);
    const { created, updated, unchanged } = this;
    const failed = this.failed.length;
    this.onProgress?.({ rows: created + updated + unchanged + failed, created, updated, unchanged, failed });
  }

  get result(): ImportResult {
    const { created, updated, unchanged, failed } = this;
    return { created, updated, unchanged, failed };
  }
}
