import { PackageMissing } from "../../setup/load-peer.js";
import { CommandError, FAILURE_CODE } from "../terminal/command-error.js";
import type { Output } from "../terminal/output.js";

/** Ends one thing that was begun. */
type Cleanup = () => Promise<unknown> | undefined;

/** Everything that a server has begun so far, so that all of it is ended, however far the start got. */
export class Shutdown {
  private readonly workers: Cleanup[] = [];
  private readonly resources: Cleanup[] = [];

  /** @param onError receives failures to end a part; the others are ended anyway. */
  constructor(private readonly onError: (error: unknown) => void) {}

  /** Adds a worker; all of them end at the same time. */
  worker(end: Cleanup): void {
    this.workers.push(end);
  }

  /** Adds something that workers, and resources added later, use: it is ended after them. */
  resource(end: Cleanup): void {
    this.resources.unshift(end);
  }

  async end(): Promise<void> {
    await Promise.all(this.workers.map((end) => this.ended(end)));
    for (const end of this.resources) await this.ended(end);
  }

  private async ended(end: Cleanup): Promise<void> {
    try {
      await end();
    } catch (error) {
      this.onError(error);
    }
  }
}

/** The process ends this long after it was asked to at the latest. */
const DRAIN_MS = 10_000;
/** How long running webhook deliveries may wait for a response during shutdown. */
export const WEBHOOK_DRAIN_MS = 5_000;
/** A process that npm runs looks this often whether npm is still there. */
const ALONE_MS = 250;
/** A signal this soon after the first is the same one: npm passes on what the terminal has sent to all anyway. */
const ECHO_MS = 100;

/**
 * Resolves when the process gets SIGTERM or SIGINT, or when the npm that runs it has ended. A second signal, or more than 10 s from
 * then on, ends it immediately with exit code 1.
 */
export function stopSignal(output: Output): Promise<void> {
  return new Promise((resolve) => {
    let askedAt: number | null = null;
    const endNow = (reason: string) => {
      output.note(`loyalty-kit: ${reason}, stopped while requests were running`);
      process.exit(FAILURE_CODE);
    };
    const onSignal = () => {
      if (askedAt === null) {
        askedAt = performance.now();
        setTimeout(endNow, DRAIN_MS, `not finished within ${DRAIN_MS / 1_000} s`).unref();
        resolve();
      } else if (performance.now() - askedAt > ECHO_MS) endNow("asked to stop again");
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
    if (process.env.npm_lifecycle_event !== undefined) whenLeftAlone(onSignal);
  });
}

/** npm passes SIGTERM on to the shell that it runs scripts in, which ends and leaves the server behind. */
function whenLeftAlone(stop: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, ALONE_MS);
  timer.unref();
}

/** Explains in one line why a server does not start, without a stack, which doesn't help the operator. */
export function toStartError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  if (error instanceof PackageMissing) return new CommandError(error.message, FAILURE_CODE, { cause: error });
  return new CommandError(`the server can't start: ${listReasons(error).join(": ")}`, FAILURE_CODE, {
    cause: error,
  });
}

function listReasons(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  // What could be reached by no address has one error for each of them, and no message.
  const cause: unknown = error instanceof AggregateError ? (error.errors[0] ?? error.cause) : error.cause;
  return [error.message || error.name, ...(cause === undefined ? [] : listReasons(cause))];
}
