import { describe, expect, it } from "vitest";
import { CoalescedCalls } from "../../src/base/concurrency/shared-calls.js";

/** Creates coalesced calls that the test ends; each returns its number. */
function createCalls() {
  const coalescedCalls = new CoalescedCalls<number>();
  const startedCalls: string[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const startCall = (key: string) =>
    coalescedCalls.run(key, () => {
      startedCalls.push(key);
      const number = startedCalls.length;
      return new Promise((resolve, reject) => {
        ends.push((error) => (error === undefined ? resolve(number) : reject(error)));
      });
    });
  return { coalescedCalls, startedCalls, ends, startCall };
}

const waitIteration = () => new Promise((resolve) => setImmediate(resolve));

describe("coalesced calls", () => {
  it("resolve every caller by a call that started after it came, one call at a time per key", async () => {
    const { coalescedCalls, startedCalls, ends, startCall } = createCalls();
    const first = startCall("a");
    const [second, third] = [startCall("a"), startCall("a")];
    const other = startCall("b");
    expect(startedCalls).toEqual(["a", "b"]);
    ends[0]?.();
    expect(await first).toBe(1);
    await waitIteration();
    expect(startedCalls).toEqual(["a", "b", "a"]);
    const fourth = startCall("a");
    ends[2]?.();
    expect(await Promise.all([second, third])).toEqual([3, 3]);
    await waitIteration();
    ends[3]?.();
    ends[1]?.();
    expect(await Promise.all([fourth, other])).toEqual([4, 2]);
    await waitIteration();
    expect(coalescedCalls.size).toBe(0);
  });

  it("continue after a failed call, which rejects only the callers that shared it", async () => {
    const { coalescedCalls, ends, startCall } = createCalls();
    const [first, second] = [startCall("a"), startCall("a")];
    ends[0]?.(new Error("away"));
    await expect(first).rejects.toThrow("away");
    await waitIteration();
    ends[1]?.();
    expect(await second).toBe(2);
    await waitIteration();
    expect(coalescedCalls.size).toBe(0);
  });
});
