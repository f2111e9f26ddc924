import type { QueuedCard } from "./queued-card.js";

/** The state that a till restores when its page is reopened. */
export interface TillSnapshot {
  /** The unfinished cards, oldest first. */
  readonly turns: readonly QueuedCard[];
  /** Names of the most recently stamped cards, each with the time of its stamp in milliseconds since the Unix epoch. */
  readonly stamped: readonly (readonly [name: string, at: number])[];
}

/** The stored state of one till page. */
export interface PageSnapshot extends TillSnapshot {
  readonly id: number;
  readonly organizationId: string;
}

/** Stores the snapshots of all till pages on this device. */
export interface SnapshotStore {
  all(): Promise<readonly PageSnapshot[]>;
  put(page: PageSnapshot): Promise<void>;
}

/**
 * Stores this page's unfinished cards in a slot. Takes over the slot of a page that has been closed or, if there is none, creates
 * one.
 */
export class SnapshotKeeper {
  private latest: TillSnapshot | null = null;
  private writing: Promise<void> | null = null;
  private id: number | null = null;

  /**
   * @param take reserves the slot with this ID until this page is closed. Resolves to `false` if another page holds the slot.
   * @param newId returns an ID that no slot has used yet.
   */
  constructor(
    private readonly pages: SnapshotStore,
    private readonly organizationId: string,
    private readonly take: (id: number) => Promise<boolean>,
    private readonly newId: () => number,
  ) {}

  /**
   * Reserves a slot. Snapshots aren't written until a slot is reserved.
   * @returns the snapshot of a page that has been closed, or an empty one if there is none.
   */
  async open(): Promise<TillSnapshot> {
    const left = (await this.pages.all()).filter(
      ({ organizationId }) => organizationId === this.organizationId,
    );
    for (const page of left) {
      if (!(await this.take(page.id))) continue;
      this.id = page.id;
      return page;
    }
    const own = this.newId();
    await this.take(own);
    this.id = own;
    return { turns: [], stamped: [] };
  }

  /** Replaces the stored snapshot. If a write is in progress, the newest snapshot is written when that write has finished. */
  keep(turns: TillSnapshot): void {
    this.latest = turns;
    // Ignore write errors, because the till works without storage. It then loses the waiting cards when the page is closed.
    this.writing ??= this.write()
      .catch(() => {})
      .finally(() => {
        this.writing = null;
      });
  }

  private async write(): Promise<void> {
    const { id, organizationId } = this;
    while (id !== null && this.latest !== null) {
      const { turns, stamped } = this.latest;
      this.latest = null;
      await this.pages.put({ id, organizationId, turns, stamped });
    }
  }
}
