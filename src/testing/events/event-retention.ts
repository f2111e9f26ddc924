import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import type { EventRemoval, RemovalRange } from "../../storage/events.js";
import { TestOrganization } from "../kit/organization.js";
import { someEvent, someOutcome } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";
import { all, positionsOf } from "./events.js";

/** A retention that keeps nothing. */
const nothing = { since: Number.MAX_SAFE_INTEGER, atMost: 0 };
/** A retention that keeps events of any time. */
const ofAnyTime = 0;
/** A retention that keeps any number of events. */
const ofAnyNumber = Number.MAX_SAFE_INTEGER;

const remove = async (acme: TestOrganization, since: number, atMost: number, limit: number) =>
  (await acme.write((tx) => tx.removeEvents(acme.id, { since, atMost }, { after: 0, limit }))).removed;

export const eventRetention: Statements = {
  "events before a time are removed, the others are kept": async (storage, acme) => {
    const events = await acme.events([1, 2, 3, 4, 5].map((createdAt) => ({ createdAt })));
    assert.equal(await remove(acme, 3, ofAnyNumber, 100), 2);
    assert.deepEqual(await run(all(storage, acme)), events.slice(2));
    assert.equal(await remove(acme, 3, ofAnyNumber, 100), 0);
    assert.deepEqual(await run(all(storage, acme)), events.slice(2));
  },

  "events but for the newest are removed, however young they are": async (storage, acme) => {
    const events = await acme.events(Array.from({ length: 6 }, () => ({ createdAt: 7 })));
    for (const atMost of [ofAnyNumber, 7, 6]) assert.equal(await remove(acme, ofAnyTime, atMost, 100), 0);
    assert.equal(await remove(acme, ofAnyTime, 4, 100), 2);
    assert.deepEqual(await run(all(storage, acme)), events.slice(2));
    assert.equal(await remove(acme, ofAnyTime, 1, 100), 3);
    assert.deepEqual(await run(all(storage, acme)), events.slice(5));
    assert.equal(await remove(acme, ofAnyTime, 0, 100), 1);
    assert.deepEqual(await run(all(storage, acme)), []);
  },

  "an event goes when it is too old or one too many": async (storage, acme) => {
    const events = await acme.events([1, 2, 3, 4, 5, 6].map((createdAt) => ({ createdAt })));
    assert.equal(await remove(acme, 3, 5, 100), 2);
    assert.deepEqual(await run(all(storage, acme)), events.slice(2));
    assert.equal(await remove(acme, 4, 2, 100), 2);
    assert.deepEqual(await run(all(storage, acme)), events.slice(4));
  },

  "the newest are counted by their positions, whether or not their events are still there": async (
    storage,
    acme,
  ) => {
    const events = await acme.events([1, 9, 9, 9, 9, 1].map((createdAt) => ({ createdAt })));
    assert.equal(await remove(acme, 5, ofAnyNumber, 100), 2);
    assert.equal(await remove(acme, ofAnyTime, 5, 100), 0);
    assert.equal(await remove(acme, ofAnyTime, 4, 100), 1);
    assert.deepEqual(await run(all(storage, acme)), events.slice(2, 5));
  },

  "removeEvents looks at so many of the lowest positions only": async (storage, acme) => {
    const events = await acme.events([1, 9, 2, 3, 4].map((createdAt) => ({ createdAt })));
    assert.equal(await remove(acme, 5, ofAnyNumber, 3), 2);
    assert.deepEqual(positionsOf(await run(all(storage, acme))), [2, 4, 5]);
    assert.equal(await remove(acme, 5, ofAnyNumber, 1), 0);
    assert.equal(await remove(acme, 5, ofAnyNumber, 2), 1);
    assert.equal(await remove(acme, 5, ofAnyNumber, 2), 1);
    assert.equal(await remove(acme, 5, ofAnyNumber, 2), 0);
    assert.deepEqual(await run(all(storage, acme)), events.slice(1, 2));
  },

  "removeEvents removes step by step what one look has no room for": async (storage, acme) => {
    const events = await acme.events(Array.from({ length: 25 }, () => ({})));
    const removed: number[] = [];
    for (let round = 0; round < 4; round += 1) removed.push(await remove(acme, ofAnyTime, 3, 10));
    assert.deepEqual(removed, [10, 10, 2, 0]);
    assert.deepEqual(await run(all(storage, acme)), events.slice(22));
  },

  "an event that a pending delivery is made of stays until that is not pending any more": async (
    storage,
    acme,
  ) => {
    const events = await acme.events([{}, {}, {}, {}]);
    const [gone, held, own, other] = events;
    assert.ok(gone && held && own && other);
    const endpoint = await acme.webhookEndpoint();
    const deliveries = await acme.deliveries(endpoint, [
      { eventId: held.id, nextAttemptAt: 1 },
      { eventId: other.id, nextAttemptAt: 50 },
      { eventId: own.id, nextAttemptAt: 1 },
    ]);
    await acme.claim(endpoint);
    await acme.record(
      endpoint,
      deliveries.slice(2).map((delivery) => someOutcome(delivery)),
    );
    assert.equal(await remove(acme, ofAnyTime, 0, 100), 2);
    assert.deepEqual(await run(all(storage, acme)), [held, other]);
    await acme.record(
      endpoint,
      deliveries.slice(0, 1).map((delivery) => someOutcome(delivery)),
    );
    assert.equal(await remove(acme, ofAnyTime, 0, 100), 1);
    assert.deepEqual(await run(all(storage, acme)), [other]);
  },

  "removeEvents tells from where to go on, past events that stay": async (_storage, acme) => {
    const events = await acme.events([{}, {}, {}, {}, {}, {}]);
    const endpoint = await acme.webhookEndpoint();
    await acme.deliveries(
      endpoint,
      events.slice(0, 3).map(({ id: eventId }) => ({ eventId })),
    );
    const removals: EventRemoval[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const range: RemovalRange = { after, limit: 2 };
      const removal: EventRemoval = await acme.write((tx) =>
        tx.removeEvents(acme.id, { since: 0, atMost: 1 }, range),
      );
      removals.push(removal);
      after = removal.end;
    }
    assert.deepEqual(removals, [
      { removed: 0, end: 2 },
      { removed: 1, end: 4 },
      { removed: 1, end: null },
    ]);
  },

  "removeEvents finds nothing where there are no events": async (_storage, acme) => {
    assert.equal(await remove(acme, nothing.since, nothing.atMost, 10), 0);
  },

  "positions go on after all events were removed": async (storage, acme) => {
    await acme.events([{}, {}, {}]);
    assert.equal(await remove(acme, nothing.since, nothing.atMost, 10), 3);
    assert.deepEqual(await run(all(storage, acme)), []);
    const next = await acme.events([{}, {}]);
    assert.deepEqual(positionsOf(next), [4, 5]);
    assert.deepEqual(await run(storage.listEvents(acme.id, null, 3, 10)), next);
    await acme.write(function* (tx) {
      assert.equal((yield* tx.removeEvents(acme.id, nothing, { after: 0, limit: 10 })).removed, 2);
      assert.equal(yield* tx.appendEvents(acme.id, [someEvent()]), 6);
      assert.equal((yield* tx.removeEvents(acme.id, nothing, { after: 0, limit: 10 })).removed, 1);
    });
    assert.deepEqual(positionsOf(await acme.events([{}])), [7]);
  },

  "a rolled back removal brings the events back, each at its position": async (storage, acme) => {
    const events = await acme.events(Array.from({ length: 5 }, () => ({})));
    const failure = new Error("rolled back");
    const rolledBack = acme.write(function* (tx) {
      yield* tx.removeEvents(acme.id, { since: 0, atMost: 2 }, { after: 0, limit: 100 });
      yield* acme.within(tx).events([{}]);
      yield* tx.removeEvents(acme.id, nothing, { after: 0, limit: 2 });
      throw failure;
    });
    await assert.rejects(rolledBack, failure);
    assert.deepEqual(await run(all(storage, acme)), events);
    assert.deepEqual(positionsOf(await acme.events([{}])), [6]);
  },

  "replaceEventData gives events other data and actors, and keeps their places": async (storage, acme) => {
    const [first, second, third] = await acme.events([{}, {}, {}]);
    assert.ok(first && second && third);
    const changes = [
      { id: third.id, data: "3", actor: third.actor },
      { id: first.id, data: '{"one":1}', actor: '{"kind":"token"}' },
      { id: "evt_none", data: "0", actor: null },
    ];
    await acme.write((tx) => tx.replaceEventData(acme.id, changes));
    const changed = [
      { ...first, data: '{"one":1}', actor: '{"kind":"token"}' },
      second,
      { ...third, data: "3" },
    ];
    assert.deepEqual(await run(all(storage, acme)), changed);
    await new TestOrganization(storage, "globex").write((tx) => tx.replaceEventData("globex", changes));
    const failure = new Error("rolled back");
    const rolledBack = acme.write(function* (tx) {
      yield* tx.replaceEventData(acme.id, [{ id: second.id, data: "2", actor: null }]);
      throw failure;
    });
    await assert.rejects(rolledBack, failure);
    assert.deepEqual(await run(all(storage, acme)), changed);
  },

  "a removal leaves the events of other organizations": async (storage, acme) => {
    const globex = new TestOrganization(storage, "globex");
    await acme.events([{}, {}]);
    const kept = await globex.events([{}, {}, {}]);
    assert.equal(await remove(acme, nothing.since, nothing.atMost, 10), 2);
    assert.deepEqual(await run(all(storage, globex)), kept);
  },
};
