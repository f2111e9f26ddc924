import { CompiledQuery } from "kysely";
import type { Step } from "../../../src/concurrency/step.js";
import type { OpenTransaction } from "../../../src/storage/storage-adapter.js";
import { checkingResults } from "./checked-results.js";
import { GuardedSession } from "./guarded-session.js";
import { HostExecutor, type HostedDialect } from "./host-executor.js";
import { noTransaction } from "./no-transaction.js";
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
    yield* this.#assertOpen();
    yield* this.dialect.beforeRead(this.#open);
    const session = this.#newSession();
    try {
      return yield* work(session);
    } finally {
      session.end();
    }
  }

  /** A change is a savepoint. */
  *change<T>(work: (session: Session) => Step<T>): Step<T> {
    yield* this.#assertOpen();
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

  *#assertOpen(): Step<void> {
    if (lost.has(this.host)) {
      if (!(yield* this.dialect.isOpen(this.#open))) throw lost.get(this.host);
      // The host has begun another one on the same connection.
      lost.delete(this.host);
    }
    if (this.host.isOpen?.() === false) throw noTransaction();
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
