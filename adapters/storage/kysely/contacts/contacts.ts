import type { Step } from "../../../../src/base/concurrency/step.js";
import type { BehaviorReads } from "../../../../src/storage/behavior.js";
import type { Bitmap } from "../../../../src/storage/bitmap.js";
import type { ContactQuery } from "../../../../src/storage/contacts.js";
import type { Functions } from "../../../../src/storage/methods.js";
import type { StorageReader } from "../../../../src/storage/storage-adapter.js";
import type { StoredUser } from "../../../../src/storage/users.js";
import type { ReadingColumns } from "../columns/behavior.js";
import type { SetReadContext } from "../segments/segment-cache.js";
import { withRules } from "../session/call-rules.js";
import { prepare, type ReadContext, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

import { contactMatches } from "./contact-matches.js";
import { columns, type Entry, type Order, orderEntries, partsOf, prepareEach } from "./order-entries.js";

/** Maximum number of index entries scanned per statement, because a statement blocks the process until it is done. */
const ENTRIES_AT_ONCE = 10_000;

const FIRST_ENTRIES = 500;

/**
 * Maximum number of users sorted per statement. Up to ten times as many are sorted in several steps, for the first pages only. For
 * more users or later pages, the index of all users is scanned.
 */
const SORTED_AT_ONCE = 5_000;

const MOST_SORTED = 10 * SORTED_AT_ONCE;

const FIRST_PAGES = 1_000;

type ContactReads = Pick<StorageReader, "listContacts">;

/**
 * Creates the read functions that search, filter, sort, and page through users. The matching users form a bitmap, so the total is
 * the number of set bits. Ordinals are assigned in order of `createdAt`, then ID, so a page sorted by creation time is a run of
 * consecutive bits. The other sort orders use indexes.
 */
export function contactReads(
  dialect: SqlDialect,
  reads: Functions<Pick<StorageReader, "readTagSets" | "usersByOrdinal">, SetReadContext>,
  behavior: Functions<BehaviorReads, ReadingColumns>,
): Functions<ContactReads, ReadingColumns> {
  const matches = contactMatches(dialect, behavior);
  const order = prepareContactOrder(dialect);

  function* pageOf(
    on: ReadContext,
    { sort: { field, direction }, offset, limit }: ContactQuery,
    members: Bitmap,
    everybody: Bitmap,
  ): Step<number[]> {
    const remaining = members.count() - offset;
    if (remaining <= 0) return [];
    if (field !== "createdAt") {
      const { end } = everybody;
      return members === everybody
        ? yield* order.ofEverybody(on, { field, direction, end }, { offset, limit })
        : yield* order.ofSome(on, { field, direction, end }, members, { offset, limit });
    }
    if (direction === "asc") return members.slice(offset, limit);
    return members.slice(Math.max(remaining - limit, 0), Math.min(remaining, limit)).reverse();
  }

  return {
    listContacts: withRules({ readsBuffered: true, isOneState: true }, function* (on, query) {
      const { users: everybody } = yield* reads.readTagSets(on, []);
      const { among = null } = query;
      const matchingUsers = yield* matches(on, query, everybody);
      const members = among === null ? matchingUsers : matchingUsers.and(among);
      const ordinals = yield* pageOf(on, query, members, everybody);
      const users = yield* reads.usersByOrdinal(on, ordinals);
      return { users: sortByOrdinals(users, ordinals), total: members.count() };
    }),
  };
}

function sortByOrdinals(users: readonly StoredUser[], ordinals: readonly number[]): StoredUser[] {
  const byOrdinal = new Map(users.map((user) => [user.ordinal, user]));
  return ordinals.flatMap((ordinal) => byOrdinal.get(ordinal) ?? []);
}

type PageBounds = Pick<ContactQuery, "offset" | "limit">;

interface PageOrder extends Order {
  /** Any number greater than all users' ordinals. */
  readonly end: number;
}

/** Creates functions that return one page of users' ordinals, sorted by a field, then by ID. */
function prepareContactOrder(dialect: SqlDialect) {
  const { db, isOneOf, listParameter } = dialect;
  const entries = orderEntries(dialect);

  // The inner limit keeps the planner from scanning the index of all users to find these users in order.
  const sorted = prepareEach(({ field, direction }) =>
    prepare((slot: Slot<{ organizationId: string; limit: number; offset: number; ordinals: unknown }>) =>
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

  function* firstOf(
    { session, organizationId }: ReadContext,
    order: Order,
    ordinals: readonly number[],
    page: PageBounds,
  ): Step<number[]> {
    const values = { organizationId, ordinals: listParameter(ordinals), ...page };
    return (yield* session.all(sorted(order)(values))).map(({ ordinal }) => ordinal);
  }

  return {
    /** Returns a page of all users. It skips the entries before the page without loading them. */
    *ofEverybody(on: ReadContext, order: PageOrder, { offset, limit }: PageBounds): Step<number[]> {
      const page: number[] = [];
      let skip = offset;
      for (const part of partsOf[order.field]) {
        const readEntries = yield* entries(on, order, part, order.end);
        let last: Entry | null = null;
        while (skip >= ENTRIES_AT_ONCE) {
          const [next]: Entry[] = yield* readEntries(last, 1, ENTRIES_AT_ONCE - 1);
          if (next === undefined) break;
          last = next;
          skip -= ENTRIES_AT_ONCE;
        }
        const nextEntries = yield* readEntries(last, limit - page.length, Math.min(skip, ENTRIES_AT_ONCE));
        for (const { ordinal } of nextEntries) page.push(ordinal);
        if (page.length === limit) break;
        // If the last step found no row, fewer entries were skipped than requested.
        skip =
          nextEntries.length > 0
            ? 0
            : skip - (yield* readEntries(last, Math.min(skip, ENTRIES_AT_ONCE), 0)).length;
      }
      return page;
    },

    /** Returns a page of the given users. */
    *ofSome(
      on: ReadContext,
      order: PageOrder,
      members: Bitmap,
      { offset, limit }: PageBounds,
    ): Step<number[]> {
      const count = members.count();
      if (count <= SORTED_AT_ONCE) {
        return yield* firstOf(on, order, members.slice(0, count), { offset, limit });
      }
      if (count <= MOST_SORTED && offset + limit <= FIRST_PAGES) {
        let best: number[] = [];
        for (let at = 0; at < count; at += SORTED_AT_ONCE - FIRST_PAGES) {
          const more = members.slice(at, SORTED_AT_ONCE - FIRST_PAGES);
          best = yield* firstOf(on, order, [...best, ...more], { offset: 0, limit: offset + limit });
        }
        return best.slice(offset);
      }
      const page: number[] = [];
      let skip = offset;
      for (const part of partsOf[order.field]) {
        const readEntries = yield* entries(on, order, part, order.end);
        let last: Entry | null = null;
        for (let size = FIRST_ENTRIES; ; size = Math.min(2 * size, ENTRIES_AT_ONCE)) {
          const nextEntries: Entry[] = yield* readEntries(last, size, 0);
          for (const { ordinal } of nextEntries) {
            if (!members.has(ordinal)) continue;
            if (skip > 0) skip -= 1;
            else page.push(ordinal);
            if (page.length === limit) return page;
          }
          last = nextEntries.at(-1) ?? null;
          if (nextEntries.length < size) break;
        }
      }
      return page;
    },
  };
}
