import assert from "node:assert/strict";
import { everyReadAtOnce } from "../kit/every-read.js";
import { endedOrWaiting } from "../kit/meanwhile.js";
import type { Statements } from "../kit/statements.js";

export const closing: Statements = {
  "closing twice is harmless": async (storage) => {
    await storage.close();
    await storage.close();
    await Promise.all([storage.close(), storage.close()]);
  },

  "reads after close reject": async (storage, acme) => {
    await acme.tag({ slug: "vip" });
    await storage.close();
    await assert.rejects(storage.findTag(acme.id, "vip"));
    await assert.rejects(storage.listUsers(acme.id, -1, 10));
    await assert.rejects(storage.isEmpty());
    await assert.rejects(everyReadAtOnce(storage, acme.id));
  },

  "transactions and snapshots after close reject without beginning": async (storage) => {
    await storage.close();
    let begun = 0;
    const work = async () => {
      begun += 1;
    };
    await assert.rejects(storage.transaction(work));
    await assert.rejects(storage.snapshot(work));
    assert.equal(begun, 0);
  },

  "close waits for what is under way": async (storage, acme) => {
    const ended: string[] = [];
    let closing: Promise<unknown> = Promise.resolve();
    const writing = storage
      .transaction(async (tx) => {
        closing = storage.close().then(() => ended.push("closed"));
        await endedOrWaiting(closing);
        await acme.within(tx).tag({ slug: "vip" });
        assert.notEqual(await tx.findTag(acme.id, "vip"), null);
      })
      .then(() => ended.push("committed"));
    await writing;
    await closing;
    assert.deepEqual(ended, ["committed", "closed"]);
  },

  "what was called before close is done": async (storage, acme) => {
    const begun = [acme.tag(), acme.tag(), storage.isEmpty(), storage.snapshot((reader) => reader.isEmpty())];
    await storage.close();
    await Promise.all(begun);
  },
};
