import { setTimeout as sleep } from "node:timers/promises";
import type { CompiledQuery, Transaction } from "kysely";
import type pg from "pg";
import { run, type Step, wait } from "../../src/concurrency/step.js";
import { Gate } from "../kysely/session/gate.js";
import { HostedDatabase } from "../kysely/session/hosted-database.js";
import type { ReadSession, Session, SqlDatabase } from "../kysely/session/session.js";
import { ClientSession } from "./client-session.js";
import { translated } from "./errors.js";
import { hosted } from "./hosted.js";
import { ask } from "./query.js";

/** How often a transaction runs that others keep from being committed. */
const MOST_RUNS = 10;

/** How long it waits at most before its second run, in milliseconds; before each later one twice as long. */
const FIRST_WAIT = 10;

/**
 * For this transaction alone. Every query here has an index, and what it costs to look into an array or a long text is
 * more than the planner thinks.
 */
const settings = "set local enable_seqscan = off; set local jit = off";

const SNAPSHOT = `begin isolation level repeatable read, read only; ${settings}`;
// Not "read write": a server that only reads would refuse that with another error than it refuses a write.
const CHANGE = `begin isolation level read committed; ${settings}`;

type Outcome<T> =
  | { readonly kind: "done"; readonly result: T }
  | { readonly kind: "failed"; readonly reason: unknown; readonly hasLostRace: boolean };

/** A database on a Postgres server, through a pool of connections. */
export class PostgresDatabase implements SqlDatabase {
  readonly #gate = new Gate();
  #closing: Promise<void> | null = null;

  readonly session: ReadSession = {
    mark: null,
    all: (query) => this.#query(query),
  };

  /** @param release is called once, when the last query is done. */
  constructor(
    private readonly pool: pg.Pool,
    private readonly release: () => Promise<void>,
  ) {}

  /** Telling takes a round trip, as reading anew does. */
  committedState(): null {
    return null;
  }

  snapshot<T>(work: (session: ReadSession) => Step<T>): Promise<T> {
    return this.#gate.pass(async () => resultOf(await this.#attempt(SNAPSHOT, work)));
  }

  /**
   * @throws what `work` throws; `storage_unavailable` when the server can't be reached or is busy, or others kept the
   *   transaction from being committed ten times. When the connection was lost at the very commit, it may be committed
   *   all the same.
   */
  transaction<T>(work: (session: Session) => Step<T>): Promise<T> {
    return this.#gate.pass(async () => {
      for (let runs = 1; ; runs += 1) {
        const outcome = await this.#attempt(CHANGE, work);
        const mayRunAgain = outcome.kind === "failed" && outcome.hasLostRace && runs < MOST_RUNS;
        if (!mayRunAgain) return resultOf(outcome);
        await sleep(Math.random() * FIRST_WAIT * 2 ** (runs - 1));
      }
    });
  }

  joining(host: Transaction<unknown>): SqlDatabase {
    return new HostedDatabase(host, hosted, this.#gate);
  }

  close(): Promise<void> {
    this.#closing ??= this.#gate.close().then(this.release);
    return this.#closing;
  }

  *#query<Row>(query: CompiledQuery<Row>): Step<Row[]> {
    const { rows } = yield* wait(this.#gate.pass(() => told(ask(this.pool, query))));
    return rows;
  }

  async #attempt<T>(begin: string, work: (session: Session) => Step<T>): Promise<Outcome<T>> {
    const session = await ClientSession.on(this.pool);
    let isUsable = true;
    try {
      await session.control(begin);
      const result = await run(work(session));
      session.assertSound();
      session.end();
      await session.control("commit");
      return { kind: "done", result };
    } catch (reason) {
      session.end();
      isUsable = await isRolledBack(session);
      return { kind: "failed", reason, hasLostRace: session.hasLostRace };
    } finally {
      session.release(isUsable);
    }
  }
}

async function isRolledBack(session: ClientSession): Promise<boolean> {
  try {
    await session.control("rollback");
    return true;
  } catch {
    // The connection is lost, and with it the transaction.
    return false;
  }
}

function resultOf<T>(outcome: Outcome<T>): T {
  if (outcome.kind === "failed") throw outcome.reason;
  return outcome.result;
}

/** @throws what callers of the port get for it. */
async function told<T>(query: Promise<T>): Promise<T> {
  try {
    return await query;
  } catch (error) {
    throw translated(error);
  }
}
