import { CompiledQuery } from "kysely";
import type { Step } from "../../../src/concurrency/step.js";
import type { OpenTransaction } from "../../../src/storage/storage-adapter.js";
import { checkingResults } from "./checked-results.js";
import { GuardedSession } from "./guarded-session.js";
import { HostExecutor, type HostedDialect } from "./host-executor.js";
import type { ReadSession, Session } from "./session.js";

/** Transactions of hosts that the database has ended by itself, and why. */
const lost = new WeakMap<OpenTransaction, unknown>();

const begin = CompiledQuery.raw("savepoint loyalty_change");
const end = CompiledQuery.raw("release savepoint loyalty_change");
const undo = CompiledQuery.raw("rollback to savepoint loyalty_change");

/** The calls on the open transaction of a host, each as a step. */
export class HostedCalls {
  /** What statements run in; the host is what calls on one transaction find each other by. */
  readonly #open: OpenTransaction;

  constructor(
    private readonly host: OpenTransaction,
    private readonly dialect: HostedDialect,
  ) {
    this.#open = checkingResults(host);
  }

  *read<T>(work: (session: ReadSession) => Step<T>): Step<T> {
    yield* this.#assertNotLost();
    const session = this.#newSession();
    try {
      return yield* work(session);
    } finally {
      session.end();
    }
  }

  /** A change is a savepoint. */
  *change<T>(work: (session: Session) => Step<T>): Step<T> {
    yield* this.#assertNotLost();
    yield* this.dialect.beforeChange(this.#open);
    yield* this.#newSession().change(begin);
    const session = this.#newSession();
    try {
      const result = yield* work(session);
      session.assertSound();
      session.end();
      yield* this.#newSession().change(end);
      return result;
    } catch (error) {
      session.end();
      yield* this.#undo(error);
      throw error;
    }
  }

  /** A host may begin another transaction on the same connection. */
  *#assertNotLost(): Step<void> {
    if (!lost.has(this.host)) return;
    if (!(yield* this.dialect.isOpen(this.#open))) throw lost.get(this.host);
    lost.delete(this.host);
  }

  *#undo(reason: unknown): Step<void> {
    try {
      const session = this.#newSession();
      yield* session.change(undo);
      yield* session.change(end);
    } catch {
      // Not only the savepoint is gone. What came now would be outside of any transaction, and kept by itself.
      lost.set(this.host, reason);
    }
  }

  #newSession(): GuardedSession {
    const { dialect } = this;
    return new GuardedSession(new HostExecutor(this.#open, dialect), null, null, dialect.fence);
  }
}
