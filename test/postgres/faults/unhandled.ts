import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect } from "vitest";

/** Makes the tests of a file fail if an error reaches no caller, which would end another process. */
export function expectNothingUnhandled(): void {
  const unhandled: unknown[] = [];
  const recordError = (error: unknown) => void unhandled.push(error);

  beforeEach(() => {
    process.on("uncaughtExceptionMonitor", recordError);
    process.on("unhandledRejection", recordError);
  });

  afterEach(async () => {
    // Pending socket events take some iterations of the event loop.
    for (let turns = 0; turns < 5; turns += 1) await turn();
    process.off("uncaughtExceptionMonitor", recordError);
    process.off("unhandledRejection", recordError);
    expect(unhandled.splice(0)).toEqual([]);
  });
}
