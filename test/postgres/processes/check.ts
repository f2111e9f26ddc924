import assert from "node:assert/strict";
import type { Organization, StorageAdapter } from "loyalty-kit";
import { runStep } from "../../../src/base/concurrency/step.js";
import { fold } from "../../../src/base/values/text.js";
import { listStoredEvents } from "../../events/stored-events.js";
import { collect } from "../../kit/collect.js";
import { EventModel } from "./event-model.js";
import { checkLedger } from "./ledger.js";

/**
 * Checks that the stored data matches the events.
 * @returns the ids of all events.
 * @throws {AssertionError} if something differs.
 */
export async function checkState(storage: StorageAdapter, organization: Organization): Promise<string[]> {
  const positions = await listPositions(storage, organization.id);
  assert.deepEqual(
    positions,
    positions.map((_, at) => at + 1),
    "positions have no gaps and no duplicates",
  );
  const events = await listStoredEvents(organization);
  assert.equal(events.length, positions.length);
  const model = new EventModel();
  for (const event of events) model.apply(event);
  await checkUsers(model, organization);
  await checkTags(model, organization);
  for (const each of model.passes.values()) {
    const { pass } = each;
    assert.deepEqual(await organization.passes.get(pass.id), pass, "each pass matches the events");
    await checkLedger(organization.stamps, each);
  }
  return listIds(events);
}

/**
 * Checks that exactly one process received each event, once, and in commit order.
 * @param expected the ids of the events that several processes caused.
 * @param heardEvents the ids that the listeners of each process received.
 * @throws {AssertionError} if an event is missing, repeated or out of order.
 */
export function checkReceived(
  expected: readonly string[],
  heardEvents: readonly (readonly string[])[],
): void {
  const places = new Map(expected.map((id, at) => [id, at]));
  assert.equal(places.size, expected.length, "an event is emitted once");
  assert.deepEqual(
    heardEvents.flat().sort(),
    expected.toSorted(),
    "each event was received by exactly one process",
  );
  for (const ids of heardEvents) {
    const order = ids.map((id) => places.get(id) ?? -1);
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
      "events are received in commit order",
    );
  }
}

async function listPositions(storage: StorageAdapter, organizationId: string): Promise<number[]> {
  const all: number[] = [];
  for (;;) {
    const page = await runStep(storage.reader(organizationId).listEvents(null, all.at(-1) ?? 0, 1_000));
    if (page.length === 0) return all;
    all.push(...page.map(({ position }) => position));
  }
}

async function checkUsers(model: EventModel, { users, passes, contacts }: Organization): Promise<void> {
  const there = await collect(users.list());
  assert.deepEqual(there, [...model.users.values()], "users match the events, in the same order");
  assertUnique(there.flatMap(({ email }) => (email === null ? [] : fold(email))));
  assertUnique(there.flatMap(({ externalId }) => externalId ?? []));
  assert.equal((await contacts.list()).totalElements, there.length);
  for (const { id } of there) {
    const theirs = [...model.passes.values()].filter(({ pass }) => pass.userId === id);
    const ids = listIds(await passes.ofUser(id));
    assert.deepEqual(
      ids.sort(),
      theirs.map(({ pass }) => pass.id).sort(),
      "users have the passes that the events report",
    );
  }
}

async function checkTags(model: EventModel, { tags }: Organization): Promise<void> {
  const { checked, wrong } = await tags.verifyIndex();
  assert.deepEqual(wrong, [], "every tag set equals the assignments");
  assert.equal(checked, model.tags.size + 1);
  const there = await tags.list();
  assert.deepEqual(listIds(there).sort(), [...model.tags.keys()].sort());
  for (const { tag, holders } of model.tags.values()) {
    assert.deepEqual(await tags.get(tag.slug), tag, "each tag matches the events");
    const users = listIds(await collect(tags.users(tag.slug)));
    assert.deepEqual(new Set(users), holders, "the users with a tag are those that the events report");
    assertUnique(users);
  }
}

function listIds(all: readonly { readonly id: string }[]): string[] {
  return all.map(({ id }) => id);
}

function assertUnique(values: readonly string[]): void {
  assert.equal(new Set(values).size, values.length, `no value is there twice: ${values.toSorted()}`);
}
