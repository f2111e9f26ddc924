import { isLoyaltyError } from "../errors.js";
import type { StorageAdapter, StorageReader } from "../storage/storage-adapter.js";
import type { ErrorListener } from "./event-emitter.js";
import type { Recording } from "./recording.js";

/** How long the pauses are between two looks at what became of a transaction, in milliseconds: each twice the one before. */
const FIRST_PAUSE = 1;
const LONGEST_PAUSE = 250;

/** After how long looking is not enough: events that are missing may have been rolled back. */
const UNKNOWN = 1_000;

/** For how long storage may be unavailable until it is given up, in milliseconds. */
const PATIENCE = 600_000;

/** Tells the events of changes in hosts' transactions once those are committed, in the order of the commits. */
export class JoinedChanges {
  /** By organization: those of one are told one after the other. */
  private readonly lines = new Map<string, Promise<void>>();
  private isWaitingForEnd = false;
  private isClosing = false;

  constructor(
    private readonly storage: StorageAdapter,
    private readonly onError: ErrorListener,
  ) {}

  /** Notes the events of a change whose transaction is the host's to end. */
  add(recording: Recording): void {
    if (recording.isAwaited) this.enqueue(recording, () => this.tellOnceCommitted(recording));
  }

  /** Tells the events of a change that is committed. When hosts' changes came before it, nobody waits for that. */
  async committed(recording: Recording): Promise<void> {
    if (this.lines.has(recording.organizationId)) this.enqueue(recording, () => recording.committed());
    else await recording.committed();
  }

  /** Resolves when it is known what became of each, or storage is unavailable. */
  async settled(): Promise<void> {
    this.isClosing = true;
    while (this.lines.size > 0) await Promise.all(this.lines.values());
  }

  private enqueue({ organizationId }: Recording, tell: () => Promise<void>): void {
    const before = this.lines.get(organizationId) ?? Promise.resolve();
    const line = before
      .then(tell)
      .catch(this.onError)
      .finally(() => {
        if (this.lines.get(organizationId) === line) this.lines.delete(organizationId);
      });
    this.lines.set(organizationId, line);
  }

  private async tellOnceCommitted(recording: Recording): Promise<void> {
    const since = performance.now();
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      const age = performance.now() - since;
      const isKept = await this.isKept(recording, age);
      if (isKept) await recording.committed();
      if (isKept !== null) return;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  /** Whether the change is committed; `null` while that is unknown. */
  private async isKept(recording: Recording, age: number): Promise<boolean | null> {
    try {
      const mayWait = age >= UNKNOWN && !this.isWaitingForEnd;
      return mayWait ? await this.isKeptAfterEnd(recording) : await recording.isKept(this.storage);
    } catch (error) {
      if (this.isClosing || age >= PATIENCE || !isLoyaltyError(error, "storage_unavailable")) throw error;
      return null;
    }
  }

  /**
   * A transaction of our own in the same organization has to wait until the host's has ended. One waits at a time: it may
   * hold a connection.
   */
  private async isKeptAfterEnd(recording: Recording): Promise<boolean> {
    const look = async (tx: StorageReader) => (await recording.isKept(tx)) ?? false;
    this.isWaitingForEnd = true;
    try {
      return await this.storage.transaction(look);
    } finally {
      this.isWaitingForEnd = false;
    }
  }
}
