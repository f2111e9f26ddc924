import { sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import { listNamedIds } from "../../../../src/base/values/ids-in-text.js";
import { isTagEvent } from "../change/events.js";
import { findFirst, prepare, type ReadSession, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

/** Maximum number of events to catch up on. A column that is further behind is reloaded. */
const MAX_EVENTS = 20_000;

const BYTES_PER_CHANGE = 40;

/** Events per statement. */
const EVENT_PAGE_SIZE = 2_000;

/** Ids looked up per statement. */
const ID_BATCH_SIZE = 1_000;

/**
 * Identifies a state of an organization's data by two numbers: the newest event's position, and the number of changes without an
 * event (`changesWithoutEvent`).
 */
export interface LogPosition {
  readonly position: number;
  readonly changesWithoutEvent: number;
}

/** A customer who was changed by the event at a position. */
interface ChangedCustomer {
  readonly position: number;
  readonly ordinal: number;
}

/** The customers changed by a range of events, ordered by event position. */
export interface Changes {
  readonly changed: readonly ChangedCustomer[];
  /** Whether any of the events refers to a user or pass that no longer exists. */
  readonly hasDeleted: boolean;
}

/** Records which customers an organization's events have changed, so that cached columns can be updated instead of reloaded. */
export class ChangeLog {
  #changedCustomers: ChangedCustomer[] = [];
  /** The log covers the events after `#from`, up to and including `#to`. */
  #from: number;
  #to: number;
  /**
   * The position of the earliest state that the log is valid for. Earlier states may contain customers who were already deleted
   * when the log looked them up.
   */
  #validSince: number;

  constructor(position: number) {
    this.#from = position;
    this.#to = position;
    this.#validSince = position;
  }

  /** The log's approximate memory usage, in bytes. */
  get bytes(): number {
    return this.#changedCustomers.length * BYTES_PER_CHANGE;
  }

  get to(): number {
    return this.#to;
  }

  /** Appends the changes up to a position, skipping changes that the log already contains. */
  extend({ changed, hasDeleted }: Changes, to: number): void {
    if (to <= this.#to) return;
    for (const one of changed) if (one.position > this.#to) this.#changedCustomers.push(one);
    this.#to = to;
    if (hasDeleted) this.#validSince = to;
    if (this.#changedCustomers.length <= MAX_EVENTS) return;
    const first = this.#changedCustomers[this.#changedCustomers.length - MAX_EVENTS / 2];
    if (first === undefined) return;
    // Changes at the same position are dropped together.
    this.#from = first.position;
    this.#changedCustomers = this.#changedCustomers.filter(({ position }) => position > first.position);
  }

  /**
   * Returns the ordinals of the customers whose values might differ between a column's position and a state's position. Returns
   * `null` if these can't be determined, for example because the log doesn't cover all events in between.
   */
  listChangedBetween(column: number, state: number): ReadonlySet<number> | null {
    const [after, upTo] = column < state ? [column, state] : [state, column];
    if (after === upTo) return noOrdinals;
    // A customer who was gone when the log was read may still exist in an older state.
    if (state < this.#validSince) return null;
    if (after < this.#from || upTo > this.#to) return null;
    const ordinals = new Set<number>();
    for (let at = this.#changedCustomers.length - 1; at >= 0; at -= 1) {
      const customer = this.#changedCustomers[at];
      if (customer === undefined || customer.position <= after) break;
      if (customer.position <= upTo) ordinals.add(customer.ordinal);
    }
    return ordinals;
  }
}

const noOrdinals: ReadonlySet<number> = new Set();

/** Creates functions that read the newest event position and the changed customers from the outbox. */
export function changeReads(dialect: SqlDialect) {
  const { db, eventLocator, isOneOf, listParameter } = dialect;
  const findLogPosition = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_organizations")
      .select(["newest_event_position as position", "changes_without_event as changesWithoutEvent"])
      .where("organization_id", "=", slot("organizationId")),
  );

  const listEvents = prepare((slot: Slot<{ organizationId: string; after: number; to: number }>) =>
    db
      .selectFrom("loyalty_events")
      .select(["position", "type", "data"])
      .where(eventLocator.between(slot("organizationId"), slot("after"), slot("to")))
      .orderBy(sql.ref(eventLocator.orderColumn))
      .limit(EVENT_PAGE_SIZE),
  );

  const findUsers = prepare((slot: Slot<{ organizationId: string; ids: unknown }>) =>
    db
      .selectFrom("loyalty_users")
      .select(["id", "ordinal"])
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("id"), slot("ids"))),
  );

  const findHolders = prepare((slot: Slot<{ organizationId: string; ids: unknown }>) =>
    db
      .selectFrom("loyalty_wallet_passes")
      .select(["id", "user_ordinal as ordinal"])
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("id"), slot("ids"))),
  );

  function* readOrdinals(session: ReadSession, organizationId: string, ids: readonly string[]) {
    const ordinals = new Map<string, number>();
    for (const [query, prefix] of [
      [findUsers, "usr_"],
      [findHolders, "wp_"],
    ] as const) {
      const matchingIds = ids.filter((id) => id.startsWith(prefix));
      for (let start = 0; start < matchingIds.length; start += ID_BATCH_SIZE) {
        const list = listParameter(matchingIds.slice(start, start + ID_BATCH_SIZE));
        for (const { id, ordinal } of yield* session.all(query({ organizationId, ids: list }))) {
          ordinals.set(id, ordinal);
        }
      }
    }
    return ordinals;
  }

  return {
    *readLogPosition(session: ReadSession, organizationId: string): Step<LogPosition | null> {
      return yield* findFirst(session, findLogPosition({ organizationId }));
    },

    /**
     * Returns the changes after one position, up to and including another, or `null` if events are missing or there are too many.
     */
    *readChanges(
      session: ReadSession,
      organizationId: string,
      after: number,
      to: number,
    ): Step<Changes | null> {
      if (to - after > MAX_EVENTS) return null;
      const mentions: { readonly position: number; readonly id: string }[] = [];
      let count = 0;
      for (let end = after; end < to; ) {
        const pageEvents = yield* session.all(listEvents({ organizationId, after: end, to }));
        for (const { position, type, data } of pageEvents) {
          end = position;
          if (isTagEvent(type)) continue;
          for (const id of new Set(listNamedIds(data))) mentions.push({ position, id });
        }
        count += pageEvents.length;
        if (pageEvents.length < EVENT_PAGE_SIZE) break;
      }
      // Some of the events have been removed.
      if (count !== to - after) return null;
      const ordinals = yield* readOrdinals(session, organizationId, [
        ...new Set(mentions.map(({ id }) => id)),
      ]);
      const customers = mentions.flatMap(({ position: at, id }) => {
        const ordinal = ordinals.get(id);
        return ordinal === undefined ? [] : [{ position: at, ordinal }];
      });
      return { changed: customers, hasDeleted: customers.length < mentions.length };
    },
  };
}
