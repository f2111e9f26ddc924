import type { Session } from "../kysely/session.js";
import type { Connection } from "./connection.js";
import { TransactionSession } from "./transaction-session.js";

/** A transaction that waits for its turn and then for the commit: until that, its caller hears nothing. */
export interface QueuedTransaction {
  /** When its caller began to wait, as `performance.now()` has it. */
  readonly asked: number;
  /** True once it may share a commit with no other, because a shared one failed. */
  isAlone: boolean;
  /**
   * Does its work inside the transaction, or savepoint, that the connection is in.
   * @returns whether it succeeded: what it did is to be kept. Never rejects.
   */
  run(connection: Connection): Promise<boolean>;
  /** Makes it fail, whatever its work came to. */
  fail(reason: unknown): void;
  /** Tells its caller what its work came to. */
  answer(): void;
}

/** What becomes of a transaction's promise. */
export interface Caller<T> {
  resolve(result: T): void;
  reject(reason: unknown): void;
}

export class PendingTransaction<T> implements QueuedTransaction {
  readonly asked = performance.now();
  isAlone = false;
  #tell: () => void = () => undefined;

  constructor(
    private readonly work: (session: Session) => Promise<T>,
    private readonly caller: Caller<T>,
  ) {}

  async run(connection: Connection): Promise<boolean> {
    const session = new TransactionSession(connection, null);
    try {
      const result = await this.work(session);
      session.assertSound();
      this.#tell = () => this.caller.resolve(result);
      return true;
    } catch (reason) {
      this.fail(reason);
      return false;
    } finally {
      session.end();
    }
  }

  fail(reason: unknown): void {
    this.#tell = () => this.caller.reject(reason);
  }

  answer(): void {
    this.#tell();
  }
}
