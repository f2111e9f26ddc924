import {
  isLoyaltyError,
  LoyaltyService,
  type Organization,
  type SegmentFilter,
  type StorageAdapter,
} from "loyalty-kit";
import { expect, onTestFinished } from "vitest";
import { pseudoRandom } from "../../adapters/testing/storage-suite/kit/pseudo-random.js";
import { runStep } from "../../src/base/concurrency/step.js";
import { serviceInternals } from "../../src/internals.js";
import { collect } from "../kit/collect.js";
import { ManualClock } from "../kit/manual-clock.js";
import { assertExplained } from "./explained.js";
import { listMidnights, type Move, MovesOracle, type SavedSegment } from "./moves-oracle.js";
import { isIn } from "./oracle.js";
import { SomeChanges } from "./some-changes.js";
import { type Choose, chooseLivelySegment, chooseSegment } from "./some-segments.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Time zones, each with a time near a clock change, a skipped date or a leap day. */
const places = [
  ["Europe/Vienna", "2026-03-25T10:00:00Z"],
  ["Europe/Vienna", "2026-10-22T10:00:00Z"],
  ["America/Sao_Paulo", "2018-11-01T20:00:00Z"],
  ["Asia/Kolkata", "2024-02-27T18:29:59.999Z"],
  ["Pacific/Apia", "2011-12-27T20:00:00Z"],
  ["Asia/Beirut", "2026-03-26T20:00:00Z"],
] as const;

const zones = ["Europe/Vienna", "Asia/Kolkata", "America/Sao_Paulo", "UTC"] as const;

const MOST_SEGMENTS = 6;
const MOST_EVENTS = 1_000;
const READ_EVERY = 12;

/**
 * Simulates a time of random changes with saved segments that emit moves. The services share a storage, are down for
 * days, refresh segments at the same time, and are stopped during a refresh. All reads are compared with an oracle.
 * With an odd seed, segments are refreshed after each step, and each event is compared, too. Otherwise they are
 * refreshed from time to time, and the stored members are compared.
 * @param storages one for each service; a process may have its own.
 * @returns the number of moves.
 */
export async function simulate(
  storages: readonly StorageAdapter[],
  seed: number,
  steps: number,
): Promise<number> {
  const simulation = await Simulation.begin(storages, seed);
  for (let step = 0; step < steps; step += 1) await simulation.runStep(step);
  await simulation.end();
  return simulation.heard.length;
}

class Simulation {
  readonly heard: Move[] = [];
  readonly #changes: SomeChanges;
  #position = 0;
  #services: LoyaltyService[] = [];
  #nameCount = 0;
  #story = "";

  private constructor(
    private readonly storages: readonly StorageAdapter[],
    private readonly seed: number,
    private readonly choose: Choose,
    private readonly clock: ManualClock,
    private readonly oracle: MovesOracle,
    private readonly templateIds: readonly string[],
  ) {
    this.#changes = new SomeChanges(choose, clock, templateIds);
  }

