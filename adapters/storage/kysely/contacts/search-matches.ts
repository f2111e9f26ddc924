import type { Step } from "../../../../src/base/concurrency/step.js";
import { Bitmap, CHUNK_SIZE } from "../../../../src/storage/bitmap.js";
import { findFirst, type ReadSession } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { firstUnindexedOrdinal } from "./search-blocks.js";

/** Maximum number of users looked up per statement, because a statement blocks the process until it is done. */
const LOOKUPS_AT_ONCE = 2_000;

interface Range {
  organizationId: string;
  term: string;
  from: number;
  to: number;
}

/** Creates functions that find the users whose case-folded fields contain a search term. */
export function searchMatches(dialect: SqlDialect) {
  const { db, contains, isOneOf, listParameter, jsonArray, search } = dialect;

  const containing = (slot: Slot<{ organizationId: string; term: string }>) =>
    db
      .selectFrom("loyalty_users")
      .select(({ ref }) => jsonArray(ref("ordinal")).as("ordinals"))
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => contains(ref("search_text"), slot("term")));

  const inRange = prepare((slot: Slot<Range>) =>
    containing(slot).where("ordinal", ">=", slot("from")).where("ordinal", "<", slot("to")),
  );

  const amongSome = prepare((slot: Slot<{ organizationId: string; term: string; ordinals: unknown }>) =>
    containing(slot).where(({ ref }) => isOneOf(ref("ordinal"), slot("ordinals"))),
  );

  /** Returns the ordinals that a query finds, in no particular order. */
  function* listed(session: ReadSession, query: ReturnType<typeof inRange>): Step<number[]> {
    const ordinals: number[] = JSON.parse((yield* findFirst(session, query))?.ordinals ?? "[]");
    return ordinals;
  }

  /** Scans the rows of users from an ordinal on. */
  function* inRows(
    session: ReadSession,
    organizationId: string,
    term: string,
    users: Bitmap,
    start: number,
  ): Step<number[]> {
    const found: number[] = [];
    for (let from = start; from < users.end; from += CHUNK_SIZE) {
      const to = Math.min(from + CHUNK_SIZE, users.end);
      for (const ordinal of yield* listed(session, inRange({ organizationId, term, from, to }))) {
        found.push(ordinal);
      }
    }
    return found;
  }

  function* withLate(
    session: ReadSession,
    organizationId: string,
    term: string,
    users: Bitmap,
    indexed: readonly number[],
  ): Step<Bitmap> {
    const late = yield* inRows(session, organizationId, term, users, firstUnindexedOrdinal(users.end));
    return Bitmap.of(late.length === 0 ? indexed : [...indexed, ...late]);
  }

  return {
    /**
     * Finds the matching users in the search index, and adds the matching users who aren't indexed yet.
     * @param users all of the organization's users.
     * @returns the matching users, or `null` if the index may contain more than `most` matches or the term is too short for it.
     */
    *found(
      session: ReadSession,
      organizationId: string,
      term: string,
      users: Bitmap,
      most: number,
    ): Step<Bitmap | null> {
      const indexed = yield* search.find(session, organizationId, term, users.end, most);
      return indexed && (yield* withLate(session, organizationId, term, users, indexed));
    },

    /** Returns the users among the given ones who match the term. */
    *among(
      session: ReadSession,
      organizationId: string,
      term: string,
      some: readonly number[],
    ): Step<Bitmap> {
      const found: number[] = [];
      for (let at = 0; at < some.length; at += LOOKUPS_AT_ONCE) {
        const ordinals = listParameter(some.slice(at, at + LOOKUPS_AT_ONCE));
        found.push(...(yield* listed(session, amongSome({ organizationId, term, ordinals }))));
      }
      return Bitmap.of(found);
    },

    /** Returns the users who match the term, by scanning all users. */
    *scanned(session: ReadSession, organizationId: string, term: string, users: Bitmap): Step<Bitmap> {
      if (search.scan === null) return Bitmap.of(yield* inRows(session, organizationId, term, users, 0));
      const indexed = yield* search.scan(session, organizationId, term);
      return yield* withLate(session, organizationId, term, users, indexed);
    },
  };
}
