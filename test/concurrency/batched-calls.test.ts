import { describe, expect, it } from "vitest";
import { BatchedCalls } from "../../src/base/concurrency/shared-calls.js";

/** Creates batched calls that the test ends; each returns its items with the number of the call. */
function createCalls(concurrency: number) {
  const startedCalls: (readonly string[])[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const startCall = (items: readonly string[]) => {
    startedCalls.push(items);
    const number = startedCalls.length;
    return new Promise<string[]>((resolve, reject) => {
      const results = items.map((item) => `${item}${number}`);
      ends.push((error) => (error === undefined ? resolve(results) : reject(error)));
    });
  };
  return { calls: new BatchedCalls(startCall, concurrency), startedCalls, ends };
}

const waitIteration = () => new Promise((resolve) => setImmediate(resolve));

describe("batched calls", () => {
  it("resolve each item by a call that started after it arrived, with limited concurrency", async () => {
    const { calls, startedCalls, ends } = createCalls(2);
    const results = ["a", "b", "c", "d", "c"].map((item) => calls.run(item));
    expect(startedCalls).toEqual([["a"], ["b"]]);
    ends[1]?.();
    await waitIteration();
    expect(startedCalls).toEqual([["a"], ["b"], ["c", "d", "c"]]);
    ends[2]?.();
    ends[0]?.();
    expect(await Promise.all(results)).toEqual(["a1", "b2", "c3", "d3", "c3"]);
    await waitIteration();
    void calls.run("e");
    expect(startedCalls[3]).toEqual(["e"]);
  });

  it("continue after a failed call, which rejects only its own items", async () => {
    const { calls, ends } = createCalls(1);
    const [first, second] = [calls.run("a"), calls.run("b")];
    ends[0]?.(new Error("away"));
    await expect(first).rejects.toThrow("away");
    await waitIteration();
    ends[1]?.();
    expect(await second).toBe("b2");
  });
});
