import type { Worker } from "node:worker_threads";
import { findInstalledFile } from "../../../setup/installed-file.js";
import { reportMissingThread, startThread } from "../../../setup/threads.js";

/**
 * How long the thread tries to get the write lock, and the pause between attempts, in milliseconds. Even processes that write
 * constantly release the lock briefly between two transactions.
 */
const LOCK_TIMEOUT_MS = 100;
const LOCK_RETRY_DELAY_MS = 0.2;

/** Source code of the thread. It is a string rather than a file so that it is available wherever the adapter is bundled. */
const program = `
  const { parentPort, workerData } = require("node:worker_threads");
  const Database = require(workerData.driver);
  // Loads the native module. If that fails, the thread ends with the error.
  new Database(":memory:").close();
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const open = () => new Database(workerData.file, { timeout: 0, fileMustExist: true });
  function lock(database) {
    const end = performance.now() + ${LOCK_TIMEOUT_MS};
    do {
      try {
        return database.exec("begin immediate");
      } catch (error) {
        if (error.code !== "SQLITE_BUSY") return;
      }
      Atomics.wait(pause, 0, 0, ${LOCK_RETRY_DELAY_MS});
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
    // Reply only now that the lock is free, because the receiver writes immediately.
    parentPort.postMessage(answer);
  });
`;

type Reply = { readonly left: number } | { readonly failure: string };

/**
 * Runs checkpoints in a separate thread with its own connection so that readers and the writer can continue. The thread is reused
 * because starting a thread takes longer than most checkpoints.
 */
export class CheckpointThread {
  #worker: Worker | null = null;

  constructor(private readonly file: string) {}

  /**
   * Runs a checkpoint. Only one checkpoint can run at a time.
   * @param isAlone whether to keep every connection, including those in other processes, from writing during the checkpoint. If
   *   another connection holds the lock for longer than a tenth of a second, the checkpoint runs without the lock.
   * @returns the number of pages that the checkpoint left in the log.
   * @throws if no thread can start, or if the checkpoint fails.
   */
  async run(isAlone: boolean): Promise<number> {
    return waitForReply(this.#worker ?? this.#startWorker(), isAlone);
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = null;
  }

  #startWorker(): Worker {
    const worker = startThread("checkpoints", () => ({
      program,
      workerData: { driver: findInstalledFile("better-sqlite3"), file: this.file },
    }));
    // The only expected failure is one while the driver is loading.
    worker.on("error", (cause) => reportMissingThread("checkpoints", cause));
    worker.once("exit", () => {
      if (this.#worker === worker) this.#worker = null;
    });
    this.#worker = worker;
    return worker;
  }
}

/** Sends the thread a task and waits for its reply. The thread keeps the process alive only in the meantime. */
function waitForReply(worker: Worker, isAlone: boolean): Promise<number> {
  worker.ref();
  return new Promise((resolve, reject) => {
    const rejectOnExit = (code: number) => reject(new Error(`the thread exited with code ${code}`));
    worker.once("error", reject).once("exit", rejectOnExit);
    worker.once("message", (response: Reply) => {
      worker.off("error", reject).off("exit", rejectOnExit).unref();
      if ("left" in response) resolve(response.left);
      else reject(new Error(response.failure));
    });
    worker.postMessage(isAlone);
  });
}
