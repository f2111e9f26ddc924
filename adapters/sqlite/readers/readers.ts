import type { CompiledQuery } from "kysely";
import { isTurnDue, turns } from "../../../src/concurrency/event-loop.js";
import { run, type Step, wait } from "../../../src/concurrency/step.js";
import { Admission } from "../../kysely/session/admission.js";
import type { ReadSession } from "../../kysely/session/session.js";
import { isBusy } from "../connection/errors.js";
import type { Reader } from "./reader.js";

/** So many snapshots are open at once at most; further ones wait. */
const MOST = 32;

/**
 * Readers of one file: one for queries by themselves, and as many as there are snapshots at once. So neither a writer nor
 * any number of snapshots that wait hold up a query.
 */
export class Readers {
  readonly #admission = new Admission();
  readonly #all: Reader[] = [];
  /** The reader used last stands at the end: it has the most in its cache. */
  readonly #idle: Reader[] = [];
  readonly #line: ((reader: Reader) => void)[] = [];
  #opening = 0;

  /** Each query by itself. */
  readonly session: ReadSession = {
    mark: null,
    all: (query) => this.#query(query),
  };

  /**
   * @param single reads the queries by themselves.
   * @param open opens another reader.
   */
  constructor(
    private readonly single: Reader,
    private readonly open: () => Promise<Reader>,
  ) {}

  /** Null when it can't be told at once. */
  committedState(): object | null {
    if (this.#admission.isClosed) return null;
    try {
      return this.single.state();
    } catch (error) {
      if (isBusy(error)) return null;
      throw error;
    }
  }

  /** @throws what `work` throws; what SQLite throws; `storage_unavailable` when the file stays busy for 10 s. */
  snapshot<T>(work: (session: ReadSession) => Step<T>): Promise<T> {
    return this.#admission.admit(() => run(this.#with((reader) => reader.snapshot(work))));
  }

  /** Refuses further reads, waits for those that came before, and closes. To be called once. */
  async close(): Promise<void> {
    await this.#admission.close();
    for (const reader of [this.single, ...this.#all]) reader.close();
  }

  *#query<Row>(query: CompiledQuery<Row>): Step<Row[]> {
    const rows = this.#admission.isClosed || isTurnDue() ? null : this.#readAtOnce(query);
    return yield* wait(rows ?? this.#admission.admit(() => run(this.#read(query))));
  }

  *#read<Row>(query: CompiledQuery<Row>): Step<Row[]> {
    yield* turns();
    return yield* this.single.patientRead(query);
  }

  /** Null when it has to wait. */
  #readAtOnce<Row>(query: CompiledQuery<Row>): Row[] | null {
    try {
      return this.single.read(query);
    } catch (error) {
      if (isBusy(error)) return null;
      throw error;
    }
  }

  *#with<T>(task: (reader: Reader) => Step<T>): Step<T> {
    const reader = this.#idle.pop() ?? (yield* wait(this.#another()));
    try {
      return yield* task(reader);
    } finally {
      const next = this.#line.shift();
      if (next === undefined) this.#idle.push(reader);
      else next(reader);
    }
  }

  async #another(): Promise<Reader> {
    if (this.#all.length + this.#opening >= MOST) {
      return new Promise((resolve) => this.#line.push(resolve));
    }
    this.#opening += 1;
    try {
      const reader = await this.open();
      this.#all.push(reader);
      return reader;
    } finally {
      this.#opening -= 1;
    }
  }
}
