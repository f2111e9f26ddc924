import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import type { EventRemoval, RemovalRange } from "../../../../src/storage/events.js";
import type { SuiteOrganization } from "../kit/organization.js";
import { someOutcome } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";
import { listAllEvents } from "./events.js";

/** A retention cutoff that keeps events of any age. */
const ANY_AGE = 0;

const remove = async (acme: SuiteOrganization, since: number, atMost: number, limit: number) =>
  (await acme.write((tx) => tx.removeEvents({ since, atMost }, { after: 0, limit }))).removed;

export const eventRetention: Statements = {
  "events are removed when they are too old or exceed the maximum number": async (storage, acme) => {
    const events = await acme.events([1, 2, 3, 4, 5, 6].map((createdAt) => ({ createdAt })));
    assert.equal(await remove(acme, 3, 5, 100), 2);
    assert.deepEqual(await runStep(listAllEvents(storage.reader(acme.id))), events.slice(2));
    assert.equal(await remove(acme, 4, 2, 100), 2);
    assert.deepEqual(await runStep(listAllEvents(storage.reader(acme.id))), events.slice(4));
  },

  "an event with a pending delivery is retained until the delivery is no longer pending": async (
    storage,
    acme,
  ) => {
    const events = await acme.events([{}, {}, {}, {}]);
    const [removable, heldEvent, own, other] = events;
    assert.ok(removable && heldEvent && own && other);
    const endpoint = await acme.webhookEndpoint();
    const deliveries = await acme.deliveries(endpoint, [
      { eventId: heldEvent.id, nextAttemptAt: 1 },
      { eventId: other.id, nextAttemptAt: 50 },
      { eventId: own.id, nextAttemptAt: 1 },
    ]);
    await acme.claim(endpoint);
    await acme.record(
      endpoint,
      deliveries.slice(2).map((delivery) => someOutcome(delivery)),
    );
    assert.equal(await remove(acme, ANY_AGE, 0, 100), 2);
    assert.deepEqual(await runStep(listAllEvents(storage.reader(acme.id))), [heldEvent, other]);
    await acme.record(
      endpoint,
      deliveries.slice(0, 1).map((delivery) => someOutcome(delivery)),
    );
    assert.equal(await remove(acme, ANY_AGE, 0, 100), 1);
    assert.deepEqual(await runStep(listAllEvents(storage.reader(acme.id))), [other]);
  },

  "removeEvents returns where to continue, past events that are retained": async (_storage, acme) => {
    const events = await acme.events([{}, {}, {}, {}, {}, {}]);
    const endpoint = await acme.webhookEndpoint();
    await acme.deliveries(
      endpoint,
      events.slice(0, 3).map(({ id: eventId }) => ({ eventId })),
    );
    const removals: EventRemoval[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const range: RemovalRange = { after, limit: 2 };
      const removal: EventRemoval = await acme.write((tx) => tx.removeEvents({ since: 0, atMost: 1 }, range));
      removals.push(removal);
      after = removal.end;
    }
    assert.deepEqual(removals, [
      { removed: 0, end: 2 },
      { removed: 1, end: 4 },
      { removed: 1, end: null },
    ]);
  },
};
