import type { Step } from "../../../src/concurrency/step.js";
import type { Executor } from "../../kysely/session/executor.js";
import { GuardedSession } from "../../kysely/session/guarded-session.js";
import type { Session, SharedCommit } from "../../kysely/session/session.js";

/** A transaction that waits for its turn and then for the commit: until that, its caller hears nothing. */
export interface QueuedTransaction {
  /** When its caller began to wait, as `performance.now()` has it. */
  readonly asked: number;
  /** Organizations take turns; empty where it is of none in particular. */
  readonly organizationId: string;
  /** True when it may share a commit with no other: it is large, or a shared one failed. */
  isAlone: boolean;
  /** True when it is to run in a thread. */
  isLarge: boolean;
  /**
   * Does its work inside the transaction that the executor is in.
   * @param commit the one that it shares, where it does.
   * @returns whether it succeeded: what it did is to be kept. Never throws.
   */
  run(executor: Executor, commit?: SharedCommit): Step<boolean>;
  /** Makes it fail, whatever its work came to. */
  fail(reason: unknown): void;
  /** Tells its caller what its work came to. */
  answer(): void;
}

export interface Caller<T> {
  resolve(result: T): void;
  reject(reason: unknown): void;
}

export class PendingTransaction<T> implements QueuedTransaction {
  readonly asked = performance.now();
  isAlone: boolean;
  #tell: () => void = () => undefined;

  constructor(
    private readonly work: (session: Session) => Step<T>,
    private readonly caller: Caller<T>,
    public isLarge: boolean,
    readonly organizationId: string,
  ) {
    this.isAlone = isLarge;
  }

  *run(executor: Executor, commit?: SharedCommit): Step<boolean> {
    const session = new GuardedSession(executor, null, commit);
    try {
      const result = yield* this.work(session);
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
