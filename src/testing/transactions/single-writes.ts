import assert from "node:assert/strict";
import { run, wait } from "../../concurrency/step.js";
import type { StorageReader } from "../../storage/storage-adapter.js";
import { everyRead, everyReadAtOnce } from "../kit/every-read.js";
import { quietWrites, writes } from "../kit/every-write.js";
import { endedOrWaiting, lookTwice } from "../kit/meanwhile.js";
import { setScene } from "../kit/scene.js";
import type { Statements } from "../kit/statements.js";

const failure = new Error("rolled back");

/** What transactions promise, of each write. It is one sentence a write: to set the scene takes longer than to look at it. */
export const singleWrites: Statements = Object.fromEntries(
  Object.entries(writes).map(([method, write]) => [
    `${method} is seen in its own transaction alone until that commits, by no snapshot from before, and leaves nothing once rolled back`,
    async (storage, acme) => {
      await setScene(storage, acme.id);
      const look = () => run(everyRead(storage, acme.id));
      const before = await look();

      let outside: Promise<unknown> = Promise.resolve();
      const rolledBack = storage.transaction(function* (tx) {
        yield* write(tx, acme.id);
        outside = everyReadAtOnce(storage, acme.id);
        yield* wait(endedOrWaiting(outside));
        throw failure;
      });
      await assert.rejects(rolledBack, failure);
      assert.deepEqual(await outside, before);
      assert.deepEqual(await look(), before);

      const state = storage.committedState();
      let inside: unknown;
      const seen = await lookTwice<StorageReader, unknown>(
        (work) => storage.snapshot(work),
        (reader) => everyRead(reader, acme.id),
        () =>
          storage.transaction(function* (tx) {
            assert.deepEqual(yield* everyRead(tx, acme.id), before);
            yield* write(tx, acme.id);
            inside = yield* everyRead(tx, acme.id);
          }),
      );
      assert.deepEqual(seen, [before, before]);
      assert.deepEqual(await look(), inside);
      if (quietWrites.has(method)) return;
      assert.notDeepEqual(inside, before);
      if (state !== null) assert.notEqual(storage.committedState(), state);
    },
  ]),
);
