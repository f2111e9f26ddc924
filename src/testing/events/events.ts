import assert from "node:assert/strict";
import { run, type Step } from "../../concurrency/step.js";
import type { StoredEvent } from "../../storage/events.js";
import type { StorageReader } from "../../storage/storage-adapter.js";
import { TestOrganization } from "../kit/organization.js";
import { pseudoRandom } from "../kit/pseudo-random.js";
import { someEvent } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

/** Every event that the organization's outbox keeps. */
export function all(reader: StorageReader, { id }: TestOrganization): Step<StoredEvent[]> {
  return reader.listEvents(id, null, 0, 20_000);
}

export function positionsOf(events: readonly StoredEvent[]): number[] {
  return events.map(({ position }) => position);
}

const reading: Statements = {
  "events of an organization that never appended are none": async (storage, acme) => {
    await acme.tag();
    assert.deepEqual(await run(storage.listEvents(acme.id, null, 0, 10)), []);
    assert.deepEqual(await run(storage.listEvents(acme.id, ["user.created"], 0, 10)), []);
  },

  "the newest position is the highest ever given, also after its event is gone": async (storage, acme) => {
    assert.equal(await run(storage.newestEventPosition(acme.id)), 0);
    await acme.events(Array.from({ length: 9 }, () => ({})));
    assert.equal(await run(storage.newestEventPosition(acme.id)), 9);
    await acme.write(function* (tx) {
      yield* tx.appendEvents(acme.id, [someEvent({})]);
      assert.equal(yield* tx.newestEventPosition(acme.id), 10);
      yield* tx.removeEvents(
        acme.id,
        { since: Number.MAX_SAFE_INTEGER, atMost: 0 },
        { after: 0, limit: 100 },
      );
    });
    assert.equal(await run(storage.newestEventPosition(acme.id)), 10);
    assert.deepEqual(await run(storage.listEvents(acme.id, ["user.created"], 0, 10)), []);
  },

  "events above a position are listed ascending, at most as many as asked": async (storage, acme) => {
    const events = await acme.events(Array.from({ length: 9 }, () => ({})));
    for (let after = 0; after <= 10; after += 1) {
      for (let limit = 1; limit <= 10; limit += 1) {
        const expected = events.slice(after, after + limit);
        assert.deepEqual(await run(storage.listEvents(acme.id, null, after, limit)), expected);
      }
    }
    assert.deepEqual(await run(storage.listEvents(acme.id, null, 999_999_999_999_999, 10)), []);
  },

  "events are listed by their positions, not by their times or ids": async (storage, acme) => {
    const events = await acme.events([
      { id: "evt_b", createdAt: 5 },
      { id: "evt_c", createdAt: 3 },
      { id: "evt_a", createdAt: 5 },
    ]);
    assert.deepEqual(await run(all(storage, acme)), events);
  },

  "events of some types are those of these types alone, however far apart they are": async (
    storage,
    acme,
  ) => {
    const random = pseudoRandom(5);
    const types = ["user.created", "user.updated", "user.deleted", "pass.created"];
    const events = await acme.events(Array.from({ length: 60 }, () => ({ type: types[random(4)] ?? "" })));
    const [rare] = await acme.events([{ type: "stamp.reset" }]);
    assert.ok(rare);
    for (const wanted of [["user.created"], ["pass.created", "user.deleted"], types, ["none"], []]) {
      for (const after of [0, 1, 17, 59, 60, 61]) {
        for (const limit of [1, 3, 100]) {
          const expected = events
            .filter(({ type, position }) => position > after && wanted.includes(type))
            .slice(0, limit);
          assert.deepEqual(await run(storage.listEvents(acme.id, wanted, after, limit)), expected);
        }
      }
    }
    assert.deepEqual(await run(storage.listEvents(acme.id, ["none", "stamp.reset"], 0, 1)), [rare]);
  },

  "events of a rare type are found among very many": async (storage, acme) => {
    const places = [0, 1, 4_999, 5_000, 6_001, 11_999];
    const rare = (at: number) => places.includes(at);
    const events = await acme.events(
      Array.from({ length: 12_000 }, (_, at) => ({ type: rare(at) ? "stamp.reset" : "user.created" })),
    );
    const expected = events.filter((_, at) => rare(at));
    for (const limit of [1, 3, 100]) {
      const found: StoredEvent[] = [];
      for (let last = 0; last >= 0; ) {
        const more = await run(storage.listEvents(acme.id, ["stamp.reset"], last, limit));
        found.push(...more);
        last = more.at(-1)?.position ?? -1;
      }
      assert.deepEqual(found, expected);
    }
  },

  "heads of events are the events without their data": async (storage, acme) => {
    await acme.events([{ data: '{"a":1}' }, { type: "pass.created" }, {}, { type: "pass.created" }]);
    for (const types of [null, ["pass.created"], []]) {
      for (const [after, limit] of [
        [0, 10],
        [1, 1],
        [2, 10],
      ] as const) {
        const events = await run(storage.listEvents(acme.id, types, after, limit));
        const heads = events.map(({ position, id, type, createdAt }) => ({ position, id, type, createdAt }));
        assert.deepEqual(await run(storage.listEventHeads(acme.id, types, after, limit)), heads);
      }
    }
  },

  "a type named twice lists its events once": async (storage, acme) => {
    const events = await acme.events([{}, {}]);
    assert.deepEqual(await run(storage.listEvents(acme.id, ["user.created", "user.created"], 0, 10)), events);
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
      assert.deepEqual(await run(storage.listEvents(acme.id, [type], 0, 10)), [events[at]], type);
    }
  },
};

