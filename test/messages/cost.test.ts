import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import type { StorageTransaction } from "../../src/storage/storage-adapter.js";
import { interceptCalls, replaceTransactions } from "../kit/intercept-calls.js";
import { getErrorDetail } from "../kit/refusal.js";
import { accepted, HOUR, openMailing } from "./mailing.js";

/** Opens a shop in memory that records the calls of each transaction. */
async function openCountedShop(pendingMessageDeliveries: number) {
  const transactions: [method: string, args: readonly unknown[]][][] = [];
  const storage = memoryStorage();
  const recordingStorage = replaceTransactions(storage, (organizationId, work, options) =>
    storage.transaction(
      organizationId,
      (tx) => {
        const calls: [string, readonly unknown[]][] = [];
        transactions.push(calls);
        const recordingTx = interceptCalls<StorageTransaction>(tx, (method, proceed, args) => {
          calls.push([method, args]);
          return proceed();
        });
        return work(recordingTx);
      },
      options,
    ),
  );
  const shop = await openMailing({ storage: recordingStorage, limits: { pendingMessageDeliveries } });
  const readCounts = () =>
    transactions
      .flat()
      .filter(([method, [kind]]) => method === "countOf" && kind === "pendingMessageDeliveries").length;
  return { ...shop, transactions, readCounts };
}

describe("large numbers of mails", () => {
  it("are counted once a second, regardless of how many are queued or refused, and never exceed the limit", async () => {
    const { acme, withPass, readCounts, clock, attemptDelivery } = await openCountedShop(3);
    const passes = [];
    for (let at = 0; at < 6; at += 1) passes.push((await withPass()).pass.id);
    const [a = "", b = "", c = "", d = "", e = "", f = ""] = passes;
    for (const id of [a, b]) await acme.passes.notify(id);
    expect(readCounts()).toBe(1);
    await acme.passes.notify(c);
    expect(readCounts()).toBe(1);
    const tooMany = { code: "too_many_pending_deliveries" };
    for (const id of [d, e, d]) expect(await getErrorDetail(acme.passes.notify(id))).toMatchObject(tooMany);
    // The first refusal required another count.
    expect(readCounts()).toBe(2);
    await attemptDelivery(accepted);
    for (const id of [d, e, f]) await acme.passes.notify(id);
    expect(readCounts()).toBe(2);
    expect(await getErrorDetail(acme.passes.notify((await withPass()).pass.id))).toMatchObject(tooMany);
    clock.move(1_000);
    expect(await getErrorDetail(acme.passes.notify((await withPass()).pass.id))).toMatchObject(tooMany);
    expect(readCounts()).toBe(4);
  });

  it("that have expired end in transactions of at most a hundred, so that no call waits long", async () => {
    const { acme, withPass, claim, clock, transactions } = await openCountedShop(1_000);
    for (let at = 0; at < 230; at += 1) await acme.passes.notify((await withPass()).pass.id);
    clock.move(48 * HOUR);
    const { pass } = await withPass();
    await acme.passes.notify(pass.id);
    transactions.length = 0;
    expect((await claim()).map(({ delivery }) => delivery.passId)).toEqual([pass.id]);
    const recordCounts = transactions.map((calls) =>
      calls
        .filter(([method]) => method === "recordResults")
        .reduce((sum, [, args]) => sum + (Array.isArray(args[3]) ? args[3].length : 0), 0),
    );
    expect(Math.max(...recordCounts)).toBeLessThanOrEqual(100);
    expect(recordCounts.reduce((sum, each) => sum + each, 0)).toBe(230);
  });
});
