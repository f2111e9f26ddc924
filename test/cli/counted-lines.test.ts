import { afterEach, describe, expect, it, vi } from "vitest";
import { DedupedLines } from "../../adapters/apps/cli/server/log.js";

afterEach(() => void vi.useRealTimers());

describe("repeated log lines", () => {
  it("are written once, then reported with their count after five seconds", () => {
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

  it("are counted for up to 100 different lines; any other line is written each time", () => {
    vi.useFakeTimers();
    const outputLines: string[] = [];
    const lines = new DedupedLines((line) => void outputLines.push(line));
    for (const _ of [1, 2]) for (let at = 0; at < 102; at += 1) lines.add(`line ${at}`);
    expect(outputLines).toHaveLength(102 + 2);
    expect(vi.getTimerCount()).toBe(100);
  });
});
