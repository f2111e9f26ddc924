import type { Step } from "../../../src/concurrency/step.js";
import type { Bitmap } from "../../../src/storage/bitmap.js";
import type { ContactQuery, ContactSortField } from "../../../src/storage/contacts.js";
import type { ReadSession } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { type Prepared, prepare, type Slot } from "../sql/prepared.js";

/** The index entries that one statement goes through: it blocks the process until it is done. */
const ENTRIES_AT_ONCE = 10_000;
const FIRST_ENTRIES = 500;

/**
 * The users that one statement sorts. Up to ten times as many are sorted in steps for one of the first pages. More of them,
 * or a later page, go through the index of all users.
 */
const SORTED_AT_ONCE = 5_000;
const MOST_SORTED = 10 * SORTED_AT_ONCE;
const FIRST_PAGES = 1_000;

export type IndexedField = Exclude<ContactSortField, "createdAt">;

/** An order that has an index. */
export interface Order {
  readonly field: IndexedField;
  readonly direction: ContactQuery["sort"]["direction"];
}

/** The users with a value in the field, and those without one, who come last. */
type Part = "filled" | "empty";

interface Entry {
  readonly ordinal: number;
  readonly value: string | number | null;
  readonly id: string;
}

interface Values {
  organizationId: string;
  value: string | number | null;
  id: string;
  limit: number;
  offset: number;
}

const columns = {
  updatedAt: "updated_at",
  email: "email_fold",
  name: "name_fold",
  externalId: "external_id_fold",
} as const satisfies Record<IndexedField, string>;

const partsOf: Readonly<Record<IndexedField, readonly Part[]>> = {
  updatedAt: ["filled"],
  email: ["filled"],
  name: ["filled", "empty"],
  externalId: ["filled", "empty"],
};

/** Finds the ordinals of one page of users in the order of a field, ties by id. */
export function contactOrder({ db, isOneOf, listParameter }: SqlDialect) {
  const entries = perOrder(({ field, direction }, part, started) =>
    prepare((slot: Slot<Values>) => {
      const column = columns[field];
      const behind = direction === "asc" ? ">" : "<";
      const all = db
        .selectFrom("loyalty_users")
        .select(["ordinal", `${column} as value`, "id"])
        .where("organization_id", "=", slot("organizationId"))
        .limit(slot("limit"))
        .offset(slot("offset"));
      if (part === "empty") {
        const empty = all.where(column, "is", null).orderBy("id", direction);
        return started ? empty.where("id", behind, slot("id")) : empty;
      }
      const filled = all.where(column, "is not", null).orderBy(column, direction);
      if (column === "email_fold") {
        // No two are the same, and its index has no ids.
        return started ? filled.where(column, behind, slot("value").$castTo<string>()) : filled;
      }
      const ties = filled.orderBy("id", direction);
      if (!started) return ties;
      return ties.where(({ eb, refTuple, tuple }) =>
        eb(refTuple(column, "id"), behind, tuple(slot("value"), slot("id"))),
      );
    }),
  );

  // A limit keeps the planner from going through the index of all users to find some of them in its order.
  const sorted = perOrder(({ field, direction }) =>
    prepare((slot: Slot<Pick<Values, "organizationId" | "limit" | "offset"> & { ordinals: unknown }>) =>
      db
        .selectFrom((users) =>
          users
            .selectFrom("loyalty_users")
            .select(["ordinal", `${columns[field]} as value`, "id"])
            .where("organization_id", "=", slot("organizationId"))
            .where(({ ref }) => isOneOf(ref("ordinal"), slot("ordinals")))
            .limit(SORTED_AT_ONCE)
            .as("some"),
        )
        .select("ordinal")
        .orderBy("value", (order) => (direction === "asc" ? order.asc() : order.desc()).nullsLast())
        .orderBy("id", direction)
        .limit(slot("limit"))
        .offset(slot("offset")),
    ),
  );

  function reader(session: ReadSession, organizationId: string, order: Order, part: Part) {
    return (last: Entry | null, limit: number, offset: number): Step<Entry[]> => {
      const read = entries(order, part, last !== null);
      const { value, id } = last ?? { value: null, id: "" };
      return session.all(read({ organizationId, value, id, limit, offset }));
    };
  }

  function* firstOf(
    session: ReadSession,
    organizationId: string,
    order: Order,
    ordinals: readonly number[],
    limit: number,
    offset: number,
  ): Step<number[]> {
    const values = { organizationId, ordinals: listParameter(ordinals), limit, offset };
    return (yield* session.all(sorted(order)(values))).map(({ ordinal }) => ordinal);
  }

  return {
    /** A page of all users. Entries before it are passed over without being read. */
    *ofEverybody(
      session: ReadSession,
      organizationId: string,
      order: Order,
      offset: number,
      limit: number,
    ): Step<number[]> {
      const page: number[] = [];
      let skip = offset;
      for (const part of partsOf[order.field]) {
        const read = reader(session, organizationId, order, part);
        let last: Entry | null = null;
        while (skip >= ENTRIES_AT_ONCE) {
          const [next]: Entry[] = yield* read(last, 1, ENTRIES_AT_ONCE - 1);
          if (next === undefined) break;
          last = next;
          skip -= ENTRIES_AT_ONCE;
        }
        const found = yield* read(last, limit - page.length, Math.min(skip, ENTRIES_AT_ONCE));
        for (const { ordinal } of found) page.push(ordinal);
        if (page.length === limit) break;
        // Without a row in the last step, fewer were skipped than were asked for.
        skip = found.length > 0 ? 0 : skip - (yield* read(last, Math.min(skip, ENTRIES_AT_ONCE), 0)).length;
      }
      return page;
    },

    /** A page of some users. */
    *ofSome(
      session: ReadSession,
      organizationId: string,
      order: Order,
      some: Bitmap,
      offset: number,
      limit: number,
    ): Step<number[]> {
      const count = some.count();
      if (count <= SORTED_AT_ONCE) {
        return yield* firstOf(session, organizationId, order, some.slice(0, count), limit, offset);
      }
      if (count <= MOST_SORTED && offset + limit <= FIRST_PAGES) {
        let best: number[] = [];
        for (let at = 0; at < count; at += SORTED_AT_ONCE - FIRST_PAGES) {
          const more = some.slice(at, SORTED_AT_ONCE - FIRST_PAGES);
          best = yield* firstOf(session, organizationId, order, [...best, ...more], offset + limit, 0);
        }
        return best.slice(offset);
      }
      const page: number[] = [];
      let skip = offset;
      for (const part of partsOf[order.field]) {
        const read = reader(session, organizationId, order, part);
        let last: Entry | null = null;
        for (let size = FIRST_ENTRIES; ; size = Math.min(2 * size, ENTRIES_AT_ONCE)) {
          const found: Entry[] = yield* read(last, size, 0);
          for (const { ordinal } of found) {
            if (!some.has(ordinal)) continue;
            if (skip > 0) skip -= 1;
            else page.push(ordinal);
            if (page.length === limit) return page;
          }
          last = found.at(-1) ?? null;
          if (found.length < size) break;
        }
      }
      return page;
    },
  };
}

/** Prepares each shape of a query when it is first needed. */
function perOrder<V, Row>(prepareOne: (order: Order, part: Part, started: boolean) => Prepared<V, Row>) {
  const prepared = new Map<string, Prepared<V, Row>>();
  return (order: Order, part: Part = "filled", started = false): Prepared<V, Row> => {
    const key = `${order.field} ${order.direction} ${part} ${started}`;
    const known = prepared.get(key) ?? prepareOne(order, part, started);
    prepared.set(key, known);
    return known;
  };
}
