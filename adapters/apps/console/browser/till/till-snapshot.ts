import type { QueuedCard } from "./queued-card.js";

/** The state that a till restores when its page is reopened. */
export interface TillSnapshot {
  /** The unfinished cards, oldest first. */
  readonly turns: readonly QueuedCard[];
  /** Pass IDs and codes of recently stamped cards, each with the card's last stamp time in milliseconds since the Unix epoch. */
  readonly stamped: readonly (readonly [name: string, at: number])[];
}

/** A snapshot stored by one till page. `id` identifies the page's record in the store. */
export interface PageSnapshot extends TillSnapshot {
  readonly id: number;
  readonly organizationId: string;
}

/** Stores the snapshots of all till pages that have been opened on this device. */
export interface SnapshotStore {
  list(): Promise<readonly PageSnapshot[]>;
  put(page: PageSnapshot): Promise<void>;
}

/**
 * Stores this page's unfinished cards on the device, in a record that no other open page uses. Takes over a closed page's record,
 * or creates a new one if there is none.
 */
export class SnapshotKeeper {
  private latest: TillSnapshot | null = null;
  private writing: Promise<void> | null = null;
  private id: number | null = null;

  /**
   * @param reserve a function that reserves the record with the given ID until this page is closed, or resolves to `false` if another
   *   page has reserved the record.
   * @param createId a function that returns an ID that no record has used yet.
   */
  constructor(
    private readonly pages: SnapshotStore,
    private readonly organizationId: string,
    private readonly reserve: (id: number) => Promise<boolean>,
    private readonly createId: () => number,
  ) {}

  /**
   * Reserves a record for this page. Snapshots aren't written until this method resolves.
   * @returns the snapshot left by a closed page, or an empty snapshot if there is none.
   */
  async open(): Promise<TillSnapshot> {
    const candidates = (await this.pages.list()).filter(
      ({ organizationId }) => organizationId === this.organizationId,
    );
    for (const page of candidates) {
      if (!(await this.reserve(page.id))) continue;
      this.id = page.id;
      return page;
    }
    const ownId = this.createId();
    await this.reserve(ownId);
    this.id = ownId;
    return { turns: [], stamped: [] };
  }

  /** Replaces the stored snapshot. If a write is in progress, the newest snapshot is written after it. */
  save(snapshot: TillSnapshot): void {
    this.latest = snapshot;
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
