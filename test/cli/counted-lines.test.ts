import { afterEach, describe, expect, it, vi } from "vitest";
import { DedupedLines } from "../../adapters/apps/cli/server/log.js";

afterEach(() => void vi.useRealTimers());

describe("lines of a log that come again", () => {
  it("are written once, and told of with their number after five seconds", () => {
    vi.useFakeTimers();
    const outputLines: string[] = [];
    const lines = new DedupedLines((line) => void outputLines.push(line));
    for (let time = 0; time < 1_000; time += 1) lines.add("the database is gone");
    expect(outputLines).toEqual(["the database is gone"]);
    vi.advanceTimersByTime(5_000);
    expect(outputLines.slice(1)).toEqual(["the database is gone (999 more in 5 s)"]);
    lines.add("the database is gone");
    expect(outputLines).toHaveLength(3);
  });

  it("are counted apart for 100 at a time; further ones are written each", () => {
    vi.useFakeTimers();
    const outputLines: string[] = [];
    const lines = new DedupedLines((line) => void outputLines.push(line));
    for (const _ of [1, 2]) for (let at = 0; at < 102; at += 1) lines.add(`line ${at}`);
    expect(outputLines).toHaveLength(102 + 2);
    expect(vi.getTimerCount()).toBe(100);
  });
});
