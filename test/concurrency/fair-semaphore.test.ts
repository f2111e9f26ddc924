import { describe, expect, it } from "vitest";
import { FairSemaphore, type QueueLimits } from "../../src/base/concurrency/fair-semaphore.js";

/** A semaphore and tasks in it that run until the test ends them. */
function createSemaphore(count: number, share: number, line: QueueLimits | null = null) {
  const slots = new FairSemaphore(count, share, line);
  const startedCalls: string[] = [];
  const ends: (() => void)[] = [];
  return {
    slots,
    startedCalls,
    /** Requests this many slots for a key. */
    startTasks(key: string, times = 1) {
      for (let time = 0; time < times; time += 1) {
        void slots.run(key, () => {
          startedCalls.push(key);
          return new Promise<void>((end) => ends.push(end));
        });
      }
    },
    /** Ends the oldest work under way. */
    async endTask() {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

function createAbort() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort(new Error("gone")) };
}

describe("fair slots", () => {
  it("let as many works go on as there are slots", async () => {
    const { startTasks, startedCalls, endTask } = createSemaphore(3, 1);
    startTasks("a", 5);
    expect(startedCalls).toHaveLength(3);
    await endTask();
    expect(startedCalls).toHaveLength(4);
  });

  it("go to the keys that wait in turn, however many works of one came before", async () => {
    const { startTasks, startedCalls, endTask } = createSemaphore(1, 1);
    startTasks("a", 4);
    startTasks("b", 2);
    startTasks("c");
    for (let time = 0; time < 6; time += 1) await endTask();
    expect(startedCalls).toEqual(["a", "a", "b", "c", "a", "b", "a"]);
  });

  it("keep some free for other keys, whatever one asks for", () => {
    const { startTasks, startedCalls } = createSemaphore(8, 1 / 2);
    startTasks("a", 100);
    expect(startedCalls).toHaveLength(4);
    startTasks("b", 100);
    expect(startedCalls.filter((key) => key === "b")).toHaveLength(2);
    startTasks("c", 100);
    startTasks("d", 100);
    expect(startedCalls).toHaveLength(8);
    expect(startedCalls.slice(-2)).toEqual(["c", "d"]);
  });

  it("let a key hold one at least", () => {
    const { startTasks, startedCalls } = createSemaphore(1, 1 / 2);
    startTasks("a");
    expect(startedCalls).toEqual(["a"]);
  });

  it("begin nothing that was aborted before, and let the next go on", async () => {
    const { slots, startTasks, startedCalls, endTask } = createSemaphore(1, 1);
    startTasks("a");
    const { signal, abort } = createAbort();
    const abortedTask = slots.run("b", async () => startedCalls.push("never"), { signal });
    startTasks("b");
    abort();
    await expect(abortedTask).rejects.toThrow("gone");
    await expect(slots.run("b", async () => startedCalls.push("never"), { signal })).rejects.toThrow("gone");
    await endTask();
    expect(startedCalls).toEqual(["a", "b"]);
  });

  it("refuse what is one too many to wait, and what has waited for too long", async () => {
    const line = { length: 2, patience: 20, createError: () => new Error("busy") };
    const { slots, startTasks } = createSemaphore(1, 1, line);
    startTasks("a");
    const tasks = [1, 2, 3].map(() => slots.run("a", async () => {}));
    await expect(tasks[2]).rejects.toThrow("busy");
    const other = slots.run("b", async () => {});
    for (const task of [tasks[0], tasks[1], other]) await expect(task).rejects.toThrow("busy");
  });

  it("come back when a work fails", async () => {
    const slots = new FairSemaphore(1, 1);
    await expect(slots.run("a", () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    expect(await slots.run("b", async () => 7)).toBe(7);
  });
});
