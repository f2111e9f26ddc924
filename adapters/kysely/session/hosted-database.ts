import { CompiledQuery } from "kysely";
import { run, type Step, wait } from "../../../src/concurrency/step.js";
import type { LentTransaction, OpenTransaction } from "../../../src/storage/storage-adapter.js";
import type { Gate } from "./gate.js";
import { type HostedDialect, HostedSession } from "./hosted-session.js";
import type { ReadSession, Session, SqlDatabase } from "./session.js";

/** The last call on each host's transaction, which the next one begins after. None rejects. */
const calls = new WeakMap<OpenTransaction, Promise<void>>();

/** Transactions of hosts that the database has ended by itself, and why. */
const lost = new WeakMap<OpenTransaction, unknown>();

/** Resolves when the calls that were begun on a host's transaction have ended. */
export async function callsOn(host: OpenTransaction): Promise<void> {
  await calls.get(host);
}

const begin = CompiledQuery.raw("savepoint loyalty_change");
const end = CompiledQuery.raw("release savepoint loyalty_change");
const undo = CompiledQuery.raw("rollback to savepoint loyalty_change");

/**
 * A database as the open transaction of a host sees it: a change is a savepoint in it. Calls run one after the other, so
 * none reads what another one has half done.
 */
export class HostedDatabase implements SqlDatabase {
  readonly session: ReadSession = {
    mark: null,
    all: (query) => this.#query(query),
  };

  /** @param gate is that of the database which the host's transaction is on. */
  constructor(
    private readonly host: OpenTransaction,
    private readonly dialect: HostedDialect,
    private readonly gate: Gate,
  ) {}

  /** No state of its own: what the host's transaction sees. */
  snapshot<T>(work: (session: ReadSession) => Step<T>): Promise<T> {
    return this.#inTurn(async () => {
      const session = this.#newSession();
      try {
        return await run(work(session));
      } finally {
        session.end();
      }
    });
  }

  /** What the host has changed is not committed, so nothing may be remembered by it. */
  committedState(): null {
    return null;
  }

  /** The transaction is open, and the files are the host's affair. */
  async purge(): Promise<void> {}

  transaction<T>(work: (session: Session) => Step<T>): Promise<T> {
    return this.#inTurn(() => this.#change(work));
  }

  joining(host: OpenTransaction): SqlDatabase {
    return new HostedDatabase(host, this.dialect, this.gate);
  }

  lend<T>(_work: (tx: LentTransaction) => Promise<T>): Promise<T> {
    throw new TypeError("a joined transaction has none to lend");
  }

  async close(): Promise<void> {}

  *#query<Row>(query: CompiledQuery<Row>): Step<Row[]> {
    return yield* wait(this.snapshot((session) => session.all(query)));
  }

  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const before = calls.get(this.host) ?? Promise.resolve();
    const call = this.gate.pass(async () => {
      await before;
      await this.#assertNotLost();
      return task();
    });
    calls.set(this.host, call.then(ignore, ignore));
    return call;
  }

  /** A host may begin another transaction on the same connection. */
  async #assertNotLost(): Promise<void> {
    if (!lost.has(this.host)) return;
    if (!(await this.dialect.isOpen(this.host))) throw lost.get(this.host);
    lost.delete(this.host);
  }

  async #change<T>(work: (session: Session) => Step<T>): Promise<T> {
    await this.dialect.beforeChange(this.host);
    await run(this.#newSession().change(begin));
    const session = this.#newSession();
    try {
      const result = await run(work(session));
      session.assertSound();
      session.end();
      await run(this.#newSession().change(end));
      return result;
    } catch (error) {
      session.end();
      await this.#undo(error);
      throw error;
    }
  }

  async #undo(reason: unknown): Promise<void> {
    try {
      const session = this.#newSession();
      await run(session.change(undo));
      await run(session.change(end));
    } catch {
      // Not only the savepoint is gone. What came now would be outside of any transaction, and kept by itself.
      lost.set(this.host, reason);
    }
  }

  #newSession(): HostedSession {
    return new HostedSession(this.host, this.dialect);
  }
}

function ignore(): void {}
