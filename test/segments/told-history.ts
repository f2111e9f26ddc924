import { isLoyaltyError, LoyaltyService, type SegmentFilter, type StorageAdapter } from "loyalty-kit";
import { expect, onTestFinished } from "vitest";
import { run } from "../../src/concurrency/step.js";
import { pseudoRandom } from "../../src/testing/kit/pseudo-random.js";
import { hear } from "../events/heard.js";
import { collected } from "../kit/collected.js";
import { ManualClock } from "../kit/manual-clock.js";
import { changesOf } from "./behaviour.js";
import { emitting } from "./emitting.js";
import { type Choose, someSegment } from "./some-segments.js";

const HOUR = 3_600_000;
const SEGMENTS = 8;

/** Decides how long after a moment, in milliseconds, time is settled; `null` leaves it to the end. */
export type Lateness = "at once" | "at the end" | "now and then";

/** What was told of the users who are left in the end, each as a line: user, segment, kind, time, cause. */
export type Told = readonly string[];

/**
 * Makes random changes, settles time as late as is said, and compares who is told to be in segments with who is in them.
 * @param storages one for each service; processes have one each.
 */
export async function toldHistory(
  storages: readonly StorageAdapter[],
  seed: number,
  changes: number,
  lateness: Lateness,
): Promise<Told> {
  const random = pseudoRandom(seed);
  const choose: Choose = (values) => {
    for (const value of values.slice(random(values.length))) return value;
    throw new RangeError("there is nothing to choose from");
  };
  const timeZone = choose(["Europe/Vienna", "America/Sao_Paulo", "Asia/Kolkata", "UTC"]);
  const clock = new ManualClock(Date.parse(choose(["2026-03-26T10:00:00Z", "2018-11-01T10:00:00Z"])));
  const services = storages.map((storage) => new LoyaltyService({ storage, clock: clock.read }));
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
    const maxStamps = type === "STAMP_CARD" ? 3 : null;
    templateIds.push((await acme.templates.create({ name: "Card", type, maxStamps })).id);
  }
  const filters = new Map<string, SegmentFilter>();
  for (let nth = 0; nth < SEGMENTS; nth += 1) {
    const filter = withKnown(someSegment(choose, templateIds, clock.now), nth);
    filters.set(await emitting(acme, `s${nth}`, filter), filter);
  }
  const heard = services.map((each) => hear(each));
  const userIds: string[] = [];
  const created: string[] = [];
  const change = changesOf(choose, clock, templateIds, userIds);
  for (let made = 0; made < changes; made += 1) {
    const before = clock.now;
    await change(choose(services).organization("acme")).catch((error: unknown) => {
      if (!isLoyaltyError(error)) throw error;
    });
    for (const id of userIds) if (!created.includes(id)) created.push(id);
    const after = clock.now;
    // Whoever works all the time sees no jump.
    for (clock.now = before; clock.now < after; clock.now = Math.min(after, clock.now + 5 * HOUR)) {
      for (const each of services) each.now();
      if (lateness === "at once") await sweep();
    }
    for (const each of services) each.now();
    if (lateness === "at once" || (lateness === "now and then" && made % 7 === 0)) await sweep();
  }
  await sweep();

  async function sweep() {
    const results = await Promise.all(services.map((each) => each.refreshSegments()));
    for (const { isClockRejected } of results) expect(isClockRejected).toBe(false);
  }

  const users = await collected(acme.users.list());
  const ordinals = new Map(users.map(({ id }) => [id, created.indexOf(id)]));
  for (const [id, filter] of filters) {
    const told = await run(storage.segmentMembers("acme", id));
    const { content } = await acme.segments.query({ filter, size: 100 });
    const rows = await run(
      storage.usersById(
        "acme",
        content.map((user) => user.id),
      ),
    );
    expect(
      told.from(0, 1_000),
      `seed ${seed}, ${lateness}, ${id} ${JSON.stringify(filter)} in ${timeZone}`,
    ).toEqual(rows.map(({ ordinal }) => ordinal));
  }
  const lines = heard.flat().flatMap(({ type, data }) => {
    if (!("because" in data)) return [];
    const user = ordinals.get(data.userId);
    return user === undefined ? [] : [`${user} ${data.segment.slug} ${type} ${data.at} ${data.because}`];
  });
  return lines.sort();
}

/** The filter with the first segment in place of one that is not there. */
function withKnown(filter: SegmentFilter, nth: number): SegmentFilter {
  const known = nth === 0 ? { field: { name: "phone", exists: true } } : { segment: "s0" };
  return JSON.parse(JSON.stringify(filter).replaceAll('{"segment":"none"}', JSON.stringify(known)));
}
