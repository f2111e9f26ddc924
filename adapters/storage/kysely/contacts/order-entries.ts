import type { Step } from "../../../../src/base/concurrency/step.js";
import { compareTexts } from "../../../../src/base/values/text.js";
import type { ContactQuery, ContactSortField } from "../../../../src/storage/contacts.js";
import { type Prepared, prepare, type ReadContext, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

import { findFirstUnindexed } from "./search-blocks.js";

export type IndexedField = Exclude<ContactSortField, "createdAt">;

/** An indexed field to sort by, and the sort direction. */
export interface Order {
  readonly field: IndexedField;
  readonly direction: ContactQuery["sort"]["direction"];
}

/**
 * Either the users who have a value in the sort field (`filled`) or the users who don't (`empty`). Users without a value are listed
 * last.
 */
export type OrderSection = "filled" | "empty";

export interface Entry {
  readonly ordinal: number;
  readonly value: string | number | null;
  readonly id: string;
}

/**
 * Reads up to `limit` entries, starting after the entry `last`, or at the beginning if `last` is `null`. Skips the first `offset`
 * entries. Returns fewer than `limit` entries only at the end of the list.
 */
export type EntryReader = (last: Entry | null, limit: number, offset: number) => Step<Entry[]>;

interface Values {
  organizationId: string;
  value: string | number | null;
  id: string;
  limit: number;
  offset: number;
}

export const sortColumns = {
  updatedAt: "updated_at",
  email: "email_fold",
  name: "name_fold",
  externalId: "external_id_fold",
} as const satisfies Record<IndexedField, string>;

export const sectionsByField: Readonly<Record<IndexedField, readonly OrderSection[]>> = {
  updatedAt: ["filled"],
  email: ["filled", "empty"],
  name: ["filled", "empty"],
  externalId: ["filled", "empty"],
};

/**
 * Creates a function that returns an {@link EntryReader} for users sorted by a field, then by ID. The reader merges users who
 * aren't indexed yet into the indexed ones.
 */
export function prepareEntryReaders({ db, unindexedUsers }: SqlDialect) {
  const selectSection = (slot: Slot<{ organizationId: string }>, { field }: Order, part: OrderSection) =>
    db
      .selectFrom("loyalty_users")
      .select(["ordinal", `${sortColumns[field]} as value`, "id"])
      .where("organization_id", "=", slot("organizationId"))
      .where(sortColumns[field], part === "empty" ? "is" : "is not", null);

  const selectInOrder = (slot: Slot<Values>, order: Order, part: OrderSection, hasStart: boolean) => {
    const { field, direction } = order;
    const column = sortColumns[field];
    const operator = direction === "asc" ? ">" : "<";
    const sectionUsers = selectSection(slot, order, part);
    if (part === "empty") {
      const empty = sectionUsers.orderBy("id", direction);
      return hasStart ? empty.where("id", operator, slot("id")) : empty;
    }
    const filled = sectionUsers.orderBy(column, direction);
    if (column === "email_fold") {
      // Email folds are unique, and their index doesn't contain IDs.
      return hasStart ? filled.where(column, operator, slot("value").$castTo<string>()) : filled;
    }
    const sortedById = filled.orderBy("id", direction);
    if (!hasStart) return sortedById;
    return sortedById.where(({ eb, refTuple, tuple }) =>
      eb(refTuple(column, "id"), operator, tuple(slot("value"), slot("id"))),
    );
  };

  const selectIndexed = prepareVariants((order, part, hasStart) =>
    prepare((slot: Slot<Values>) => {
      const selection = selectInOrder(slot, order, part, hasStart)
        .limit(slot("limit"))
        .offset(slot("offset"));
      return unindexedUsers === null || order.field === "email"
        ? selection
        : selection.where(unindexedUsers.isIndexed);
    }),
  );

  // Unsorted, because the database would scan an index of all users to sort these.
  const selectUnindexed = prepareVariants((order, part) =>
    prepare((slot: Slot<{ organizationId: string; from: number }>) => {
      const rows = selectSection(slot, order, part).where("ordinal", ">=", slot("from"));
      return unindexedUsers === null ? rows : rows.where(unindexedUsers.isUnindexed);
    }),
  );

  /** @param end any number greater than all users' ordinals. */
  return function* (
    { session, organizationId }: ReadContext,
    order: Order,
    part: OrderSection,
    end: number,
  ): Step<EntryReader> {
    const readIndexed: EntryReader = (last, limit, offset) => {
      const { value, id } = last ?? { value: null, id: "" };
      const readPage = selectIndexed(order, part, last !== null);
      return session.all(readPage({ organizationId, value, id, limit, offset }));
    };
    // The email index contains every user, and so does the index of users without an email.
    if (unindexedUsers === null || order.field === "email") return readIndexed;
    const unindexedEntries = yield* session.all(
      selectUnindexed(order, part)({ organizationId, from: findFirstUnindexed(end) }),
    );
    if (unindexedEntries.length === 0) return readIndexed;
    const compare = createComparison(order);
    return mergeUnindexed(readIndexed, unindexedEntries.toSorted(compare), compare);
  };
}

/** Returns a reader that merges the unindexed users into the indexed ones. */
function mergeUnindexed(
  readIndexed: EntryReader,
  unindexed: readonly Entry[],
  compare: (a: Entry, b: Entry) => number,
): EntryReader {
  return function* (last, limit, offset) {
    const unindexedEntries =
      last === null ? unindexed : unindexed.filter((entry) => compare(entry, last) > 0);
    // At least this many index entries can be skipped.
    const skipped = Math.max(0, offset - unindexedEntries.length);
    const indexedEntries = yield* readIndexed(last, limit + unindexedEntries.length, skipped);
    const [firstEntry] = indexedEntries;
    if (skipped > 0 && firstEntry === undefined) return [];
    const passedCount =
      firstEntry === undefined || skipped === 0 ? 0 : countBefore(unindexedEntries, firstEntry, compare);
    const start = offset - skipped - passedCount;
    return mergeSorted(indexedEntries, unindexedEntries.slice(passedCount), compare).slice(
      start,
      start + limit,
    );
  };
}

function countBefore(entries: readonly Entry[], end: Entry, compare: (a: Entry, b: Entry) => number): number {
  const count = entries.findIndex((entry) => compare(entry, end) > 0);
  return count === -1 ? entries.length : count;
}

function mergeSorted(
  entries: readonly Entry[],
  otherEntries: readonly Entry[],
  compare: (a: Entry, b: Entry) => number,
): Entry[] {
  const all: Entry[] = [];
  let index = 0;
  for (const entry of entries) {
    for (
      let other = otherEntries[index];
      other !== undefined && compare(other, entry) < 0;
      other = otherEntries[index]
    ) {
      all.push(other);
      index += 1;
    }
    all.push(entry);
  }
  return [...all, ...otherEntries.slice(index)];
}

/** Returns a function that compares entries of one section in the database's order. */
function createComparison({ direction }: Order): (a: Entry, b: Entry) => number {
  const sign = direction === "asc" ? 1 : -1;
  return (a, b) => sign * (compareValues(a.value, b.value) || compareTexts(a.id, b.id));
}

function compareValues(a: Entry["value"], b: Entry["value"]): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return typeof a === "string" && typeof b === "string" ? compareTexts(a, b) : 0;
}

/** Returns a function that prepares each variant of a query on first use and then reuses it. */
export function prepareVariants<V, Row>(
  prepareVariant: (order: Order, part: OrderSection, hasStart: boolean) => Prepared<V, Row>,
) {
  const prepared = new Map<string, Prepared<V, Row>>();
  return (order: Order, part: OrderSection = "filled", hasStart = false): Prepared<V, Row> => {
    const key = `${order.field} ${order.direction} ${part} ${hasStart}`;
    const statement = prepared.get(key) ?? prepareVariant(order, part, hasStart);
    prepared.set(key, statement);
    return statement;
  };
}
