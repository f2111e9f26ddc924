import type { BatchResult } from "./batch.js";
import type { FailedRow } from "./row.js";

/** How far an import is: `rows` = `created` + `updated` + `unchanged` + `failed`. */
export interface ImportProgress {
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
}

/** What became of the rows; none is missing. */
export interface ImportResult {
  readonly created: number;
  /** Rows that met an existing user, who has got something of it. */
  readonly updated: number;
  /** Rows that met an existing user, who had all of it already. */
  readonly unchanged: number;
  readonly failed: readonly FailedRow[];
}

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

  /** What the rows came to with some more. */
  with(done: BatchResult): ImportResult {
    const { created, updated, unchanged, failed } = this;
    return {
      created: created + done.created,
      updated: updated + done.updated,
      unchanged: unchanged + done.unchanged,
      failed: [...failed, ...done.failed],
    };
  }

  get result(): ImportResult {
    const { created, updated, unchanged, failed } = this;
    return { created, updated, unchanged, failed };
  }
}