  static async begin(storages: readonly StorageAdapter[], seed: number): Promise<Simulation> {
    const random = pseudoRandom(seed);
    const choose: Choose = (values) => {
      for (const value of values.slice(random(values.length))) return value;
      throw new RangeError("there is nothing to choose from");
    };
    const [zone, start] = choose(places);
    const clock = new ManualClock(Date.parse(start));
    const [storage] = storages;
    if (storage === undefined) throw new RangeError("a storage is needed");
    const acme = new LoyaltyService({ storage, clock: clock.read }).organization("acme");
    await acme.settings.update({ timeZone: zone });
    for (const name of ["a", "b"]) await acme.tags.create({ name });
    const templates = new Map<string, boolean>();
    for (const type of ["STAMP_CARD", "STAMP_CARD", "LOYALTY_CARD"] as const) {
      const kind = type === "STAMP_CARD" ? { type, maxStamps: 3 } : { type };
      templates.set((await acme.templates.create({ name: "Card", ...kind })).id, type === "STAMP_CARD");
    }
    const oracle = new MovesOracle(zone, clock.now, templates);
    const simulation = new Simulation(storages, seed, choose, clock, oracle, [...templates.keys()]);
    simulation.#start();
    onTestFinished(async () => {
      for (const service of simulation.#services) await service.close();
    });
    await simulation.#populate();
    for (let nth = 0; nth < 5; nth += 1) await simulation.#create();
    return simulation;
  }

  async runStep(nth: number): Promise<void> {
    const { choose } = this;
    const work = choose<() => Promise<void>>([
      ...Array.from({ length: 12 }, () => () => this.#change()),
      ...Array.from({ length: 7 }, () => () => this.#passTime()),
      () => this.#refresh(),
      () => this.#refresh(),
      () => this.#stopDuringRefresh(),
      () => this.#stopForAWhile(),
      () =>
        choose([
          () => this.#create(),
          () => this.#editSegment(),
          () => this.#editSegment(),
          () => this.#remove(),
        ])(),
      () => choose([() => this.#moveZone(), () => this.#editSegment()])(),
    ]);
    this.#story = `seed ${this.seed}, step ${nth}, ${this.clock.timestamp} in ${this.oracle.zone}`;
    await work();
    if (this.#isPrompt) await this.#refresh();
    await this.#readEvents();
    if (nth % READ_EVERY === 0) await this.#checkReads();
  }

  async end(): Promise<void> {
    await this.#refresh();
    await this.#readEvents();
    if (this.#isPrompt) {
      expect(groupByUser(this.heard), this.#story).toEqual(groupByUser(this.oracle.moves));
    }
    await this.#checkReads();
  }

  /**
   * Whether segments are refreshed after each step, so that moves equal the oracle's, which sees each change
   * immediately.
   */
  get #isPrompt(): boolean {
    return this.seed % 2 === 1;
  }

  get #acme(): Organization {
    return this.choose(this.#services).organization("acme");
  }

  /** Starts a service on each storage. The previous ones are like processes that were killed. */
  #start(): void {
    this.#services = this.storages.map((storage) => new LoyaltyService({ storage, clock: this.clock.read }));
  }

  async #change(): Promise<void> {
    const { isTold, make } = this.#changes.chooseChange();
    const before = await this.#readNewestPosition();
    await make(this.#acme).catch(ignoreRefusals);
    // A change without an event emits no moves.
    await this.#reportChange(isTold && (await this.#readNewestPosition()) > before);
  }

  async #readNewestPosition(): Promise<number> {
    const [storage] = this.storages;
    return storage === undefined ? 0 : runStep(storage.reader("acme").newestEventPosition());
  }

  async #populate(): Promise<void> {
    for (let nth = 0; nth < 5; nth += 1) await this.#changes.createCustomer(this.#acme);
    await this.#reportChange();
  }

  async #reportChange(isTold = true): Promise<void> {
    const acme = this.#acme;
    const customers = [];
    for (const user of await collect(acme.users.list())) customers.push(await acme.users.dossier(user.id));
    this.oracle.applyChange(customers, isTold);
  }

  /** Lets at most a day pass, in which each service checks the clock. */
  async #passTime(): Promise<void> {
    const { choose, clock, oracle } = this;
    const [midnight = clock.now] = listMidnights(oracle.zone, clock.now, clock.now + DAY);
    const until = choose([clock.now + HOUR, clock.now + 7 * HOUR, clock.now + DAY, midnight, midnight - 1]);
    clock.now = Math.max(until, clock.now);
    this.#advanceOracle();
    if (choose([true, false, false])) await this.#refresh();
  }

  #advanceOracle(): void {
    for (const service of this.#services) serviceInternals(service).now();
    this.oracle.passUntil(this.clock.now);
  }

  async #stopForAWhile(): Promise<void> {
    this.clock.move(this.choose([2, 3, 5, 20]) * DAY + this.choose([0, 7 * HOUR]));
    this.#start();
    this.oracle.passUntil(this.clock.now);
  }

