import { LoyaltyService } from "loyalty-kit";
import { expect, it, onTestFinished, vi } from "vitest";
import { TransactionQueue, WaitingTransaction } from "../../adapters/storage/sqlite/writer/commit-group.js";
import type { Step } from "../../src/base/concurrency/step.js";
import { open } from "./open-storage.js";
import { createTemporaryFile } from "./temporary-file.js";

function* doNothing(): Step<void> {}

it.each([true, false])(
  "organizations take turns, and each keeps the order of its changes (large: %s)",
  async (isLarge) => {
    const storage = await open(createTemporaryFile());
    onTestFinished(() => storage.close());
    const starts: string[] = [];
    let end = () => {};
    const gate = new Promise<void>((resolve) => {
      end = resolve;
    });
    const queueChange = (organizationId: string, at: number, until: Promise<void> = Promise.resolve()) =>
      storage.transaction(
        organizationId,
        function* () {
          starts.push(`${organizationId} ${at}`);
          yield until;
        },
        { isLarge },
      );
    const first = queueChange("a", 0, gate);
    const changes = [1, 2, 3].map((at) => queueChange("a", at));
    changes.push(queueChange("b", 1), queueChange("b", 2), queueChange("c", 1));
    end();
    await Promise.all([first, ...changes]);
    expect(starts).toEqual(["a 0", "b 1", "c 1", "a 1", "b 2", "a 2", "a 3"]);
  },
);

/** Opens a storage whose clock the test moves, and a gate that a change can wait for. */
async function openWithTestClock() {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const storage = await open(createTemporaryFile());
  onTestFinished(() => storage.close());
  let end = () => {};
  const gate = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { storage, gate, end: () => end() };
}

it("a change that waits half a minute for others is refused without having run", async () => {
  const { storage, gate, end } = await openWithTestClock();
  const ran: string[] = [];
  const queueChange = (organizationId: string, until: Promise<void> = Promise.resolve()) =>
    storage.transaction(organizationId, function* () {
      ran.push(organizationId);
      yield until;
    });
  const first = queueChange("a", gate);
  const late = expect(queueChange("b")).rejects.toMatchObject({ code: "storage_unavailable" });
  await expect.poll(() => ran).toEqual(["a"]);
  vi.advanceTimersByTime(29_000);
  const patient = queueChange("c");
  vi.advanceTimersByTime(2_000);
  await late;
  end();
  await Promise.all([first, patient]);
  expect(ran).toEqual(["a", "c"]);
});

it("at most 10,000 changes of one organization wait, and another organization still gets its turn", () => {
  const queue = new TransactionQueue();
  const queueChange = (organizationId: string) =>
    new WaitingTransaction(doNothing, { resolve: () => {}, reject: () => {} }, false, organizationId);
  for (let at = 0; at < 10_000; at += 1) queue.push(queueChange("hostile"));
  expect(() => queue.push(queueChange("hostile"))).toThrow(
    expect.objectContaining({ code: "storage_unavailable" }),
  );
  queue.push(queueChange("quiet"));
  expect([queue.shift()?.organizationId, queue.shift()?.organizationId]).toEqual(["hostile", "quiet"]);
  queue.push(queueChange("hostile"));
});

it("a large change that takes more than half a minute isn't refused, and the next one runs", async () => {
  const { storage, gate, end } = await openWithTestClock();
  const ran: string[] = [];
  const queueChange = (name: string, isLarge: boolean, until: Promise<void> = Promise.resolve()) =>
    storage.transaction(
      "a",
      function* () {
        ran.push(name);
        yield until;
        return name;
      },
      { isLarge },
    );
  const large = queueChange("large", true, gate);
  await expect.poll(() => ran).toEqual(["large"]);
  vi.advanceTimersByTime(29_000);
  const next = queueChange("next", false);
  vi.advanceTimersByTime(2_000);
  end();
  expect(await Promise.all([large, next])).toEqual(["large", "next"]);
});

it("a change that waits too long for a host's transaction fails with an error that says so", async () => {
  const { storage, gate, end } = await openWithTestClock();
  let hasBegun = false;
  const loyalty = new LoyaltyService({ storage });
  const sale = loyalty.transaction(
    async () => {
      hasBegun = true;
      await gate;
    },
    { timeoutMs: 60_000 },
  );
  await expect.poll(() => hasBegun).toBe(true);
  const late = expect(storage.transaction("a", doNothing)).rejects.toThrow(
    "A transaction of the host is still open, and this call is waiting for it to end.",
  );
  vi.advanceTimersByTime(31_000);
  await late;
  end();
  await sale;
});
