import { LoyaltyError, type StorageAdapter } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { OutageWatch } from "../../adapters/apps/cli/server/outage-watch.js";

const createUnavailableError = () => new LoyaltyError({ code: "storage_unavailable", params: null });

/** Creates a storage that is unavailable until the test calls `recover`. */
function createFailingStorage() {
  const storage = memoryStorage();
  let isAway = true;
  let looks = 0;
  const failingSnapshot: StorageAdapter["snapshot"] = (organizationId, work) => {
    looks += 1;
    return isAway ? Promise.reject(createUnavailableError()) : storage.snapshot(organizationId, work);
  };
  const recover = () => {
    isAway = false;
  };
  return { storage: { ...storage, snapshot: failingSnapshot }, recover, countLooks: () => looks };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a database that was unavailable", () => {
  it("is reported as available again, once, with the length of the outage", async () => {
    const { storage, recover, countLooks } = createFailingStorage();
    const lines: string[] = [];
    const watch = new OutageWatch(storage, (line) => lines.push(line), Date.now);
    for (let time = 0; time < 1_000; time += 1) watch.onError(createUnavailableError());
    await vi.advanceTimersByTimeAsync(9_500);
    expect([countLooks(), lines]).toEqual([10, []]);
    recover();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lines).toEqual(["loyalty-kit: the database is available again after 10 s"]);
    expect(countLooks()).toBe(11);
    await watch.close();
  });

  it("isn't reported if it can be read, as with a full disk, and is checked at most once a second", async () => {
    const { storage, recover, countLooks } = createFailingStorage();
    recover();
    const lines: string[] = [];
    const watch = new OutageWatch(storage, (line) => lines.push(line), Date.now);
    for (let time = 0; time < 30; time += 1) {
      watch.onError(createUnavailableError());
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(lines).toEqual([]);
    expect(countLooks()).toBeLessThanOrEqual(3);
    await watch.close();
  });

  it("isn't checked for other errors, nor after the server has closed", async () => {
    const { storage, countLooks } = createFailingStorage();
    const watch = new OutageWatch(storage, () => {}, Date.now);
    watch.onError(new Error("a listener failed"));
    expect(countLooks()).toBe(0);
    watch.onError(createUnavailableError());
    await vi.advanceTimersByTimeAsync(10);
    await watch.close();
    watch.onError(createUnavailableError());
    await vi.advanceTimersByTimeAsync(60_000);
    expect(countLooks()).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