  /** Refreshes all services at the same time. */
  async #refresh(): Promise<void> {
    const results = await Promise.all(this.#services.map((service) => service.refreshSegments()));
    expect(
      results.map(({ isClockRejected }) => isClockRejected),
      this.#story,
    ).toEqual(results.map(() => false));
    await this.#compareMembers();
  }

  /** Compares the stored members with the oracle. */
  async #compareMembers(): Promise<void> {
    const [storage] = this.storages;
    if (storage === undefined) return;
    const segments = await runStep(storage.reader("acme").listSegments());
    for (const { slug, filter, emits } of this.oracle.segments) {
      if (!emits) continue;
      const id = segments.find((segment) => segment.slug === slug)?.id ?? "";
      const storedMembers = (await runStep(storage.reader("acme").segmentMembers(id))).from(0, 1_000);
      const users = await runStep(storage.reader("acme").usersByOrdinal(storedMembers));
      const ids = users.map((user) => user.id).sort();
      expect(ids, `${this.#story}, ${slug}`).toEqual(this.oracle.listMembers(filter).sort());
    }
  }

  /** Stops one service while it refreshes, possibly before it begins. */
  async #stopDuringRefresh(): Promise<void> {
    const stop = new AbortController();
    const swept = this.choose(this.#services).refreshSegments({ signal: stop.signal });
    for (let turn = this.choose([0, 1, 3, 10]); turn > 0; turn -= 1) await new Promise(setImmediate);
    stop.abort();
    await swept;
  }

  #chooseFilter(): SegmentFilter {
    const { choose, templateIds, oracle, clock } = this;
    const filter = choose([chooseSegment, chooseLivelySegment, chooseLivelySegment])(
      choose,
      templateIds,
      clock.now,
    );
    const slugs = oracle.segments.map(({ slug }) => slug);
    if (slugs.length === 0 || choose([true, true, true, false])) return filter;
    return { ...filter, conditions: [...(filter.conditions ?? []), { segment: choose(slugs) }] };
  }

  async #create(): Promise<void> {
    const { oracle, choose } = this;
    if (oracle.segments.length === MOST_SEGMENTS) return;
    this.#nameCount += 1;
    const filter = removeUnknown(this.#chooseFilter());
    const emits = choose([true, true, true, true, false]);
    const input = { name: `s${this.#nameCount}`, filter, emitsEvents: emits };
    const { slug } = await this.#acme.segments.create(input);
    const segment: SavedSegment = { slug, filter, emits, members: new Set() };
    oracle.segments.push(segment);
    oracle.recount([segment]);
    // Segments are ordered by their times, so the next one needs a later time.
    this.clock.move(1);
    this.#advanceOracle();
  }

  async #editSegment(): Promise<void> {
    const { oracle, choose } = this;
    if (oracle.segments.length === 0) return;
    const segment = choose(oracle.segments);
    const filter = choose([segment.filter, removeUnknown(this.#chooseFilter())]);
    const emitsEvents = choose([segment.emits, segment.emits, !segment.emits]);
    const before = new Set(oracle.listMembers(segment.filter));
    const updated = await this.#acme.segments
      .update(segment.slug, { filter, emitsEvents, description: choose(["one", "other"]) })
      .catch(ignoreRefusals);
    if (updated === undefined) return;
    const after = oracle.listMembers(filter);
    expect([updated.entered, updated.left, updated.members], this.#story).toEqual([
      after.filter((id) => !before.has(id)).length,
      [...before].filter((id) => !after.includes(id)).length,
      after.length,
    ]);
    const isAnew = !segment.emits || JSON.stringify(filter) !== JSON.stringify(segment.filter);
    segment.filter = filter;
    segment.emits = emitsEvents;
    if (!emitsEvents) oracle.recount([segment]);
    if (isAnew)
      oracle.recount(
        oracle.segments.filter((each) => each === segment || isNaming(each, segment.slug, oracle)),
      );
  }

  async #remove(): Promise<void> {
    const { oracle, choose } = this;
    if (oracle.segments.length < 3) return;
    const segment = choose(oracle.segments);
    const isRemoved = await this.#acme.segments.delete(segment.slug).then(
      () => true,
      (error: unknown) => {
        expect(isLoyaltyError(error, "segment_in_use"), this.#story).toBe(true);
        return false;
      },
    );
    expect(isRemoved, this.#story).toBe(
      !oracle.segments.some((each) => isNaming(each, segment.slug, oracle)),
    );
    if (!isRemoved) return;
    oracle.segments.splice(oracle.segments.indexOf(segment), 1);
  }

  async #moveZone(): Promise<void> {
    const { oracle, choose } = this;
    const zone = choose(zones);
    if (zone === oracle.zone) return;
    await this.#acme.settings.update({ timeZone: zone });
    oracle.zone = zone;
    oracle.recount(oracle.segments);
  }

  /** Reads the events that were emitted since the last call. */
  async #readEvents(): Promise<void> {
    const [storage] = this.storages;
    if (storage === undefined) return;
    const types = ["segment.entered", "segment.left"];
    const events = await runStep(storage.reader("acme").listEvents(types, this.#position, MOST_EVENTS));
    for (const { type, data, position } of events) {
      const { segment, userId, at, because } = JSON.parse(data);
      this.heard.push({
        type: type === "segment.left" ? type : "segment.entered",
        slug: segment.slug,
        userId,
        at,
        because,
      });
      this.#position = position;
    }
  }

  /** Compares all reads with the oracle. */
  async #checkReads(): Promise<void> {
    const { oracle, choose } = this;
    const filter = this.#chooseFilter();
    const expected = oracle.listMembers(filter);
    const found = await this.#acme.segments.query({ filter, size: 100 });
    expect([found.totalElements, found.content.map(({ id }) => id)], this.#story).toEqual([
      expected.length,
      expected,
    ]);
    const segmentsToRead = oracle.segments.filter(() => choose([true, false]));
    for (const { slug, filter: saved } of segmentsToRead) {
      const story = `${this.#story}, ${slug}: ${JSON.stringify(saved)}`;
      const members = oracle.listMembers(saved);
      expect((await this.#acme.segments.get(slug)).members, story).toBe(members.length);
      const size = choose([1, 2, 50]);
      const page = choose([0, 1]);
      const shownUser = await this.#acme.segments.members(slug, { page, size });
      expect(
        shownUser.content.map(({ id }) => id),
        story,
      ).toEqual(members.slice(page * size, (page + 1) * size));
      expect(shownUser.totalElements, story).toBe(members.length);
      if (oracle.customers.length === 0) continue;
      const customer = choose(oracle.customers);
      const explanation = await this.#acme.segments.explain(slug, customer.user.id);
      expect(explanation.matched, story).toBe(isIn(customer, saved, oracle.createNow()));
      assertExplained(explanation.tree, saved, customer, oracle, story);
    }
  }
}

function ignoreRefusals(error: unknown): undefined {
  if (!isLoyaltyError(error)) throw error;
}

/** Groups the moves by user, in order. */
function groupByUser(moves: readonly Move[]): Record<string, string[]> {
  const lines: Record<string, string[]> = {};
  for (const { userId, at, because, type, slug } of moves) {
    lines[userId] ??= [];
    lines[userId]?.push(`${at} ${because} ${type} ${slug}`);
  }
  return lines;
}

/** Returns a filter that can be saved: without leaves of unknown segments. */
function removeUnknown({ conditions = [], ...filter }: SegmentFilter): SegmentFilter {
  const knownConditions = conditions.map((condition) =>
    condition.segment === "none" ? { slug: "none" } : condition,
  );
  return { ...filter, conditions: knownConditions, filters: (filter.filters ?? []).map(removeUnknown) };
}

/** Returns whether a segment refers to another, directly or through others. */
function isNaming({ filter }: SavedSegment, slug: string, oracle: MovesOracle): boolean {
  const text = JSON.stringify(filter);
  return oracle.segments.some(
    (each) =>
      text.includes(`{"segment":"${each.slug}"}`) && (each.slug === slug || isNaming(each, slug, oracle)),
  );
}
