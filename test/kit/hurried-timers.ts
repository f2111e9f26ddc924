import { afterAll, beforeAll, vi } from "vitest";
import { untyped } from "./refusal.js";

/** Has timers of just so many milliseconds run out at once, in the tests of a file that are not about the time. */
export function shortenTimers(milliseconds: number): void {
  const { setTimeout } = globalThis;
  beforeAll(() => {
    vi.spyOn(globalThis, "setTimeout").mockImplementation(
      untyped((work: () => void, ms?: number, ...args: unknown[]) =>
        Reflect.apply(setTimeout, globalThis, [work, ms === milliseconds ? 0 : ms, ...args]),
      ),
    );
  });
  afterAll(() => {
    globalThis.setTimeout = setTimeout;
  });
}
