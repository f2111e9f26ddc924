import type { Step } from "../../../../src/base/concurrency/step.js";
import type { BehaviorReads } from "../../../../src/storage/behavior.js";
import type { Bitmap } from "../../../../src/storage/bitmap.js";
import type { ContactQuery } from "../../../../src/storage/contacts.js";
import type { Functions } from "../../../../src/storage/methods.js";
import type { StorageReader } from "../../../../src/storage/storage-adapter.js";
import type { StoredUser } from "../../../../src/storage/users.js";
import type { ColumnReadContext } from "../columns/behavior.js";
import type { SetReadContext } from "../segments/segment-cache.js";
import { withRules } from "../session/call-rules.js";
import { prepare, type ReadContext, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

import { createContactMatcher } from "./contact-matches.js";
import {
  type Entry,
  type Order,
  prepareEntryReaders,
  prepareVariants,
  sectionsByField,
  sortColumns,
} from "./order-entries.js";

/** Maximum number of index entries scanned per statement, because a statement blocks the process until it is done. */
const MAX_SCANNED_ENTRIES = 10_000;

const INITIAL_ENTRIES = 500;

/**
 * Maximum number of users sorted per statement. Up to ten times as many are sorted in several steps, for the first pages only. For
 * more users or later pages, the index of all users is scanned.
 */
const SORT_BATCH_SIZE = 5_000;

const MAX_SORTED_USERS = 10 * SORT_BATCH_SIZE;

const MAX_SORTED_PAGE_END = 1_000;

type ContactReads = Pick<StorageReader, "listContacts">;

/**
 * Creates the read functions that search, filter, sort, and page through users. The matching users form a bitmap, so the total is
 * the number of set bits. Ordinals are assigned in order of `createdAt`, then ID, so a page sorted by creation time is a run of
 * consecutive bits. The other sort orders use indexes.
 */
export function contactReads(
  dialect: SqlDialect,
  reads: Functions<Pick<StorageReader, "readTagSets" | "usersByOrdinal">, SetReadContext>,
  behavior: Functions<BehaviorReads, ColumnReadContext>,
): Functions<ContactReads, ColumnReadContext> {
  const matchContacts = createContactMatcher(dialect, behavior);
  const order = prepareContactOrder(dialect);

  function* readPage(
    context: ReadContext,
    { sort: { field, direction }, offset, limit }: ContactQuery,
    members: Bitmap,
    allUsers: Bitmap,
  ): Step<number[]> {
    const remaining = members.count() - offset;
    if (remaining <= 0) return [];
    if (field !== "createdAt") {
      const { end } = allUsers;
      return members === allUsers
        ? yield* order.listAllUsers(context, { field, direction, end }, { offset, limit })
        : yield* order.listAmong(context, { field, direction, end }, members, { offset, limit });
    }
    if (direction === "asc") return members.slice(offset, limit);
    return members.slice(Math.max(remaining - limit, 0), Math.min(remaining, limit)).reverse();
  }

  return {
    listContacts: withRules({ readsBuffered: true, needsSnapshot: true }, function* (context, query) {
      const { users: allUsers } = yield* reads.readTagSets(context, []);
      const { among = null } = query;
      const matchingUsers = yield* matchContacts(context, query, allUsers);
      const members = among === null ? matchingUsers : matchingUsers.and(among);
      const ordinals = yield* readPage(context, query, members, allUsers);
      const users = yield* reads.usersByOrdinal(context, ordinals);
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
  const openEntryReader = prepareEntryReaders(dialect);

  // The inner limit keeps the planner from scanning the index of all users to find these users in order.
  const selectSortedPage = prepareVariants(({ field, direction }) =>
    prepare((slot: Slot<{ organizationId: string; limit: number; offset: number; ordinals: unknown }>) =>
      db
        .selectFrom((users) =>
          users
            .selectFrom("loyalty_users")
            .select(["ordinal", `${sortColumns[field]} as value`, "id"])
            .where("organization_id", "=", slot("organizationId"))
            .where(({ ref }) => isOneOf(ref("ordinal"), slot("ordinals")))
            .limit(SORT_BATCH_SIZE)
            .as("some"),
        )
        .select("ordinal")
        .orderBy("value", (order) => (direction === "asc" ? order.asc() : order.desc()).nullsLast())
        .orderBy("id", direction)
        .limit(slot("limit"))
        .offset(slot("offset")),
    ),
  );

  function* readSortedPage(
    { session, organizationId }: ReadContext,
    order: Order,
    ordinals: readonly number[],
    page: PageBounds,
  ): Step<number[]> {
    const values = { organizationId, ordinals: listParameter(ordinals), ...page };
    return (yield* session.all(selectSortedPage(order)(values))).map(({ ordinal }) => ordinal);
  }

  return {
    /** Returns a page of all users. It skips the entries before the page without loading them. */
    *listAllUsers(context: ReadContext, order: PageOrder, { offset, limit }: PageBounds): Step<number[]> {
      const page: number[] = [];
      let skip = offset;
      for (const part of sectionsByField[order.field]) {
        const readEntries = yield* openEntryReader(context, order, part, order.end);
        let last: Entry | null = null;
        while (skip >= MAX_SCANNED_ENTRIES) {
          const [next]: Entry[] = yield* readEntries(last, 1, MAX_SCANNED_ENTRIES - 1);
          if (next === undefined) break;
          last = next;
          skip -= MAX_SCANNED_ENTRIES;
        }
        const nextEntries = yield* readEntries(
          last,
          limit - page.length,
          Math.min(skip, MAX_SCANNED_ENTRIES),
        );
        for (const { ordinal } of nextEntries) page.push(ordinal);
        if (page.length === limit) break;
        // If the last step found no row, fewer entries were skipped than requested.
        skip =
          nextEntries.length > 0
            ? 0
            : skip - (yield* readEntries(last, Math.min(skip, MAX_SCANNED_ENTRIES), 0)).length;
      }
      return page;
    },

    /** Returns a page of the given users. */
    *listAmong(
      context: ReadContext,
      order: PageOrder,
      members: Bitmap,
      { offset, limit }: PageBounds,
    ): Step<number[]> {
      const count = members.count();
      if (count <= SORT_BATCH_SIZE) {
        return yield* readSortedPage(context, order, members.slice(0, count), { offset, limit });
      }
      if (count <= MAX_SORTED_USERS && offset + limit <= MAX_SORTED_PAGE_END) {
        let best: number[] = [];
        for (let start = 0; start < count; start += SORT_BATCH_SIZE - MAX_SORTED_PAGE_END) {
          const batch = members.slice(start, SORT_BATCH_SIZE - MAX_SORTED_PAGE_END);
          best = yield* readSortedPage(context, order, [...best, ...batch], {
            offset: 0,
            limit: offset + limit,
          });
        }
        return best.slice(offset);
      }
      const page: number[] = [];
      let skip = offset;
      for (const part of sectionsByField[order.field]) {
        const readEntries = yield* openEntryReader(context, order, part, order.end);
        let last: Entry | null = null;
        for (let size = INITIAL_ENTRIES; ; size = Math.min(2 * size, MAX_SCANNED_ENTRIES)) {
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
