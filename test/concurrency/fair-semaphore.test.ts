import { describe, expect, it } from "vitest";
import { FairSemaphore, type QueueLimits } from "../../src/base/concurrency/fair-semaphore.js";

/** Creates a semaphore whose tasks run until the test ends them. */
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
    /** Ends the oldest running task. */
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

describe("a fair semaphore", () => {
  it("runs as many tasks as there are slots", async () => {
    const { startTasks, startedCalls, endTask } = createSemaphore(3, 1);
    startTasks("a", 5);
    expect(startedCalls).toHaveLength(3);
    await endTask();
    expect(startedCalls).toHaveLength(4);
  });

  it("lets waiting keys take turns, even if one key queued many tasks first", async () => {
    const { startTasks, startedCalls, endTask } = createSemaphore(1, 1);
    startTasks("a", 4);
    startTasks("b", 2);
    startTasks("c");
    for (let time = 0; time < 6; time += 1) await endTask();
    expect(startedCalls).toEqual(["a", "a", "b", "c", "a", "b", "a"]);
  });

  it("keeps some slots free for other keys when one key requests many", () => {
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

  it("gives a key at least one slot", () => {
    const { startTasks, startedCalls } = createSemaphore(1, 1 / 2);
    startTasks("a");
    expect(startedCalls).toEqual(["a"]);
  });

  it("doesn't start an aborted task, and continues with the next one", async () => {
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

  it("rejects a task if the queue is full, and one that has waited too long", async () => {
    const line = { length: 2, patience: 20, createError: () => new Error("busy") };
    const { slots, startTasks } = createSemaphore(1, 1, line);
    startTasks("a");
    const tasks = [1, 2, 3].map(() => slots.run("a", async () => {}));
    await expect(tasks[2]).rejects.toThrow("busy");
    const other = slots.run("b", async () => {});
    for (const task of [tasks[0], tasks[1], other]) await expect(task).rejects.toThrow("busy");
  });

  it("frees the slot when a task fails", async () => {
    const slots = new FairSemaphore(1, 1);
    await expect(slots.run("a", () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    expect(await slots.run("b", async () => 7)).toBe(7);
  });
});
