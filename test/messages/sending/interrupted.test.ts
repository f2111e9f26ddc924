import type { StorageAdapter } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import type { Step } from "../../../src/base/concurrency/step.js";
import type { StorageTransaction } from "../../../src/storage/storage-adapter.js";
import { adaptersInProcess } from "../../kit/adapters.js";
import { listNames, openSending, SECOND } from "./sending-scene.js";
import { expectSums } from "./watched-sums.js";

/** Aborts the transaction that makes the call with the number `at`, before that call. */
function breakTransactions(storage: StorageAdapter) {
  const breaks = { at: Number.POSITIVE_INFINITY, calls: 0 };
  const transaction = storage.transaction.bind(storage);
  storage.transaction = (organizationId, work, options) =>
    transaction(
      organizationId,
      function* (tx) {
        return yield* work(countCalls(tx));
      },
      options,
    );
  function countCalls(tx: StorageTransaction): StorageTransaction {
    return new Proxy(tx, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return (...args: unknown[]): Step<unknown> => {
          breaks.calls += 1;
          if (breaks.calls === breaks.at) throw new Error("broken off");
          return Reflect.apply(method, target, args);
        };
      },
    });
  }
  return breaks;
}

describe.each(adaptersInProcess)(
  "a process that is killed between two writes, on $name",
  ({ name, open }) => {
    /** Distance between the tested calls: on disk, some of the calls are enough. */
    const apart = name === "memory" ? 1 : 7;

    it("leaves a message that still completes, whichever write it was", async () => {
      const shop = await openSending({ storage: makeBreakable(await open()), onError: () => {} });
      const { acme, subscriber, send, mail, get, deliveries, sent, sums, clock, messages } = shop;
      for (const name of ["ada", "bob", "cyd"]) await subscriber(name);
      await acme.users.create({ name: "eve", email: "eve@example.com" });
      await acme.messageSettings.update({ cap: null });
      let rounds = 0;
      for (let at = 1; ; at += apart) {
        const { id } = await send();
        sent.length = 0;
        breaks.calls = 0;
        breaks.at = at;
        await mail.runOnce();
        const isOver = breaks.calls < at;
        breaks.at = Number.POSITIVE_INFINITY;
        // Claimed mails are due again after a minute, and the next attempt a minute after that.
        for (let step = 0; step < 4; step += 1) {
          clock.move(61 * SECOND);
          await mail.runOnce();
        }
        const { status, sums: reached } = await get(id);
        expect({ at, status, reached }).toMatchObject({
          status: "SENT",
          reached: { recipients: 4, accepted: 3, pending: 0, sending: 0, skipped: { no_consent: 1 } },
        });
        expect(await deliveries(id)).toHaveLength(4);
        expect([...new Set(listNames(sent))]).toEqual(["ada", "bob", "cyd"]);
        expect(sent.length - 3).toBeLessThanOrEqual(reached?.uncertain ?? 0);
        rounds += 1;
        if (isOver) break;
      }
      expect(rounds * apart).toBeGreaterThan(40);
      expect(await messages.queuesWithDueJobs(1)).toEqual([]);
      expectSums(sums);
    });
  },
);

let breaks = { at: Number.POSITIVE_INFINITY, calls: 0 };

function makeBreakable(storage: StorageAdapter): StorageAdapter {
  breaks = breakTransactions(storage);
  return storage;
}
