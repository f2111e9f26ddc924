import { isLoyaltyError, LoyaltyService, type SegmentFilter, type StorageAdapter } from "loyalty-kit";
import { expect, onTestFinished } from "vitest";
import { pseudoRandom } from "../../adapters/testing/storage-suite/kit/pseudo-random.js";
import { runStep } from "../../src/base/concurrency/step.js";
import { serviceInternals } from "../../src/internals.js";
import { replaceTransactions } from "../kit/intercept-calls.js";
import { ManualClock } from "../kit/manual-clock.js";
import { createChanges } from "./behavior.js";
import { createEmittingSegment } from "./emitting.js";
import { type Choose, chooseSegment } from "./some-segments.js";

const HOUR = 3_600_000;
const SEGMENTS = 8;
const MOST_EVENTS = 100_000;

/** When segments are refreshed: after each change, after some of them, or once. */
export type Lateness = "always" | "now and then" | "at the end";

/**
 * Makes random changes, and refreshes segments by all services at the same time; some are killed between two
 * transactions. Asserts that each user enters and leaves a segment alternately, and that the stored and the emitted
 * members are the actual ones in the end.
 * @param storages one for each service; processes have one each.
 * @returns the number of moves.
 */
export async function expectMovesInHistory(
  storages: readonly StorageAdapter[],
  seed: number,
  changes: number,
  lateness: Lateness,
): Promise<number> {
  const random = pseudoRandom(seed);
  const choose: Choose = (values) => {
    for (const value of values.slice(random(values.length))) return value;
    throw new RangeError("there is nothing to choose from");
  };
  const timeZone = choose(["Europe/Vienna", "America/Sao_Paulo", "Asia/Kolkata", "UTC"]);
  const clock = new ManualClock(Date.parse(choose(["2026-03-26T10:00:00Z", "2018-11-01T10:00:00Z"])));
  // No event is removed before it is read.
  const options = { clock: clock.read, retention: { eventDays: 3_650 } };
  const services = storages.map((storage) => new LoyaltyService({ ...options, storage }));
  onTestFinished(async () => {
    for (const service of services) await service.close();
  });
  const [service] = services;
  const [storage] = storages;
  if (service === undefined || storage === undefined) throw new RangeError("a storage is needed");
  const acme = service.organization("acme");
  await acme.settings.update({ timeZone });
  for (const name of ["a", "b"]) await acme.tags.create({ name });
  const templateIds: string[] = [];
  for (const type of ["STAMP_CARD", "LOYALTY_CARD"] as const) {
    const kind = type === "STAMP_CARD" ? { type, maxStamps: 3 } : { type };
    templateIds.push((await acme.templates.create({ name: "Card", ...kind })).id);
  }
  const filters = new Map<string, SegmentFilter>();
  for (let nth = 0; nth < SEGMENTS; nth += 1) {
    const filter = createEventfulFilter(() =>
      addKnownSlugs(chooseSegment(choose, templateIds, clock.now), nth),
    );
    filters.set(await createEmittingSegment(acme, `s${nth}`, filter), filter);
  }
  const change = createChanges(choose, clock, templateIds, [], ["all"]);
  for (let index = 0; index < changes; index += 1) {
    const before = clock.now;
    await change(choose(services).organization("acme")).catch((error: unknown) => {
      if (!isLoyaltyError(error)) throw error;
    });
    const after = clock.now;
    // A service that runs all the time sees no jump.
    for (clock.now = before; clock.now < after; clock.now = Math.min(after, clock.now + 5 * HOUR))
      for (const each of services) serviceInternals(each).now();
    for (const each of services) serviceInternals(each).now();
    if (lateness === "always" || (lateness === "now and then" && random(5) === 0)) {
      await refreshKilled(choose(storages), random(4));
      await refresh();
    }
  }
  await refresh();

  async function refresh() {
    const results = await Promise.all(services.map((each) => each.refreshSegments()));
    for (const { isClockRejected } of results) expect(isClockRejected).toBe(false);
  }

  /** Refreshes in a process that is killed after some transactions. What it emitted is in the outbox. */
  async function refreshKilled(on: StorageAdapter, transactions: number) {
    let remaining = transactions;
    const dying = replaceTransactions(on, async (organizationId, work, options) => {
      remaining -= 1;
      if (remaining < 0) throw new Error("killed");
      return on.transaction(organizationId, work, options);
    });
    const killed = new LoyaltyService({ ...options, storage: dying, onError: () => {} });
    await killed
      .refreshSegments()
      .catch((error: unknown) => expect(error).toMatchObject({ message: "killed" }));
  }

  const story = `seed ${seed}, ${lateness}, in ${timeZone}`;
  const events = await runStep(
    storage.reader("acme").listEvents(["segment.entered", "segment.left"], 0, MOST_EVENTS),
  );
  const members = new Map<string, Set<string>>([...filters.keys()].map((id) => [id, new Set<string>()]));
  for (const { type, data, createdAt } of events) {
    const { segment, userId, at } = JSON.parse(data);
    const some = members.get(segment.id);
    const isEntered = type === "segment.entered";
    expect(some?.has(userId), `${story}, ${type} of ${segment.slug}`).toBe(!isEntered);
    if (isEntered) some?.add(userId);
    else some?.delete(userId);
    expect(Date.parse(at), story).toBeLessThanOrEqual(createdAt);
  }
  for (const [id, filter] of filters) {
    const { content } = await acme.segments.query({ filter, size: 100 });
    const expected = content.map((user) => user.id);
    const storedMembers = (await runStep(storage.reader("acme").segmentMembers(id))).from(0, 1_000);
    const users = await runStep(storage.reader("acme").usersByOrdinal(storedMembers));
    const emitted = await runStep(storage.reader("acme").usersById([...(members.get(id) ?? [])]));
    for (const some of [users, emitted]) {
      const ids = some.map((user) => user.id).sort();
      expect(ids, `${story}, ${JSON.stringify(filter)}`).toEqual([...expected].sort());
    }
  }
  return events.length;
}

/** Replaces unknown segments in the filter with the first segment, or in the first one with another condition. */
function addKnownSlugs(filter: SegmentFilter, nth: number): SegmentFilter {
  const knownCondition = nth === 0 ? { field: { name: "phone", exists: true } } : { segment: "s0" };
  return JSON.parse(JSON.stringify(filter).replaceAll('{"segment":"none"}', JSON.stringify(knownCondition)));
}

/** Returns a filter without language leaves, because changes of the language have no event of their own. */
function createEventfulFilter(make: () => SegmentFilter): SegmentFilter {
  for (;;) {
    const filter = make();
    if (!JSON.stringify(filter).includes('"language"')) return filter;
  }
}
