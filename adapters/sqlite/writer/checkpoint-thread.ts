import nodeModule from "node:module";
import { Worker } from "node:worker_threads";

/** Text, not a file: so it is found wherever the adapter was bundled to. */
const program = `
  const { parentPort, workerData } = require("node:worker_threads");
  const Database = require(workerData.driver);
  const database = new Database(workerData.file, { timeout: 0, fileMustExist: true });
  const [{ log, checkpointed }] = database.pragma("wal_checkpoint(passive)");
  database.close();
  parentPort.postMessage(log - checkpointed);
`;

/**
 * Runs a checkpoint in a thread and on a connection of its own, beside readers and the writer.
 * @returns how many pages it left in the log.
 * @throws when no thread can be had, or the checkpoint fails.
 */
export async function checkpointAside(file: string): Promise<number> {
  const driver = nodeModule.createRequire(import.meta.url).resolve("better-sqlite3");
  const thread = new Worker(program, { eval: true, execArgv: [], workerData: { driver, file } });
  return new Promise((resolve, reject) => {
    thread.once("message", resolve);
    thread.once("error", reject);
    thread.once("exit", (code) => reject(new Error(`the thread ended with ${code}`)));
  });
}
