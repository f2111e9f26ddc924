import type { Step } from "../../../../src/base/concurrency/step.js";
import type { BehaviorReads } from "../../../../src/storage/behavior.js";
import { Bitmap } from "../../../../src/storage/bitmap.js";
import type { ContactQuery } from "../../../../src/storage/contacts.js";
import type { Functions } from "../../../../src/storage/methods.js";
import type { ReadingColumns } from "../columns/behavior.js";
import type { ReadSession } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { searchMatches } from "./search-matches.js";

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
  const searched = searchMatches(dialect);

  const stampedAmong = prepare(
    (slot: Slot<ReturnType<typeof boundsOfStamps> & { organizationId: string; ordinals: unknown }>) =>
      db
        .selectFrom("loyalty_wallet_passes")
        .select("user_ordinal as ordinal")
        .where("organization_id", "=", slot("organizationId"))
        .where(({ ref }) => isOneOf(ref("user_ordinal"), slot("ordinals")))
        .where("template_id", "=", slot("templateId"))
        .where("current_stamps", ">=", slot("min"))
        .where("current_stamps", "<=", slot("max")),
  );

  function* usersWithStamps(on: ReadingColumns, organizationId: string, stamps: Stamps): Step<Bitmap> {
    const [holders] = yield* matchBehavior(on, organizationId, [
      { of: "stamps", ...stamps, min: stamps.min ?? 0 },
    ]);
    return holders ?? Bitmap.empty;
  }

  /**
   * Evaluates the more selective condition first. This is the search if it finds few users, or the stamp filter if few users match
   * it.
   */
  function* withBoth(
    on: ReadingColumns,
    organizationId: string,
    term: string,
    stamps: Stamps,
    users: Bitmap,
  ): Step<Bitmap> {
    const { session } = on;
    const few = yield* searched.found(session, organizationId, term, users, FEW);
    if (few !== null) {
      const ordinals = listParameter(few.slice(0, few.count()));
      const holders = stampedAmong({ organizationId, ...boundsOfStamps(stamps), ordinals });
      return Bitmap.of((yield* session.all(holders)).map(({ ordinal }) => ordinal));
    }
    const holders = yield* usersWithStamps(on, organizationId, stamps);
    const count = holders.count();
    if (count <= maxUsersToRead(users, search.scannedPerLookup)) {
      return yield* searched.among(session, organizationId, term, holders.slice(0, count));
    }
    return (yield* withTerm(session, organizationId, term, users)).and(holders);
  }

  function* withTerm(
    session: ReadSession,
    organizationId: string,
    term: string,
    users: Bitmap,
  ): Step<Bitmap> {
    const most = maxUsersToRead(users, search.scannedPerFound);
    return (
      (yield* searched.found(session, organizationId, term, users, most)) ??
      (yield* searched.scanned(session, organizationId, term, users))
    );
  }

  /** @param users all of the organization's users, which are returned as they are if the query has no conditions. */
  return function* (
    on: ReadingColumns,
    organizationId: string,
    { search: term, stamps }: ContactQuery,
    users: Bitmap,
  ): Step<Bitmap> {
    if (term === null) {
      return stamps === null ? users : yield* usersWithStamps(on, organizationId, stamps);
    }
    return stamps === null
      ? yield* withTerm(on.session, organizationId, term, users)
      : yield* withBoth(on, organizationId, term, stamps, users);
  };
}

/** Returns how many users can be read one by one in the time it takes to scan all of them. */
function maxUsersToRead(users: Bitmap, scannedPerOne: number): number {
  return Math.floor(users.count() / scannedPerOne);
}

function boundsOfStamps({ templateId, min, max }: Stamps) {
  return { templateId, min: min ?? 0, max: max ?? Number.MAX_SAFE_INTEGER };
}
