import type { Step } from "../concurrency/step.js";
import type { SegmentFilter } from "../resources/segment-filter.js";
import { zoneOf } from "../resources/settings.js";
import { type FactKind, factKindsOf } from "../segments/facts.js";
import { judgedAt, midnightAfter } from "../segments/judged-at.js";
import { type Membership, membershipOf } from "../segments/one-customer.js";
import { type Plan, planOf, templatesIn } from "../segments/plan.js";
import type { EmittingSegments, StoredSegment, StoredSegmentMark } from "../storage/saved-segments.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredTemplate } from "../storage/templates.js";
import { dayIn } from "../values/calendar-days.js";
import { type CardTest, isCardTest } from "./card-flips.js";
import { type Decision, decisionOf } from "./decided-by-card.js";

/** The judgements of so many days are kept of an organization. */
const KEPT_DAYS = 64;

/** A segment that emits events, as it is on one day. */
export interface JudgedSegment {
  readonly segment: StoredSegment;
  /** Its place among those of the organization, oldest first. */
  readonly place: number;
  /** The slugs of the tags that decide who is a member. */
  readonly slugs: ReadonlySet<string>;
  /** The facts that decide who is a member. */
  readonly kinds: ReadonlySet<FactKind>;
  readonly isMember: Membership;
  readonly decidedByCard: Decision;
}

/** The segments of an organization that emit events, as they are from one midnight until the next. */
export interface Judgement {
  readonly at: number;
  readonly until: number;
  /** The day of the organization's calendar. */
  readonly day: number;
  /** Oldest first. */
  readonly segments: readonly JudgedSegment[];
  /** Those that read facts of a kind, oldest first; nothing for a kind that none reads. */
  readonly readers: ReadonlyMap<FactKind, readonly JudgedSegment[]>;
  /** What is asked of cards, each once, with the segments that ask it, by their places. */
  readonly cardTests: readonly AskedOfCards[];
}

/** Something that segments ask of cards. */
export interface AskedOfCards {
  readonly test: CardTest;
  readonly places: readonly number[];
}

/** The segments of an organization in one state of it. */
export class JudgedSegments {
  /** True while the members of a segment are being counted anew. */
  readonly isCounting: boolean;
  readonly #days = new Map<number, Judgement>();
  #newest: Judgement | null = null;

  private constructor(
    readonly emitting: EmittingSegments,
    readonly timeZone: string,
    private readonly templates: ReadonlyMap<string, StoredTemplate>,
    private readonly filters: ReadonlyMap<string, SegmentFilter>,
  ) {
    this.isCounting = emitting.emitting.some(({ isRecounting }) => isRecounting);
  }

  /** @param emitting what the storage gave: as long as it gives the same, this is good. */
  static *read(
    reader: StorageReader,
    organizationId: string,
    emitting: EmittingSegments,
  ): Step<JudgedSegments> {
    const timeZone = zoneOf(yield* reader.findSettings(organizationId));
    const filters = new Map(emitting.all.map(({ slug, filter }) => [slug, filterIn(filter)]));
    const named = new Set([...filters.values()].flatMap((filter) => [...templatesIn(filter)]));
    const all = named.size === 0 ? [] : yield* reader.listTemplates(organizationId);
    const templates = new Map(all.flatMap((one) => (named.has(one.id) ? [[one.id, one] as const] : [])));
    return new JudgedSegments(emitting, timeZone, templates, filters);
  }

  /** True when a filter of a segment names the template. */
  names(templateId: string): boolean {
    for (const filter of this.filters.values()) if (templatesIn(filter).has(templateId)) return true;
    return false;
  }

  /** The judgement by which everything goes at a time. */
  now(mark: StoredSegmentMark, now: number): Judgement {
    const known = this.#newest;
    const time = Math.max(now, mark.lookedAt);
    const isKnown =
      known !== null && known.at <= time && time < known.until && mark.settledThrough <= known.at;
    if (isKnown) return known;
    this.#newest = this.on(judgedAt(mark, this.timeZone, now));
    return this.#newest;
  }

  /** The judgement of the day that begins with a midnight. */
  on(midnight: number): Judgement {
    const known = this.#days.get(midnight);
    if (known !== undefined) return known;
    const made = this.#made(midnight);
    this.#days.set(midnight, made);
    const [oldest] = this.#days.keys();
    if (this.#days.size > KEPT_DAYS && oldest !== undefined) this.#days.delete(oldest);
    return made;
  }

  #made(at: number): Judgement {
    const { timeZone, templates, filters: named } = this;
    const planned = this.emitting.emitting.map((segment) => {
      const filter = named.get(segment.slug) ?? filterIn(segment.filter);
      return { segment, plan: planOf(filter, { at, timeZone, templates, segments: named }) };
    });
    const segments = planned.map(({ segment, plan }, place): JudgedSegment => {
      const slugs = new Set(plan.tags.values());
      const [kinds, decidedByCard] = [factKindsOf([plan]), decisionOf(plan)];
      return { segment, place, slugs, kinds, isMember: membershipOf(plan), decidedByCard };
    });
    return {
      ...{ at, until: midnightAfter(timeZone, at), day: dayIn(timeZone, at), segments },
      readers: readersIn(segments),
      cardTests: cardTestsOf(planned.map(({ plan }) => plan)),
    };
  }
}

function readersIn(segments: readonly JudgedSegment[]): Map<FactKind, JudgedSegment[]> {
  const readers = new Map<FactKind, JudgedSegment[]>();
  for (const segment of segments) {
    for (const kind of segment.kinds) {
      const others = readers.get(kind);
      if (others === undefined) readers.set(kind, [segment]);
      else others.push(segment);
    }
  }
  return readers;
}

function filterIn(text: string): SegmentFilter {
  return JSON.parse(text);
}

function cardTestsOf(plans: readonly Plan[]): readonly AskedOfCards[] {
  const asked = new Map<string, { readonly test: CardTest; readonly places: number[] }>();
  for (const [place, { tests }] of plans.entries()) {
    for (const [name, test] of tests) {
      if (!isCardTest(test)) continue;
      const known = asked.get(name);
      if (known === undefined) asked.set(name, { test, places: [place] });
      else known.places.push(place);
    }
  }
  return [...asked.values()];
}
