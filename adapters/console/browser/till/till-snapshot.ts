import type { QueuedCard } from "./queued-card.js";

/** The state that a till needs when its page is opened again. */
export interface TillSnapshot {
  /** The unfinished cards, first one first. */
  readonly turns: readonly QueuedCard[];
  /** The cards that were stamped last, by each of their names, and when. */
  readonly stamped: readonly (readonly [name: string, at: number])[];
}

/** The state that a page of the till stores. */
export interface PageSnapshot extends TillSnapshot {
  readonly id: number;
  readonly organizationId: string;
}

/** Stores the snapshots of all pages on a device. */
export interface SnapshotStore {
  all(): Promise<readonly PageSnapshot[]>;
  put(page: PageSnapshot): Promise<void>;
}

/** Keeps the turns of this page in the place of one that was closed, or in one of its own. */
export class SnapshotKeeper {
  private latest: TillSnapshot | null = null;
  private writing: Promise<void> | null = null;
  private id: number | null = null;

  /**
   * @param take reserves a slot for this page until it is closed. It resolves to `false` if another page has it.
   * @param newId names a slot that no page has had.
   */
  constructor(
    private readonly pages: SnapshotStore,
    private readonly organizationId: string,
    private readonly take: (id: number) => Promise<boolean>,
    private readonly newId: () => number,
  ) {}

  /** Resolves to what a closed page left behind; to no turns when none did. Nothing is written before it. */
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

  /** Keeps these in place of those before. What changes while they are written is written after that. */
  keep(turns: TillSnapshot): void {
    this.latest = turns;
    // A browser that keeps nothing is no reason to stop: the till works, and forgets what waits when it is closed.
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
