import { sql } from "kysely";
import type { Step } from "../../../src/concurrency/step.js";
import { listNamedIds } from "../../../src/values/named-ids.js";
import { newestPositionExpression } from "../change/deferred-counters.js";
import { isOfTags } from "../change/events.js";
import { findFirst, type ReadSession } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";

/** A column that is this many events behind is read again. */
const MOST_EVENTS = 20_000;

const BYTES_OF_CHANGE = 40;

/** The events that one statement reads. */
const EVENTS = 2_000;

/** The ids that one statement looks up. */
const IDS = 1_000;

/** The numbers of an organization's events, and of its changes without event. */
export interface LogPosition {
  readonly position: number;
  readonly untold: number;
}

/** A customer who changed at a position. */
interface ChangedCustomer {
  readonly position: number;
  readonly ordinal: number;
}

/** The users who changed, by ascending position. */
export interface Changes {
  readonly changed: readonly ChangedCustomer[];
  /** True if events name users or passes that no longer exist. */
  readonly hasGone: boolean;
}

/** The customers that an organization's events from one position on name, by which columns are kept current. */
export class ChangeLog {
  #changed: ChangedCustomer[] = [];
  /** The log has the events behind the first position, up to the second one. */
  #from: number;
  #to: number;
  /** Whom the events up to here named was looked up in this state or a later one, and some were gone by then. */
  #soundSince: number;

  constructor(position: number) {
    this.#from = position;
    this.#to = position;
    this.#soundSince = position;
  }

  /** The memory that it takes, about. */
  get bytes(): number {
    return this.#changed.length * BYTES_OF_CHANGE;
  }

  get to(): number {
    return this.#to;
  }

  /** Adds changes read up to a position, and skips the known ones. */
  extend({ changed, hasGone }: Changes, to: number): void {
    if (to <= this.#to) return;
    for (const one of changed) if (one.position > this.#to) this.#changed.push(one);
    this.#to = to;
    if (hasGone) this.#soundSince = to;
    if (this.#changed.length <= MOST_EVENTS) return;
    const first = this.#changed[this.#changed.length - MOST_EVENTS / 2];
    if (first === undefined) return;
    // All of one position go together.
    this.#from = first.position;
    this.#changed = this.#changed.filter(({ position }) => position > first.position);
  }

  /** The customers of whom a column and a state may differ, by their positions; `null` if unknown. */
  between(column: number, state: number): ReadonlySet<number> | null {
    const [after, upTo] = column < state ? [column, state] : [state, column];
    if (after === upTo) return nobody;
    // Who was gone when the log was read may be there in an older state.
    if (state < this.#soundSince) return null;
    if (after < this.#from || upTo > this.#to) return null;
    const ordinals = new Set<number>();
    for (let at = this.#changed.length - 1; at >= 0; at -= 1) {
      const changed = this.#changed[at];
      if (changed === undefined || changed.position <= after) break;
      if (changed.position <= upTo) ordinals.add(changed.ordinal);
    }
    return ordinals;
  }
}

const nobody: ReadonlySet<number> = new Set();

/** Reads who changed from the events of the outbox. */
export function changeReads(dialect: SqlDialect) {
  const { db, eventPlaces, isOneOf, listParameter } = dialect;
  const place = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_organizations")
      .select([
        newestPositionExpression(dialect, "loyalty_organizations").as("position"),
        "changes_without_event as untold",
      ])
      .where("organization_id", "=", slot("organizationId")),
  );

  const events = prepare((slot: Slot<{ organizationId: string; after: number; to: number }>) =>
    db
      .selectFrom("loyalty_events")
      .select(["position", "type", "data"])
      .where(eventPlaces.between(slot("organizationId"), slot("after"), slot("to")))
      .orderBy(sql.ref(eventPlaces.order))
      .limit(EVENTS),
  );

  const users = prepare((slot: Slot<{ organizationId: string; ids: unknown }>) =>
    db
      .selectFrom("loyalty_users")
      .select(["id", "ordinal"])
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("id"), slot("ids"))),
  );

  const holders = prepare((slot: Slot<{ organizationId: string; ids: unknown }>) =>
    db
      .selectFrom("loyalty_wallet_passes")
      .select(["id", "user_ordinal as ordinal"])
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("id"), slot("ids"))),
  );

  function* ordinalsOf(session: ReadSession, organizationId: string, ids: readonly string[]) {
    const ordinals = new Map<string, number>();
    for (const [query, prefix] of [
      [users, "usr_"],
      [holders, "wp_"],
    ] as const) {
      const some = ids.filter((id) => id.startsWith(prefix));
      for (let at = 0; at < some.length; at += IDS) {
        const list = listParameter(some.slice(at, at + IDS));
        for (const { id, ordinal } of yield* session.all(query({ organizationId, ids: list }))) {
          ordinals.set(id, ordinal);
        }
      }
    }
    return ordinals;
  }

  return {
    *place(session: ReadSession, organizationId: string): Step<LogPosition | null> {
      return yield* findFirst(session, place({ organizationId }));
    },

    /** The changes behind one position up to another; `null` if events are missing, or there are too many. */
    *changes(session: ReadSession, organizationId: string, after: number, to: number): Step<Changes | null> {
      if (to - after > MOST_EVENTS) return null;
      const named: { readonly position: number; readonly id: string }[] = [];
      let found = 0;
      for (let end = after; end < to; ) {
        const some = yield* session.all(events({ organizationId, after: end, to }));
        for (const { position, type, data } of some) {
          end = position;
          if (isOfTags(type)) continue;
          for (const id of new Set(listNamedIds(data))) named.push({ position, id });
        }
        found += some.length;
        if (some.length < EVENTS) break;
      }
      // Some that were there have been removed.
      if (found !== to - after) return null;
      const ordinals = yield* ordinalsOf(session, organizationId, [...new Set(named.map(({ id }) => id))]);
      const changed = named.flatMap(({ position: at, id }) => {
        const ordinal = ordinals.get(id);
        return ordinal === undefined ? [] : [{ position: at, ordinal }];
      });
      return { changed, hasGone: changed.length < named.length };
    },
  };
}
