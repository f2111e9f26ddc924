import { Worker, type WorkerOptions } from "node:worker_threads";
import { MissingThreadError, missingThreads, type ThreadWork } from "../../src/signals.js";
import { findInstalledFile } from "./installed-file.js";

/** Work whose threads can't start in this process, however often they are tried. */
const unavailable = new Map<ThreadWork, MissingThreadError>();

/** The text of a program, and the options of its thread. */
interface ThreadPlan extends WorkerOptions {
  readonly program: string;
}

/**
 * Starts a thread. After a failure that will not pass, it doesn't try again.
 * @param plan finds what the thread loads.
 * @throws {MissingThreadError} if the plan fails, or no thread can start.
 */
export function startThread(work: ThreadWork, plan: () => ThreadPlan): Worker {
  const known = unavailable.get(work);
  if (known !== undefined) throw known;
  try {
    const { program, ...options } = plan();
    return new Worker(program, { eval: true, execArgv: loader(), ...options });
  } catch (cause) {
    throw reportMissingThread(work, cause);
  }
}

/** Reports a thread that can't start or load what it needs. @returns the error, to be thrown. */
export function reportMissingThread(work: ThreadWork, cause: unknown): MissingThreadError {
  const error = new MissingThreadError(work, cause);
  // The machine may have room for a thread later.
  if (error.causeCode !== "ERR_WORKER_INIT_FAILED") unavailable.set(work, error);
  missingThreads.report(error);
  return error;
}

/** Yarn's Plug'n'Play has packages in archives, which Node.js reads through Yarn's own file. */
function loader(): string[] {
  return "pnp" in process.versions ? ["--require", findInstalledFile("pnpapi")] : [];
}
