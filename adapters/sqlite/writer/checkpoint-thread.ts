import nodeModule from "node:module";
import { Worker } from "node:worker_threads";

/** Text, not a file: so it is there wherever the adapter was bundled to. */
const program = `
  const { parentPort, workerData } = require("node:worker_threads");
  const Database = require(workerData.driver);
  parentPort.on("message", () => {
    const database = new Database(workerData.file, { timeout: 0, fileMustExist: true });
    const [{ log, checkpointed }] = database.pragma("wal_checkpoint(passive)");
    database.close();
    parentPort.postMessage(log - checkpointed);
  });
`;

/**
 * Runs checkpoints beside readers and the writer, each on a connection of its own, in a thread that is kept: to start one
 * takes longer than most checkpoints.
 */
export class CheckpointThread {
  #worker: Worker | null = null;

  constructor(private readonly file: string) {}

  /**
   * One at a time.
   * @returns how many pages it left in the log.
   * @throws when no thread can be had, or the checkpoint fails.
   */
  async run(): Promise<number> {
    return answerOf(this.#worker ?? this.#started());
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = null;
  }

  #started(): Worker {
    const driver = nodeModule.createRequire(import.meta.url).resolve("better-sqlite3");
    const workerData = { driver, file: this.file };
    const worker = new Worker(program, { eval: true, execArgv: [], workerData });
    // One that ends between two checkpoints is missed by nobody: the next has another.
    worker.on("error", () => {});
    worker.once("exit", () => {
      if (this.#worker === worker) this.#worker = null;
    });
    this.#worker = worker;
    return worker;
  }
}

/** Has the thread do its work. Only while it does, it keeps the process from ending. */
function answerOf(worker: Worker): Promise<number> {
  worker.ref();
  return new Promise((resolve, reject) => {
    const ended = (code: number) => reject(new Error(`the thread ended with ${code}`));
    worker.once("error", reject).once("exit", ended);
    worker.once("message", (left) => {
      worker.off("error", reject).off("exit", ended).unref();
      resolve(left);
    });
    worker.postMessage(null);
  });
}
