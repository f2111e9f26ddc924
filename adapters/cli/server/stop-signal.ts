import { FAILED } from "../terminal/command-error.js";
import type { Output } from "../terminal/output.js";

/** How long the process may take to end after it was asked to. */
const DRAIN_MS = 10_000;
/** How often a process that npm runs looks whether npm is still there. */
const ALONE_MS = 250;
/** A signal this soon after the first is the same one: npm passes on what the terminal has sent to all anyway. */
const ECHO_MS = 100;

/**
 * Resolves when the process is asked to end by SIGTERM or SIGINT, or when the npm that runs it has ended. Being
 * asked again, or taking more than 10 s from then on, ends it at once with exit code 1.
 */
export function stopSignal(output: Output): Promise<void> {
  return new Promise((resolve) => {
    let askedAt: number | null = null;
    const endNow = (reason: string) => {
      output.note(`loyalty-kit: ${reason}, ended with requests under way`);
      process.exit(FAILED);
    };
    const onSignal = () => {
      if (askedAt === null) {
        askedAt = performance.now();
        setTimeout(endNow, DRAIN_MS, `not done within ${DRAIN_MS / 1_000} s`).unref();
        resolve();
      } else if (performance.now() - askedAt > ECHO_MS) endNow("asked to end again");
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
