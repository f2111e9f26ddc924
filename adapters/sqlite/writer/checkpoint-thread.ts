import type { Worker } from "node:worker_threads";
import { findInstalledFile } from "../../setup/installed-file.js";
import { reportMissingThread, startThread } from "../../setup/threads.js";

/**
 * How long the thread tries to get the write lock, and the pause between tries, in milliseconds. Processes that write all the time
 * release it for a moment between two transactions.
 */
const PATIENCE = 100;
const PAUSE = 0.2;

/** Text, not a file: so it is there wherever the adapter was bundled to. */
const program = `
  const { parentPort, workerData } = require("node:worker_threads");
  const Database = require(workerData.driver);
  // Loads its compiled part. A thread that can't ends with this error.
  new Database(":memory:").close();
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const open = () => new Database(workerData.file, { timeout: 0, fileMustExist: true });
  function lock(database) {
    const end = performance.now() + ${PATIENCE};
    do {
      try {
        return database.exec("begin immediate");
      } catch (error) {
        if (error.code !== "SQLITE_BUSY") return;
      }
      Atomics.wait(pause, 0, 0, ${PAUSE});
    } while (performance.now() < end);
  }
  function checkpoint(isAlone) {
    const holder = isAlone ? open() : null;
    try {
      if (holder !== null) lock(holder);
      const database = open();
      const [{ log, checkpointed }] = database.pragma("wal_checkpoint(passive)");
      database.close();
      return log - checkpointed;
    } finally {
      holder?.close();
    }
  }
  parentPort.on("message", (isAlone) => {
    let answer;
    try {
      answer = { left: checkpoint(isAlone) };
    } catch (error) {
      answer = { failure: String(error) };
    }
    // The receiver writes immediately, so the lock is free by then.
    parentPort.postMessage(answer);
  });
`;

type Answer = { readonly left: number } | { readonly failure: string };

/**
 * Runs checkpoints beside readers and the writer, each on a connection of its own, in a thread that is kept: to start one
 * takes longer than most checkpoints.
 */
export class CheckpointThread {
  #worker: Worker | null = null;

  constructor(private readonly file: string) {}

  /**
   * Runs a checkpoint; only one runs at a time.
   * @param isAlone true if no connection may write during it, not even of another process. If one holds the lock for longer than a
   *   tenth of a second, the checkpoint runs beside it.
   * @returns how many pages it left in the log.
   * @throws if no thread can start, or the checkpoint fails.
   */
  async run(isAlone: boolean): Promise<number> {
    return waitForReply(this.#worker ?? this.#started(), isAlone);
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = null;
  }

  #started(): Worker {
    const worker = startThread("checkpoints", () => ({
      program,
      workerData: { driver: findInstalledFile("better-sqlite3"), file: this.file },
    }));
    // It fails while it loads the driver, or not at all.
    worker.on("error", (cause) => reportMissingThread("checkpoints", cause));
    worker.once("exit", () => {
      if (this.#worker === worker) this.#worker = null;
    });
    this.#worker = worker;
    return worker;
  }
}

/** Has the thread do its work. Only while it does, it keeps the process from ending. */
function waitForReply(worker: Worker, isAlone: boolean): Promise<number> {
  worker.ref();
  return new Promise((resolve, reject) => {
    const ended = (code: number) => reject(new Error(`the thread ended with ${code}`));
    worker.once("error", reject).once("exit", ended);
    worker.once("message", (answer: Answer) => {
      worker.off("error", reject).off("exit", ended).unref();
      if ("left" in answer) resolve(answer.left);
      else reject(new Error(answer.failure));
    });
    worker.postMessage(isAlone);
  });
}
