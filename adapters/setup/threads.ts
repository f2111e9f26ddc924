import { Worker, type WorkerOptions } from "node:worker_threads";
import { MissingThreadError, missingThreads, type ThreadWork } from "../../src/base/signals.js";
import { findInstalledFile } from "./installed-file.js";

/** Errors for kinds of work whose threads can't start in this process, even if retried. */
const permanentErrors = new Map<ThreadWork, MissingThreadError>();

/** A thread's program text and options. */
interface ThreadPlan extends WorkerOptions {
  readonly program: string;
}

/**
 * Starts a worker thread. If a thread for the same kind of work has already failed to start because of a permanent error, throws
 * that error again without retrying.
 * @param plan a function that returns the thread's program and options.
 * @throws {MissingThreadError} if `plan` throws or the thread can't start.
 */
export function startThread(work: ThreadWork, plan: () => ThreadPlan): Worker {
  const storedError = permanentErrors.get(work);
  if (storedError !== undefined) throw storedError;
  try {
    const { program, ...options } = plan();
    return new Worker(program, { eval: true, execArgv: buildLoaderOptions(), ...options });
  } catch (cause) {
    throw reportMissingThread(work, cause);
  }
}

/**
 * Creates the error for a thread that can't start or can't load its dependencies. If the failure is permanent, saves the error so
 * that later calls can throw it again.
 * @returns the error, for the caller to throw.
 */
export function reportMissingThread(work: ThreadWork, cause: unknown): MissingThreadError {
  const error = new MissingThreadError(work, cause);
  // This failure may be temporary: the machine may have resources for a thread later.
  if (error.causeCode !== "ERR_WORKER_INIT_FAILED") permanentErrors.set(work, error);
  missingThreads.report(error);
  return error;
}

/**
 * Returns Node options for Yarn's Plug'n'Play, which keeps packages in archives that Node.js can read only through Yarn's loader.
 */
function buildLoaderOptions(): string[] {
  return "pnp" in process.versions ? ["--require", findInstalledFile("pnpapi")] : [];
}
