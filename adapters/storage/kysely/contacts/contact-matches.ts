import type { Step } from "../../../../src/base/concurrency/step.js";
import type { BehaviorReads } from "../../../../src/storage/behavior.js";
import { Bitmap, CHUNK_SIZE } from "../../../../src/storage/bitmap.js";
import type { ContactQuery } from "../../../../src/storage/contacts.js";
import type { Functions } from "../../../../src/storage/methods.js";
import type { ReadingColumns } from "../columns/behavior.js";
import { findFirst, prepare, type ReadContext, type ReadSession, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

import { firstUnindexedOrdinal } from "./search-blocks.js";

/** Maximum number of users looked up per statement, because a statement blocks the process until it is done. */
const LOOKUPS_AT_ONCE = 2_000;

/**
 * If a search finds at most this many users, only their stamps are looked up. Otherwise, all users with matching stamps are read
 * first.
 */
const FEW = 1_000;

type Stamps = NonNullable<ContactQuery["stamps"]>;

/**
 * Creates a function that finds the users who match a search and a stamp filter. It reads stamps from the same column that segments
 * use. If the search finds only a few users, the function reads their rows instead.
 */
export function contactMatches(
  dialect: SqlDialect,
  { matchBehavior }: Functions<Pick<BehaviorReads, "matchBehavior">, ReadingColumns>,
) {
  const { db, isOneOf, listParameter, search } = dialect;
  const contacts = searchMatches(dialect);

  const stampedAmong = prepare(
    (slot: Slot<ReturnType<typeof computeStampBounds> & { organizationId: string; ordinals: unknown }>) =>
      db
        .selectFrom("loyalty_wallet_passes")
        .select("user_ordinal as ordinal")
        .where("organization_id", "=", slot("organizationId"))
        .where(({ ref }) => isOneOf(ref("user_ordinal"), slot("ordinals")))
        .where("template_id", "=", slot("templateId"))
        .where("current_stamps", ">=", slot("min"))
        .where("current_stamps", "<=", slot("max")),
  );

  function* usersWithStamps(on: ReadingColumns, stamps: Stamps): Step<Bitmap> {
    const [holders] = yield* matchBehavior(on, [{ of: "stamps", ...stamps, min: stamps.min ?? 0 }]);
    return holders ?? Bitmap.empty;
  }

  /**
   * Evaluates the more selective condition first. This is the search if it finds few users, or the stamp filter if few users match
   * it.
   */
  function* withBoth(on: ReadingColumns, term: string, stamps: Stamps, users: Bitmap): Step<Bitmap> {
    const { session, organizationId } = on;
    const few = yield* contacts.find(on, term, users, FEW);
    if (few !== null) {
      const ordinals = listParameter(few.slice(0, few.count()));
      const holders = stampedAmong({ organizationId, ...computeStampBounds(stamps), ordinals });
      return Bitmap.of((yield* session.all(holders)).map(({ ordinal }) => ordinal));
    }
    const holders = yield* usersWithStamps(on, stamps);
    const count = holders.count();
    if (count <= computeMaxUsersToRead(users, search.scannedPerLookup)) {
      return yield* contacts.findAmong(on, term, holders.slice(0, count));
    }
    return (yield* withTerm(on, term, users)).and(holders);
  }

  function* withTerm(on: ReadContext, term: string, users: Bitmap): Step<Bitmap> {
    const most = computeMaxUsersToRead(users, search.scannedPerFound);
    return (yield* contacts.find(on, term, users, most)) ?? (yield* contacts.scan(on, term, users));
  }

  /** @param users all of the organization's users, which are returned as they are if the query has no conditions. */
  return function* (on: ReadingColumns, { search: term, stamps }: ContactQuery, users: Bitmap): Step<Bitmap> {
    if (term === null) {
      return stamps === null ? users : yield* usersWithStamps(on, stamps);
    }
    return stamps === null ? yield* withTerm(on, term, users) : yield* withBoth(on, term, stamps, users);
  };
}

/** Returns how many users can be read one by one in the time it takes to scan all of them. */
function computeMaxUsersToRead(users: Bitmap, scannedPerOne: number): number {
  return Math.floor(users.count() / scannedPerOne);
}

function computeStampBounds({ templateId, min, max }: Stamps) {
  return { templateId, min: min ?? 0, max: max ?? Number.MAX_SAFE_INTEGER };
}

interface Range {
  organizationId: string;
  term: string;
  from: number;
  to: number;
}

/** Creates functions that find the users whose case-folded fields contain a search term. */
function searchMatches(dialect: SqlDialect) {
  const { db, contains, isOneOf, listParameter, jsonArray, search } = dialect;

  const selectContaining = (slot: Slot<{ organizationId: string; term: string }>) =>
    db
      .selectFrom("loyalty_users")
      .select(({ ref }) => jsonArray(ref("ordinal")).as("ordinals"))
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => contains(ref("search_text"), slot("term")));

  const inRange = prepare((slot: Slot<Range>) =>
    selectContaining(slot).where("ordinal", ">=", slot("from")).where("ordinal", "<", slot("to")),
  );

  const amongSome = prepare((slot: Slot<{ organizationId: string; term: string; ordinals: unknown }>) =>
    selectContaining(slot).where(({ ref }) => isOneOf(ref("ordinal"), slot("ordinals"))),
  );

  /** Returns the ordinals that a query finds, in no particular order. */
  function* readOrdinals(session: ReadSession, query: ReturnType<typeof inRange>): Step<number[]> {
    const ordinals: number[] = JSON.parse((yield* findFirst(session, query))?.ordinals ?? "[]");
    return ordinals;
  }

  /** Scans the rows of users from an ordinal on. */
  function* searchInRows(on: ReadContext, term: string, users: Bitmap, start: number): Step<number[]> {
    const { session, organizationId } = on;
    const ordinals: number[] = [];
    for (let from = start; from < users.end; from += CHUNK_SIZE) {
      const to = Math.min(from + CHUNK_SIZE, users.end);
      for (const ordinal of yield* readOrdinals(session, inRange({ organizationId, term, from, to }))) {
        ordinals.push(ordinal);
      }
    }
    return ordinals;
  }

  function* withLate(on: ReadContext, term: string, users: Bitmap, indexed: readonly number[]): Step<Bitmap> {
    const late = yield* searchInRows(on, term, users, firstUnindexedOrdinal(users.end));
    return Bitmap.of(late.length === 0 ? indexed : [...indexed, ...late]);
  }

  return {
    /**
     * Finds the matching users in the search index, and adds the matching users who aren't indexed yet.
     * @param users all of the organization's users.
     * @returns the matching users, or `null` if the index may contain more than `most` matches or the term is too short for it.
     */
    *find(on: ReadContext, term: string, users: Bitmap, most: number): Step<Bitmap | null> {
      const indexed = yield* search.find(on, term, users.end, most);
      return indexed && (yield* withLate(on, term, users, indexed));
    },

    /** Returns the users among the given ones who match the term. */
    *findAmong(on: ReadContext, term: string, candidates: readonly number[]): Step<Bitmap> {
      const { session, organizationId } = on;
      const matchingOrdinals: number[] = [];
      for (let at = 0; at < candidates.length; at += LOOKUPS_AT_ONCE) {
        const ordinals = listParameter(candidates.slice(at, at + LOOKUPS_AT_ONCE));
        matchingOrdinals.push(
          ...(yield* readOrdinals(session, amongSome({ organizationId, term, ordinals }))),
        );
      }
      return Bitmap.of(matchingOrdinals);
    },

    /** Returns the users who match the term, by scanning all users. */
    *scan(on: ReadContext, term: string, users: Bitmap): Step<Bitmap> {
      if (search.scan === null) return Bitmap.of(yield* searchInRows(on, term, users, 0));
      const indexed = yield* search.scan(on, term);
      return yield* withLate(on, term, users, indexed);
    },
  };
}
