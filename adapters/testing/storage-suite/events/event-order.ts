import assert from "node:assert/strict";
import { awaitInStep, runStep } from "../../../../src/base/concurrency/step.js";
import type { StoredEvent } from "../../../../src/storage/events.js";
import { waitBriefly } from "../kit/meanwhile.js";
import { someEvent } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";
import { listAllEvents, listPositions } from "./events.js";

export const eventOrder: Statements = {
  "while a transaction that appended events is open, no other transaction of the organization appends any":
    async (storage, acme) => {
      const order: string[] = [];
      let other: Promise<unknown> = Promise.resolve();
      await acme.write(function* (tx) {
        assert.equal(yield* tx.appendEvents([someEvent({ id: "evt_1" })]), 1);
        other = acme.events([{ id: "evt_3" }]).then(() => order.push("other"));
        yield* awaitInStep(waitBriefly(other));
        assert.deepEqual(order, []);
        assert.equal(yield* tx.appendEvents([someEvent({ id: "evt_2" })]), 2);
      });
      await other;
      assert.deepEqual(
        (await runStep(listAllEvents(storage.reader(acme.id)))).map(({ id }) => id),
        ["evt_1", "evt_2", "evt_3"],
      );
    },

  "events appended concurrently each get their own position, without gaps": async (storage, acme) => {
    const appended = await Promise.all(
      Array.from({ length: 20 }, (_, at) => acme.events(Array.from({ length: 1 + (at % 3) }, () => ({})))),
    );
    const expected = appended.flat().sort((a, b) => a.position - b.position);
    assert.deepEqual(
      listPositions(expected),
      Array.from(expected, (_, at) => at + 1),
    );
    assert.deepEqual(await runStep(listAllEvents(storage.reader(acme.id))), expected);
  },

  "once a reader has seen a position, no event appears at a lower one": async (storage, acme) => {
    const seenEvents: StoredEvent[] = [];
    const follow = async () => {
      const more = await runStep(
        storage.reader(acme.id).listEvents(null, seenEvents.at(-1)?.position ?? 0, 3),
      );
      seenEvents.push(...more);
      return more.length;
    };
    const failure = new Error("rolled back");
    const writing = Array.from({ length: 30 }, (_, at) =>
      acme
        .write(function* (tx) {
          yield* acme.withTransaction(tx).events([{}]);
          if (at % 4 === 0) yield* awaitInStep(waitBriefly(new Promise((resolve) => setImmediate(resolve))));
          yield* acme.withTransaction(tx).events([{}]);
          if (at % 5 === 0) throw failure;
        })
        .catch((error: unknown) => assert.equal(error, failure)),
    );
    let isWriting = true;
    const allWritten = Promise.all(writing).then(() => {
      isWriting = false;
    });
    while (isWriting) {
      await follow();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await allWritten;
    while ((await follow()) > 0);
    assert.deepEqual(seenEvents, await runStep(listAllEvents(storage.reader(acme.id))));
    assert.equal(seenEvents.length, 48);
  },
};
