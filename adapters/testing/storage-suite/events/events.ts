import assert from "node:assert/strict";
import { runStep, type Step } from "../../../../src/base/concurrency/step.js";
import type { StoredEvent } from "../../../../src/storage/events.js";
import type { StorageReader } from "../../../../src/storage/storage-adapter.js";
import type { Statements } from "../kit/statements.js";

/** Reads all of the organization's outbox events, up to 20,000. */
export function listAllEvents(reader: StorageReader): Step<StoredEvent[]> {
  return reader.listEvents(null, 0, 20_000);
}

export function listPositions(events: readonly StoredEvent[]): number[] {
  return events.map(({ position }) => position);
}

const reading: Statements = {
  "events of a rare type are found among thousands of others": async (storage, acme) => {
    const places = [0, 1, 4_999, 5_000, 6_001, 11_999];
    const isRare = (at: number) => places.includes(at);
    const events = await acme.events(
      Array.from({ length: 12_000 }, (_, at) => ({ type: isRare(at) ? "stamp.reset" : "user.created" })),
    );
    const expected = events.filter((_, at) => isRare(at));
    for (const limit of [1, 3, 100]) {
      const listedEvents: StoredEvent[] = [];
      for (let last = 0; last >= 0; ) {
        const more = await runStep(storage.reader(acme.id).listEvents(["stamp.reset"], last, limit));
        listedEvents.push(...more);
        last = more.at(-1)?.position ?? -1;
      }
      assert.deepEqual(listedEvents, expected);
    }
  },

  "types compare exactly": async (storage, acme) => {
    const types = [
      "user.created",
      "USER.CREATED",
      "user.created ",
      "user_created",
      "user.create",
      "user.%",
      "",
    ];
    const events = await acme.events(types.map((type) => ({ type })));
    for (const [at, type] of types.entries()) {
      assert.deepEqual(await runStep(storage.reader(acme.id).listEvents([type], 0, 10)), [events[at]], type);
    }
  },
};

const appending: Statements = {
  "thousands of events can be appended in one call": async (storage, acme) => {
    const events = await acme.events(Array.from({ length: 5_000 }, (_, at) => ({ data: `{"at":${at}}` })));
    assert.equal(events.at(-1)?.position, 5_000);
    assert.deepEqual(await runStep(listAllEvents(storage.reader(acme.id))), events);
  },
};

export const events: Statements = { ...reading, ...appending };
