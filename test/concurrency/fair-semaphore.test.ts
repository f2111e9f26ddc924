import { describe, expect, it } from "vitest";
import { FairSemaphore, type QueueLimits } from "../../src/base/concurrency/fair-semaphore.js";

/** Semaphore, and works in them that go on until they are told to end. */
function createSemaphore(count: number, share: number, line: QueueLimits | null = null) {
  const slots = new FairSemaphore(count, share, line);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  return {
    slots,
    begun,
    /** Asks for so many slots for a key. */
    ask(key: string, times = 1) {
      for (let time = 0; time < times; time += 1) {
        void slots.run(key, () => {
          begun.push(key);
          return new Promise<void>((end) => ends.push(end));
        });
      }
    },
    /** Ends the oldest work under way. */
    async end() {
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
    const { ask, begun, end } = createSemaphore(3, 1);
    ask("a", 5);
    expect(begun).toHaveLength(3);
    await end();
    expect(begun).toHaveLength(4);
  });

  it("go to the keys that wait in turn, however many works of one came before", async () => {
    const { ask, begun, end } = createSemaphore(1, 1);
    ask("a", 4);
    ask("b", 2);
    ask("c");
    for (let time = 0; time < 6; time += 1) await end();
    expect(begun).toEqual(["a", "a", "b", "c", "a", "b", "a"]);
  });

  it("keep some free for other keys, whatever one asks for", () => {
    const { ask, begun } = createSemaphore(8, 1 / 2);
    ask("a", 100);
    expect(begun).toHaveLength(4);
    ask("b", 100);
    expect(begun.filter((key) => key === "b")).toHaveLength(2);
    ask("c", 100);
    ask("d", 100);
    expect(begun).toHaveLength(8);
    expect(begun.slice(-2)).toEqual(["c", "d"]);
  });

  it("let a key hold one at least", () => {
    const { ask, begun } = createSemaphore(1, 1 / 2);
    ask("a");
    expect(begun).toEqual(["a"]);
  });

  it("begin nothing that was aborted before, and let the next go on", async () => {
    const { slots, ask, begun, end } = createSemaphore(1, 1);
    ask("a");
    const { signal, abort } = createAbort();
    const aborted = slots.run("b", async () => begun.push("never"), { signal });
    ask("b");
    abort();
    await expect(aborted).rejects.toThrow("gone");
    await expect(slots.run("b", async () => begun.push("never"), { signal })).rejects.toThrow("gone");
    await end();
    expect(begun).toEqual(["a", "b"]);
  });

  it("refuse what is one too many to wait, and what has waited for too long", async () => {
    const line = { length: 2, patience: 20, createError: () => new Error("busy") };
    const { slots, ask } = createSemaphore(1, 1, line);
    ask("a");
    const works = [1, 2, 3].map(() => slots.run("a", async () => {}));
    await expect(works[2]).rejects.toThrow("busy");
    const other = slots.run("b", async () => {});
    for (const work of [works[0], works[1], other]) await expect(work).rejects.toThrow("busy");
  });

  it("come back when a work fails", async () => {
    const slots = new FairSemaphore(1, 1);
    await expect(slots.run("a", () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    expect(await slots.run("b", async () => 7)).toBe(7);
  });
});
