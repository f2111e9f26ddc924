import type { Worker } from "node:worker_threads";
import type { CompiledQuery } from "kysely";
import type { Executor } from "../../kysely/session/session.js";
import { findInstalledFile } from "../../setup/installed-file.js";
import { reportMissingThread, startThread } from "../../setup/threads.js";
import { buildRow } from "../connection/connection.js";
import { toPortError } from "../connection/errors.js";
import { createSqliteError } from "../driver/driver.js";

/** Text, not a file: so it is there wherever the adapter was bundled to. */
const program = `
  const { parentPort, workerData } = require("node:worker_threads");
  const Database = require(workerData.driver);
  // Loads its compiled part. A thread that can't ends with this error.
  new Database(":memory:").close();
  const opened = () => {
    const database = new Database(workerData.file, { timeout: 0, fileMustExist: true });
    try {
      for (const pragma of workerData.pragmas) database.pragma(pragma);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  };
  let database = null;
  const kept = new Map();
  const statementOf = (sql) => {
    if (!kept.has(sql)) {
      const statement = database.prepare(sql);
      kept.set(sql, statement.reader ? statement.raw() : statement);
    }
    return kept.get(sql);
  };
  const tasks = {
    all({ sql, parameters }) {
      const statement = statementOf(sql);
      return { names: statement.columns().map(({ name }) => name), rows: statement.all(parameters) };
    },
    changeEach(runs) {
      return runs.flatMap(({ sql, each }) => {
        const statement = statementOf(sql);
        return each.map((parameters) => statement.run(parameters).changes);
      });
    },
    close() {
      database.close();
      parentPort.close();
    },
  };
  parentPort.on("message", ({ task, input }) => {
    let answer;
    try {
      // Not before: an error that is not caught here would arrive without its text and code.
      database ??= opened();
      answer = { result: tasks[task](input) };
    } catch ({ message, code }) {
      answer = { message, code };
    }
    parentPort.postMessage(answer);
  });
`;

type Answer = { readonly result: unknown } | { readonly message: string; readonly code: string | undefined };

interface Asked {
  resolve(result: unknown): void;
  reject(reason: unknown): void;
}

/**
 * A connection in a thread of its own, for a transaction so large that its commit alone would hold up the event loop.
 * Statements run in the order in which they are given.
 */
export class TransactionThread implements Executor {
  readonly isBlocking = false;
  readonly toPortError = toPortError;
  readonly changeEach = async (statements: readonly CompiledQuery<unknown>[]): Promise<number[]> =>
    (await this.#inOrder("changeEach", groupRuns(statements))) as number[];
  /** The next rows can so be made while these are written. One such batch is under way at a time. */
  readonly changeDeferred = async (statements: readonly CompiledQuery<unknown>[]): Promise<void> => {
    await this.#behind;
    this.#behind = this.#ask("changeEach", groupRuns(statements));
    // The next caller gets the error.
    this.#behind.catch(() => undefined);
  };
  readonly #worker: Worker;
  readonly #asked: Asked[] = [];
  /** The statements that weren't awaited. */
  #behind: Promise<unknown> = Promise.resolve();
  #hasAnswered = false;
  #ended: Error | null = null;

  /**
   * @param pragmas set when it opens the file.
   * @throws {MissingThreadError} if no thread can start. Its first statement throws anything else that keeps it from working.
   */
  constructor(file: string, pragmas: readonly string[]) {
    this.#worker = startThread("large_changes", () => ({
      program,
      workerData: { driver: findInstalledFile("better-sqlite3"), file, pragmas },
    }));
    this.#worker.on("message", (answer: Answer) => this.#answered(answer));
    this.#worker.on("error", (error: Error) =>
      this.#end(this.#hasAnswered ? error : reportMissingThread("large_changes", error)),
    );
    this.#worker.on("exit", () => this.#end(new Error("the thread of the transaction has ended")));
  }

  async all<Row>({ sql, parameters }: CompiledQuery<Row>): Promise<Row[]> {
    const { names, rows } = (await this.#inOrder("all", { sql, parameters })) as {
      names: string[];
      rows: unknown[][];
    };
    return rows.map((values) => buildRow(names, values)) as Row[];
  }

  async change(statement: CompiledQuery<unknown>): Promise<number> {
    const [changes = 0] = await this.changeEach([statement]);
    return changes;
  }

  async execute(sql: string): Promise<void> {
    await this.#inOrder("changeEach", [{ sql, each: [[]] }]);
  }

  /** Ends the thread; an uncommitted transaction is rolled back. */
  async close(): Promise<void> {
    if (this.#ended === null) await this.#ask("close", null).catch(() => undefined);
    await this.#worker.terminate();
  }

  /** After a failure, later tasks don't run, least of all a commit. */
  async #inOrder(task: string, input: unknown): Promise<unknown> {
    await this.#behind;
    return this.#ask(task, input);
  }

  #ask(task: string, input: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== null) {
        reject(this.#ended);
        return;
      }
      // Throws when the input can't be sent; then no answer comes.
      this.#worker.postMessage({ task, input });
      this.#asked.push({ resolve, reject });
    });
  }

  #answered(answer: Answer): void {
    this.#hasAnswered = true;
    const asked = this.#asked.shift();
    if ("result" in answer) asked?.resolve(answer.result);
    else asked?.reject(toError(answer));
  }

  #end(reason: Error): void {
    this.#ended ??= reason;
    for (const { reject } of this.#asked.splice(0)) reject(reason);
  }
}

/** Statements of one text in a row, with the parameters of each: a message has every text that is in it once for each time. */
interface SameStatements {
  readonly sql: string;
  readonly each: (readonly unknown[])[];
}

function groupRuns(statements: readonly CompiledQuery<unknown>[]): SameStatements[] {
  const runs: SameStatements[] = [];
  for (const { sql, parameters } of statements) {
    const last = runs.at(-1);
    if (last?.sql === sql) last.each.push(parameters);
    else runs.push({ sql, each: [parameters] });
  }
  return runs;
}

function toError({ message, code }: { readonly message: string; readonly code: string | undefined }): Error {
  return code?.startsWith("SQLITE_") ? createSqliteError(message, code) : new Error(message);
}
