import { afterAll, beforeAll, vi } from "vitest";
import { untyped } from "./refusal.js";

/** Makes timers of exactly this many milliseconds run immediately, in test files that don't test the time. */
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
