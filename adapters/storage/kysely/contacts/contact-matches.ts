import type { Step } from "../../../../src/base/concurrency/step.js";
import type { BehaviorReads } from "../../../../src/storage/behavior.js";
import { Bitmap, CHUNK_SIZE } from "../../../../src/storage/bitmap.js";
import type { ContactQuery } from "../../../../src/storage/contacts.js";
import type { Functions } from "../../../../src/storage/methods.js";
import type { ColumnReadContext } from "../columns/behavior.js";
import { findFirst, prepare, type ReadContext, type ReadSession, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

import { findFirstUnindexed } from "./search-blocks.js";

/** Maximum number of users looked up per statement, because a statement blocks the process until it is done. */
const LOOKUP_BATCH_SIZE = 2_000;

/**
 * If a search finds at most this many users, only their stamps are looked up. Otherwise, all users with matching stamps are read
 * first.
 */
const MAX_DIRECT_LOOKUPS = 1_000;

type Stamps = NonNullable<ContactQuery["stamps"]>;

/**
 * Creates a function that finds the users who match a search and a stamp filter. It reads stamps from the same column that segments
 * use. If the search finds only a few users, the function reads their rows instead.
 */
export function createContactMatcher(
  dialect: SqlDialect,
  { matchBehavior }: Functions<Pick<BehaviorReads, "matchBehavior">, ColumnReadContext>,
) {
  const { db, isOneOf, listParameter, search } = dialect;
  const termSearch = prepareTermSearch(dialect);

  const selectStampedUsers = prepare(
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

  function* findUsersWithStamps(context: ColumnReadContext, stamps: Stamps): Step<Bitmap> {
    const [holders] = yield* matchBehavior(context, [{ of: "stamps", ...stamps, min: stamps.min ?? 0 }]);
    return holders ?? Bitmap.empty;
  }

  /**
   * Evaluates the more selective condition first. This is the search if it finds few users, or the stamp filter if few users match
   * it.
   */
  function* matchBoth(context: ColumnReadContext, term: string, stamps: Stamps, users: Bitmap): Step<Bitmap> {
    const { session, organizationId } = context;
    const matchingUsers = yield* termSearch.find(context, term, users, MAX_DIRECT_LOOKUPS);
    if (matchingUsers !== null) {
      const ordinals = listParameter(matchingUsers.slice(0, matchingUsers.count()));
      const holders = selectStampedUsers({ organizationId, ...computeStampBounds(stamps), ordinals });
      return Bitmap.of((yield* session.all(holders)).map(({ ordinal }) => ordinal));
    }
    const holders = yield* findUsersWithStamps(context, stamps);
    const count = holders.count();
    if (count <= computeMaxUsersToRead(users, search.scannedPerLookup)) {
      return yield* termSearch.findAmong(context, term, holders.slice(0, count));
    }
    return (yield* matchTerm(context, term, users)).and(holders);
  }

  function* matchTerm(context: ReadContext, term: string, users: Bitmap): Step<Bitmap> {
    const maxMatches = computeMaxUsersToRead(users, search.scannedPerFound);
    return (
      (yield* termSearch.find(context, term, users, maxMatches)) ??
      (yield* termSearch.scan(context, term, users))
    );
  }

  /** @param users all of the organization's users, which are returned as they are if the query has no conditions. */
  return function* (
    context: ColumnReadContext,
    { search: term, stamps }: ContactQuery,
    users: Bitmap,
  ): Step<Bitmap> {
    if (term === null) {
      return stamps === null ? users : yield* findUsersWithStamps(context, stamps);
    }
    return stamps === null
      ? yield* matchTerm(context, term, users)
      : yield* matchBoth(context, term, stamps, users);
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
function prepareTermSearch(dialect: SqlDialect) {
  const { db, contains, isOneOf, listParameter, jsonArray, search } = dialect;

  const selectContaining = (slot: Slot<{ organizationId: string; term: string }>) =>
    db
      .selectFrom("loyalty_users")
      .select(({ ref }) => jsonArray(ref("ordinal")).as("ordinals"))
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => contains(ref("search_text"), slot("term")));

  const searchRange = prepare((slot: Slot<Range>) =>
    selectContaining(slot).where("ordinal", ">=", slot("from")).where("ordinal", "<", slot("to")),
  );

  const searchAmong = prepare((slot: Slot<{ organizationId: string; term: string; ordinals: unknown }>) =>
    selectContaining(slot).where(({ ref }) => isOneOf(ref("ordinal"), slot("ordinals"))),
  );

  /** Returns the ordinals that a query finds, in no particular order. */
  function* readOrdinals(session: ReadSession, query: ReturnType<typeof searchRange>): Step<number[]> {
    const ordinals: number[] = JSON.parse((yield* findFirst(session, query))?.ordinals ?? "[]");
    return ordinals;
  }

  /** Scans the rows of users from an ordinal on. */
  function* scanRows(context: ReadContext, term: string, users: Bitmap, start: number): Step<number[]> {
    const { session, organizationId } = context;
    const ordinals: number[] = [];
    for (let from = start; from < users.end; from += CHUNK_SIZE) {
      const to = Math.min(from + CHUNK_SIZE, users.end);
      for (const ordinal of yield* readOrdinals(session, searchRange({ organizationId, term, from, to }))) {
        ordinals.push(ordinal);
      }
    }
    return ordinals;
  }

  function* addUnindexed(
    context: ReadContext,
    term: string,
    users: Bitmap,
    indexed: readonly number[],
  ): Step<Bitmap> {
    const unindexed = yield* scanRows(context, term, users, findFirstUnindexed(users.end));
    return Bitmap.of(unindexed.length === 0 ? indexed : [...indexed, ...unindexed]);
  }

  return {
    /**
     * Finds the matching users in the search index, and adds the matching users who aren't indexed yet.
     * @param users all of the organization's users.
     * @returns the matching users, or `null` if the index may contain more than `maxMatches` matches or the term is too short for it.
     */
    *find(context: ReadContext, term: string, users: Bitmap, maxMatches: number): Step<Bitmap | null> {
      const indexed = yield* search.find(context, term, users.end, maxMatches);
      return indexed && (yield* addUnindexed(context, term, users, indexed));
    },

    /** Returns the users among the given ones who match the term. */
    *findAmong(context: ReadContext, term: string, candidates: readonly number[]): Step<Bitmap> {
      const { session, organizationId } = context;
      const matchingOrdinals: number[] = [];
      for (let start = 0; start < candidates.length; start += LOOKUP_BATCH_SIZE) {
        const ordinals = listParameter(candidates.slice(start, start + LOOKUP_BATCH_SIZE));
        matchingOrdinals.push(
          ...(yield* readOrdinals(session, searchAmong({ organizationId, term, ordinals }))),
        );
      }
      return Bitmap.of(matchingOrdinals);
    },

    /** Returns the users who match the term, by scanning all users. */
    *scan(context: ReadContext, term: string, users: Bitmap): Step<Bitmap> {
      if (search.scan === null) return Bitmap.of(yield* scanRows(context, term, users, 0));
      const indexed = yield* search.scan(context, term);
      return yield* addUnindexed(context, term, users, indexed);
    },
  };
}
