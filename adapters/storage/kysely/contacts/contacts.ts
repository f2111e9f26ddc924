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
import type { ReadSession } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { contactMatches } from "./contact-matches.js";
import { contactOrder } from "./contact-order.js";

type ContactReads = Pick<StorageReader, "listContacts">;

/**
 * Creates the read functions that search, filter, sort, and page through users. The matching users form a bitmap, so the total is
 * the number of set bits. Ordinals are assigned in order of `createdAt`, then ID, so a page sorted by age is a run of consecutive
 * bits. The other sort orders use indexes.
 */
export function contactReads(
  dialect: SqlDialect,
  reads: Functions<Pick<StorageReader, "readTagSets" | "usersByOrdinal">, SetReadContext>,
  behavior: Functions<BehaviorReads, ReadingColumns>,
): Functions<ContactReads, ReadingColumns> {
  const matches = contactMatches(dialect, behavior);
  const order = contactOrder(dialect);

  function* pageOf(
    session: ReadSession,
    organizationId: string,
    { sort: { field, direction }, offset, limit }: ContactQuery,
    some: Bitmap,
    everybody: Bitmap,
  ): Step<number[]> {
    const left = some.count() - offset;
    if (left <= 0) return [];
    if (field !== "createdAt") {
      const { end } = everybody;
      return some === everybody
        ? yield* order.ofEverybody(session, organizationId, { field, direction }, end, offset, limit)
        : yield* order.ofSome(session, organizationId, { field, direction }, end, some, offset, limit);
    }
    if (direction === "asc") return some.slice(offset, limit);
    return some.slice(Math.max(left - limit, 0), Math.min(left, limit)).reverse();
  }

  return {
    listContacts: withRules({ readsBuffered: true, isOneState: true }, function* (on, organizationId, query) {
      const { users: everybody } = yield* reads.readTagSets(on, organizationId, []);
      const { among = null } = query;
      const found = yield* matches(on, organizationId, query, everybody);
      const some = among === null ? found : found.and(among);
      const ordinals = yield* pageOf(on.session, organizationId, query, some, everybody);
      const users = yield* reads.usersByOrdinal(on, organizationId, ordinals);
      return { users: inOrder(users, ordinals), total: some.count() };
    }),
  };
}

function inOrder(users: readonly StoredUser[], ordinals: readonly number[]): StoredUser[] {
  const byOrdinal = new Map(users.map((user) => [user.ordinal, user]));
  return ordinals.flatMap((ordinal) => byOrdinal.get(ordinal) ?? []);
}
