import type { CompiledQuery } from "kysely";
import type { Step } from "../../../src/concurrency/step.js";
import type { Fence } from "../../kysely/session/fence.js";
import { GuardedSession } from "../../kysely/session/guarded-session.js";
import type { ReadSession } from "../../kysely/session/session.js";
import { BusyRetry } from "../connection/busy.js";
import type { Connection } from "../connection/connection.js";
import { isOfTables } from "../connection/errors.js";
import { VersionLook } from "../connection/version-look.js";

/** Reads committed rows on a connection of its own, for one caller at a time. */
export class Reader {
  readonly #retry = new BusyRetry();
  #version = -1;
  /** Stands for the committed state of this data version. */
  #mark: object = {};

  readonly #look: VersionLook;

  /** @param connection becomes the reader's own, and is closed by it. */
  constructor(
    private readonly connection: Connection,
    fence: Fence,
  ) {
    this.#look = new VersionLook(connection, fence);
  }

  /**
   * Reads the newest state at once.
   * @throws what SQLite throws, also when the file is busy; `storage_unavailable` where the tables are known to be others.
   */
  read<Row>(query: CompiledQuery<Row>): Row[] {
    // By itself, a look takes longer than the query.
    if (this.#look.isDue) this.#look.assertCurrent();
    try {
      return this.connection.all(query);
    } catch (error) {
      if (isOfTables(error)) this.#look.assertCurrent();
      throw error;
    }
  }

  /** Stands for the newest committed state. @throws what SQLite throws, also when the file is busy. */
  state(): object {
    const version = this.connection.dataVersion();
    if (version !== this.#version) this.#mark = {};
    this.#version = version;
    return this.#mark;
  }

  /** As {@link read}. @throws what SQLite throws; `storage_unavailable` when the file stays busy for 10 s. */
  patientRead<Row>(query: CompiledQuery<Row>): Step<Row[]> {
    return this.#retry.run(() => this.read(query));
  }

  /**
   * @throws what `work` throws; what SQLite throws; `storage_unavailable` when the file stays busy for 10 s, or the tables are
   *   not those of this release.
   */
  *snapshot<T>(work: (session: ReadSession) => Step<T>): Step<T> {
    const mark = yield* this.#retry.run(() => this.#begin());
    const session = new GuardedSession(this.connection, mark);
    try {
      return yield* work(session);
    } finally {
      session.end();
      this.#end();
    }
  }

  close(): void {
    this.connection.close();
  }

  /** `begin` alone takes no state yet: the first read does. @returns the mark of that state. */
  #begin(): object {
    this.connection.execute("begin");
    try {
      const mark = this.state();
      this.#look.assertCurrent();
      return mark;
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  #end(): void {
    if (this.connection.inTransaction) this.connection.execute("commit");
  }
}
