import type { CompiledQuery } from "kysely";
import type { ReadSession } from "../kysely/session.js";
import { BusyRetry } from "./busy.js";
import type { Connection } from "./connection.js";
import { isBusy } from "./errors.js";
import { TransactionSession } from "./transaction-session.js";
import { Turns } from "./turns.js";

/** Reads committed rows on a connection of its own, so it neither waits for a writer nor sees its work. */
export class Reader {
  readonly #turns = new Turns();
  readonly #retry = new BusyRetry();

  /** Each query by itself, after the snapshots that were asked for before it. */
  readonly session: ReadSession = {
    mark: null,
    all: async <Row>(query: CompiledQuery<Row>): Promise<Row[]> => {
      if (this.#turns.idle) {
        try {
          return this.connection.all(query);
        } catch (error) {
          if (!isBusy(error)) throw error;
        }
      }
      return this.#turns.take(() => this.#retry.run(() => this.connection.all(query)));
    },
  };

  constructor(private readonly connection: Connection) {}

  /** @throws what `work` throws; what SQLite throws; `storage_unavailable` when the file stays busy for 10 s. */
  snapshot<T>(work: (session: ReadSession) => Promise<T>): Promise<T> {
    return this.#turns.take(async () => {
      const mark = await this.#retry.run(() => this.#begin());
      const session = new TransactionSession(this.connection, mark);
      try {
        return await work(session);
      } finally {
        session.end();
        this.#end();
      }
    });
  }

  /** Refuses further reads and waits for those that came before. */
  close(): Promise<void> {
    return this.#turns.close();
  }

  /** `begin` alone takes no state yet: the first read does. @returns the mark of that state. */
  #begin(): number {
    this.connection.execute("begin");
    try {
      return this.connection.dataVersion();
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  #end(): void {
    if (this.connection.inTransaction) this.connection.execute("commit");
  }
}
