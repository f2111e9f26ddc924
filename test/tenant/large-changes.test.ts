import { afterEach, describe, expect, it, vi } from "vitest";
import { WorkQueues } from "../../src/kernel/queues.js";
import { getErrorDetail } from "../kit/refusal.js";

const unavailable = { code: "storage_unavailable", params: null };

/** The line for large changes, and those under way, which go on until they are told to end. */
function openScene() {
  const line = new WorkQueues(null).largeChanges;
  const starts: string[] = [];
  const ends: (() => void)[] = [];
  const queueChange = (organization: string) =>
    line.run(organization, () => {
      starts.push(organization);
      return new Promise<void>((end) => ends.push(end));
    });
  return { begun: starts, ends, queueChange };
}

afterEach(() => void vi.useRealTimers());

describe("large changes", () => {
  it("go on two at a time, one of each organization, which take turns", async () => {
    const { begun, ends, queueChange } = openScene();
    const calls = ["acme", "acme", "acme", "globex", "initech"].map(queueChange);
    expect(begun).toEqual(["acme", "globex"]);
    for (let remaining = calls.length; remaining > 0; remaining -= 1) {
      await expect.poll(() => ends.length).toBeGreaterThan(0);
      ends.shift()?.();
    }
    await Promise.all(calls);
    expect(begun.slice(2).sort()).toEqual(["acme", "acme", "initech"]);
    expect(begun.indexOf("initech")).toBeLessThan(begun.lastIndexOf("acme"));
  });

  it("are refused when 20 of the organization wait, and no other one feels it", async () => {
    // Those that wait here are never refused, whatever else the process goes on to do.
    vi.useFakeTimers();
    const { begun, queueChange } = openScene();
    for (let at = 0; at < 21; at += 1) void queueChange("acme");
    expect(await getErrorDetail(queueChange("acme"))).toEqual(unavailable);
    void queueChange("globex");
    expect(begun).toEqual(["acme", "globex"]);
  });

  it("are refused when they have waited for a minute", async () => {
    vi.useFakeTimers();
    const { queueChange } = openScene();
    void queueChange("acme");
    const waiting = getErrorDetail(queueChange("acme"));
    const isOver = vi.fn();
    void waiting.then(isOver);
    await vi.advanceTimersByTimeAsync(59_999);
    expect(isOver).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(await waiting).toEqual(unavailable);
  });
});
