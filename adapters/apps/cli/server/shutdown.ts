import { PackageMissing } from "../../../setup/peers.js";
import { CommandError, FAILURE_CODE } from "../terminal/command-error.js";
import type { Output } from "../terminal/output.js";

/** Stops one part of the server. */
type Cleanup = () => Promise<unknown> | undefined;

/** Tracks everything that a server has started so that all of it can be stopped, even if startup fails halfway. */
export class Shutdown {
  private readonly workers: Cleanup[] = [];
  private readonly resources: Cleanup[] = [];

  /** @param onError a function that is called with each error from stopping a part. The remaining parts are still stopped. */
  constructor(private readonly onError: (error: unknown) => void) {}

  /** Registers a worker's cleanup function. All workers are stopped concurrently, before any resource. */
  addWorker(cleanup: Cleanup): void {
    this.workers.push(cleanup);
  }

  /**
   * Registers a resource's cleanup function. After all workers have stopped, resources are stopped in reverse order of registration
   * because later resources might use earlier ones.
   */
  addResource(cleanup: Cleanup): void {
    this.resources.unshift(cleanup);
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.workers.map((cleanup) => this.runCleanup(cleanup)));
    for (const cleanup of this.resources) await this.runCleanup(cleanup);
  }

  private async runCleanup(cleanup: Cleanup): Promise<void> {
    try {
      await cleanup();
    } catch (error) {
      this.onError(error);
    }
  }
}

/** Maximum time until the process ends after it was asked to stop, in milliseconds. */
const DRAIN_TIMEOUT_MS = 10_000;
/** Maximum time that shutdown waits for in-progress webhook deliveries, in milliseconds. */
export const WEBHOOK_DRAIN_TIMEOUT_MS = 5_000;
/** How often a process started by npm checks whether npm is still running, in milliseconds. */
const PARENT_CHECK_INTERVAL_MS = 250;
/**
 * A signal that arrives within this many milliseconds of the first counts as the same signal, because npm forwards signals that the
 * terminal has already sent to every process.
 */
const DUPLICATE_SIGNAL_MS = 100;

/**
 * Returns a promise that resolves when the process receives SIGTERM or SIGINT, or when the npm process that started it ends. From
 * then on, the process exits with code 1 as soon as it receives another signal, or if it is still running after 10 s.
 */
export function waitForStopSignal(output: Output): Promise<void> {
  return new Promise((resolve) => {
    let firstSignalAt: number | null = null;
    const forceExit = (reason: string) => {
      output.note(`loyalty-kit: ${reason}, so the server stopped before all requests had finished`);
      process.exit(FAILURE_CODE);
    };
    const onSignal = () => {
      if (firstSignalAt === null) {
        firstSignalAt = performance.now();
        setTimeout(
          forceExit,
          DRAIN_TIMEOUT_MS,
          `requests didn't finish within ${DRAIN_TIMEOUT_MS / 1_000} s`,
        ).unref();
        resolve();
      } else if (performance.now() - firstSignalAt > DUPLICATE_SIGNAL_MS)
        forceExit("received a second stop signal");
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
    if (process.env.npm_lifecycle_event !== undefined) stopWhenParentEnds(onSignal);
  });
}

/**
 * Stops the server if its parent process ends. npm forwards SIGTERM to the shell that runs its scripts, and when that shell ends,
 * the server is left running.
 */
function stopWhenParentEnds(stop: () => void): void {
  const parentPid = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parentPid) return;
    clearInterval(timer);
    stop();
  }, PARENT_CHECK_INTERVAL_MS);
  timer.unref();
}

/**
 * Converts an error to a {@link CommandError} that explains in one line why the server can't start. The stack trace is omitted
 * because it wouldn't help operators.
 */
export function toStartError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  if (error instanceof PackageMissing) return new CommandError(error.message, FAILURE_CODE, { cause: error });
  return new CommandError(`the server can't start: ${listReasons(error).join(": ")}`, FAILURE_CODE, {
    cause: error,
  });
}

function listReasons(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  // If a host can't be reached at any of its addresses, the error has no message and contains one error per address.
  const cause: unknown = error instanceof AggregateError ? (error.errors[0] ?? error.cause) : error.cause;
  return [error.message || error.name, ...(cause === undefined ? [] : listReasons(cause))];
}
