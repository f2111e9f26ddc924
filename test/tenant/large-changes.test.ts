import { afterEach, describe, expect, it, vi } from "vitest";
import { WorkQueues } from "../../src/kernel/queues.js";
import { getErrorDetail } from "../kit/refusal.js";

const unavailable = { code: "storage_unavailable", params: null };

/** Opens the queue for large changes, with changes that run until the test ends them. */
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
  it("run two at a time, one per organization, and organizations take turns", async () => {
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

  it("are refused when 20 of the organization wait, which affects no other organization", async () => {
    // With fake timers the waiting changes are never refused, whatever else the process does.
    vi.useFakeTimers();
    const { begun, queueChange } = openScene();
    for (let at = 0; at < 21; at += 1) void queueChange("acme");
    expect(await getErrorDetail(queueChange("acme"))).toEqual(unavailable);
    void queueChange("globex");
    expect(begun).toEqual(["acme", "globex"]);
  });

  it("are refused after they have waited for a minute", async () => {
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