const appending: Statements = {
  "appended events get the positions 1, 2, 3, … in the order given": async (storage, acme) => {
    const given = [someEvent(), someEvent({ type: "pass.created", data: '{"id":"wp_1"}' }), someEvent()];
    assert.equal(await acme.write((tx) => tx.appendEvents(acme.id, given)), 3);
    assert.deepEqual(
      await run(all(storage, acme)),
      given.map((event, at) => ({ ...event, position: at + 1 })),
    );
  },

  "positions go on from one transaction to the next, and within one": async (storage, acme) => {
    await acme.events([{}, {}]);
    await acme.write(function* (tx) {
      assert.equal(yield* tx.appendEvents(acme.id, [someEvent()]), 3);
      assert.deepEqual(positionsOf(yield* all(tx, acme)), [1, 2, 3]);
      assert.equal(yield* tx.appendEvents(acme.id, [someEvent(), someEvent()]), 5);
    });
    assert.equal(await acme.write((tx) => tx.appendEvents(acme.id, [someEvent()])), 6);
    assert.deepEqual(positionsOf(await run(all(storage, acme))), [1, 2, 3, 4, 5, 6]);
  },

  "very many events can be appended at once": async (storage, acme) => {
    const events = await acme.events(Array.from({ length: 5_000 }, (_, at) => ({ data: `{"at":${at}}` })));
    assert.equal(events.at(-1)?.position, 5_000);
    assert.deepEqual(await run(all(storage, acme)), events);
  },

  "a rolled back append neither loses a position nor gives one twice": async (storage, acme) => {
    const before = await acme.events([{}, {}]);
    const failure = new Error("rolled back");
    for (const count of [1, 3]) {
      const rolledBack = acme.write(function* (tx) {
        for (let round = 0; round < count; round += 1) yield* acme.within(tx).events([{}, {}]);
        throw failure;
      });
      await assert.rejects(rolledBack, failure);
      assert.deepEqual(await run(all(storage, acme)), before);
    }
    const after = await acme.events([{}]);
    assert.deepEqual(positionsOf(after), [3]);
    assert.deepEqual(await run(all(storage, acme)), [...before, ...after]);
  },

  "a rolled back first append leaves the first position to the next": async (storage, acme) => {
    const failure = new Error("rolled back");
    const rolledBack = acme.write(function* (tx) {
      yield* acme.within(tx).events([{}, {}]);
      throw failure;
    });
    await assert.rejects(rolledBack, failure);
    assert.deepEqual(positionsOf(await acme.events([{}])), [1]);
    assert.equal((await run(all(storage, acme))).length, 1);
  },

  "organizations don't share positions": async (storage, acme) => {
    const globex = new TestOrganization(storage, "globex");
    const [one] = [await acme.events([{}, {}]), await acme.events([{}])];
    assert.deepEqual(positionsOf(await globex.events([{}, {}])), [1, 2]);
    assert.deepEqual(positionsOf(await acme.events([{}])), [4]);
    await storage.transaction(function* (tx) {
      assert.equal(yield* tx.appendEvents(globex.id, [someEvent()]), 3);
      assert.equal(yield* tx.appendEvents(acme.id, [someEvent()]), 5);
      assert.equal(yield* tx.appendEvents(globex.id, [someEvent()]), 4);
    });
    assert.deepEqual(positionsOf(await run(all(storage, acme))), [1, 2, 3, 4, 5]);
    assert.deepEqual(positionsOf(await run(all(storage, globex))), [1, 2, 3, 4]);
    assert.deepEqual((await run(all(storage, acme))).slice(0, 2), one);
  },

  "one and the same event can be in the outboxes of two organizations": async (storage, acme) => {
    const event = someEvent();
    for (const id of [acme.id, "globex"]) await storage.transaction((tx) => tx.appendEvents(id, [event]));
    for (const id of [acme.id, "globex"]) {
      assert.deepEqual(await run(storage.listEvents(id, null, 0, 10)), [{ ...event, position: 1 }]);
    }
  },

  "events outlive what they tell of": async (storage, acme) => {
    const user = await acme.user();
    const events = await acme.events([{ data: JSON.stringify({ id: user.id }) }]);
    await acme.write((tx) => tx.deleteUser(acme.id, user.id));
    assert.deepEqual(await run(all(storage, acme)), events);
  },
};

export const events: Statements = { ...reading, ...appending };
