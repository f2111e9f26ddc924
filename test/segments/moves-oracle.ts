import type { SegmentFilter } from "loyalty-kit";
import { type Customer, dateInZone, isIn, type Now } from "./oracle.js";

const HOUR = 3_600_000;

/** A saved segment in the oracle. */
export interface SavedSegment {
  readonly slug: string;
  filter: SegmentFilter;
  emits: boolean;
  /** The ids of its members. */
  members: Set<string>;
}

/** A customer's entering or leaving of a segment, as in an event. */
export interface Move {
  readonly slug: string;
  readonly type: "segment.entered" | "segment.left";
  readonly userId: string;
  readonly at: string;
  readonly because: string;
}

/** Computes who enters and leaves saved segments, with plain loops over plain objects. */
export class MovesOracle {
  /** Oldest first. */
  readonly segments: SavedSegment[] = [];
  readonly moves: Move[] = [];
  #customers: readonly Customer[] = [];

  constructor(
    public zone: string,
    public at: number,
    private readonly templates: ReadonlyMap<string, boolean>,
  ) {}

  createNow(at = this.at): Now {
    const segments = new Map(this.segments.map(({ slug, filter }) => [slug, filter]));
    return { at, zone: this.zone, templates: this.templates, segments };
  }

  get customers(): readonly Customer[] {
    return this.#customers;
  }

  listMembers(filter: SegmentFilter, at = this.at): string[] {
    const now = this.createNow(at);
    return this.#customers.filter((customer) => isIn(customer, filter, now)).map(({ user }) => user.id);
  }

  /** Lets time pass without a change. */
  passUntil(until: number): void {
    for (const midnight of listMidnights(this.zone, this.at, until)) this.#evaluate(midnight, "time");
    this.at = until;
  }

  /** Replaces the customers. @param isTold false for a change that emits no moves. */
  applyChange(customers: readonly Customer[], isTold: boolean): void {
    const there = new Set(customers.map(({ user }) => user.id));
    for (const { user } of this.#customers) if (!there.has(user.id)) this.#removeUser(user.id);
    this.#customers = customers;
    if (isTold) this.#evaluate(this.at, "change");
    else for (const segment of this.segments) this.#recount(segment);
  }

  /** Recounts the members of some segments now, and emits no moves. */
  recount(segments: readonly SavedSegment[]): void {
    for (const segment of segments) this.#recount(segment);
  }

  #removeUser(userId: string): void {
    for (const { members } of this.segments) members.delete(userId);
  }

  #recount(segment: SavedSegment): void {
    segment.members = new Set(segment.emits ? this.listMembers(segment.filter) : []);
  }

  #evaluate(at: number, because: "change" | "time"): void {
    const found = this.segments
      .filter(({ emits }) => emits)
      .map((segment) => ({ segment, members: new Set(this.listMembers(segment.filter, at)) }));
    const details = { at: new Date(at).toISOString(), because };
    for (const { segment, members } of found)
      for (const userId of segment.members)
        if (!members.has(userId))
          this.moves.push({ slug: segment.slug, type: "segment.left", userId, ...details });
    for (const { segment, members } of found) {
      for (const userId of members)
        if (!segment.members.has(userId))
          this.moves.push({ slug: segment.slug, type: "segment.entered", userId, ...details });
      segment.members = members;
    }
  }
}

/** Yields the first instants of the days of a calendar, after one instant up to another. */
export function* listMidnights(zone: string, after: number, until: number): Generator<number, void> {
  let from = after;
  while (from < until) {
    const to = Math.min(from + HOUR, until);
    if (dateInZone(to, zone) !== dateInZone(from, zone)) {
      let [before, first] = [from, to];
      while (first - before > 1) {
        const middle = Math.floor((before + first) / 2);
        if (dateInZone(middle, zone) === dateInZone(from, zone)) before = middle;
        else first = middle;
      }
      yield first;
    }
    from = to;
  }
}
