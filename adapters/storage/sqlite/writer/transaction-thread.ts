import type { Worker } from "node:worker_threads";
import type { CompiledQuery } from "kysely";
import { findInstalledFile } from "../../../setup/installed-file.js";
import { reportMissingThread, startThread } from "../../../setup/threads.js";
import type { Executor } from "../../kysely/session/session.js";
import { buildRow, toPortError } from "../connection/connection.js";
import { createSqliteError } from "../driver/driver.js";

/** Source code of the thread. It is a string rather than a file so that it is available wherever the adapter is bundled. */
const program = `
  const { parentPort, workerData } = require("node:worker_threads");
  const Database = require(workerData.driver);
  // Loads the native module. If that fails, the thread ends with the error.
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
  const statements = new Map();
  const statementOf = (sql) => {
    if (!statements.has(sql)) {
      const statement = database.prepare(sql);
      statements.set(sql, statement.reader ? statement.raw() : statement);
    }
    return statements.get(sql);
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
      // Opens the file only now, because an error that isn't caught here would arrive without its message and code.
      database ??= opened();
      answer = { result: tasks[task](input) };
    } catch ({ message, code }) {
      answer = { message, code };
    }
    parentPort.postMessage(answer);
  });
`;

type Reply = { readonly result: unknown } | { readonly message: string; readonly code: string | undefined };

interface PendingRequest {
  resolve(result: unknown): void;
  reject(reason: unknown): void;
}

/**
 * A connection in its own thread, for a transaction so large that its commit alone would block the event loop. Statements run in
 * the order in which they are submitted.
 */
export class TransactionThread implements Executor {
  readonly isBlocking = false;
  readonly toPortError = toPortError;
  readonly changeEach = async (statements: readonly CompiledQuery<unknown>[]): Promise<number[]> =>
    (await this.#runInOrder("changeEach", groupRuns(statements))) as number[];
  /**
   * Submits a batch of statements without waiting for it to finish, so that the caller can prepare the next rows in the meantime.
   * Only one such batch runs at a time.
   */
  readonly changeDeferred = async (statements: readonly CompiledQuery<unknown>[]): Promise<void> => {
    await this.#deferredBatch;
    this.#deferredBatch = this.#postTask("changeEach", groupRuns(statements));
    // The next call reports the error.
    this.#deferredBatch.catch(() => undefined);
  };
  readonly #worker: Worker;
  readonly #pending: PendingRequest[] = [];
  /** Settles when the most recently submitted deferred batch has finished. Already resolved if there is no such batch. */
  #deferredBatch: Promise<unknown> = Promise.resolve();
  #hasReplied = false;
  #endReason: Error | null = null;

  /**
   * @param pragmas the pragmas that the thread sets when it opens the file.
   * @throws {MissingThreadError} if no thread can start. Any other startup error is thrown by the first statement.
   */
  constructor(file: string, pragmas: readonly string[]) {
    this.#worker = startThread("large_changes", () => ({
      program,
      workerData: { driver: findInstalledFile("better-sqlite3"), file, pragmas },
    }));
    this.#worker.on("message", (response: Reply) => this.#settleNext(response));
    this.#worker.on("error", (error: Error) =>
      this.#end(this.#hasReplied ? error : reportMissingThread("large_changes", error)),
    );
    this.#worker.on("exit", () => this.#end(new Error("the transaction's thread has ended")));
  }

  async all<Row>({ sql, parameters }: CompiledQuery<Row>): Promise<Row[]> {
    const { names, rows } = (await this.#runInOrder("all", { sql, parameters })) as {
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
    await this.#runInOrder("changeEach", [{ sql, each: [[]] }]);
  }

  /** Ends the thread, and rolls back its transaction if it hasn't been committed. */
  async close(): Promise<void> {
    if (this.#endReason === null) await this.#postTask("close", null).catch(() => undefined);
    await this.#worker.terminate();
  }

  /**
   * Runs a task after the deferred batch. If that batch has failed, throws its error instead, so that a failed transaction can't be
   * committed.
   */
  async #runInOrder(task: string, input: unknown): Promise<unknown> {
    await this.#deferredBatch;
    return this.#postTask(task, input);
  }

  #postTask(task: string, input: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#endReason !== null) {
        reject(this.#endReason);
        return;
      }
      // This throws if the input can't be sent, so no reply must be expected.
      this.#worker.postMessage({ task, input });
      this.#pending.push({ resolve, reject });
    });
  }

  #settleNext(response: Reply): void {
    this.#hasReplied = true;
    const request = this.#pending.shift();
    if ("result" in response) request?.resolve(response.result);
    else request?.reject(toError(response));
  }

  #end(reason: Error): void {
    this.#endReason ??= reason;
    for (const { reject } of this.#pending.splice(0)) reject(reason);
  }
}

/**
 * Consecutive statements with the same SQL, and the parameters of each. A message to the thread copies a string each time that it
 * occurs.
 */
interface StatementRun {
  readonly sql: string;
  readonly each: (readonly unknown[])[];
}

function groupRuns(statements: readonly CompiledQuery<unknown>[]): StatementRun[] {
  const runs: StatementRun[] = [];
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
