import type { Step } from "../../../src/concurrency/step.js";
import { Bitmap } from "../../../src/storage/bitmap.js";
import type { ContactQuery } from "../../../src/storage/contacts.js";
import type { ReadSession } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { searchMatches } from "./search-matches.js";

/** The rows that one statement reads: it blocks the process until it is done. */
const PASSES_AT_ONCE = 10_000;

/** So few are looked for before all users with the stamps are. */
const FEW = 1_000;

type Stamps = NonNullable<ContactQuery["stamps"]>;

/** Finds the users whom a search and a stamp filter let through. */
export function contactMatches(dialect: SqlDialect) {
  const { db, isOneOf, listParameter, search } = dialect;
  const searched = searchMatches(dialect);

  const stamped = prepare(
    (
      slot: Slot<
        ReturnType<typeof boundsOfStamps> & {
          organizationId: string;
          afterStamps: number;
          afterOrdinal: number;
        }
      >,
    ) =>
      db
        .selectFrom("loyalty_wallet_passes")
        .select(["user_ordinal as ordinal", "current_stamps as stamps"])
        .where("organization_id", "=", slot("organizationId"))
        .where("template_id", "=", slot("templateId"))
        .where(({ eb, refTuple, tuple }) =>
          eb(
            refTuple("current_stamps", "user_ordinal"),
            ">",
            tuple(slot("afterStamps"), slot("afterOrdinal")),
          ),
        )
        .where("current_stamps", "<=", slot("max"))
        .orderBy("current_stamps")
        .orderBy("user_ordinal")
        .limit(PASSES_AT_ONCE),
  );

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

  function* usersWithStamps(session: ReadSession, organizationId: string, stamps: Stamps) {
    const bounds = { organizationId, ...boundsOfStamps(stamps) };
    const ordinals: number[] = [];
    let [afterStamps, afterOrdinal] = [bounds.min, -1];
    for (;;) {
      const passes = yield* session.all(stamped({ ...bounds, afterStamps, afterOrdinal }));
      for (const { ordinal } of passes) ordinals.push(ordinal);
      const last = passes.at(-1);
      if (last === undefined || passes.length < PASSES_AT_ONCE) return Bitmap.of(ordinals);
      [afterStamps, afterOrdinal] = [last.stamps ?? 0, last.ordinal];
    }
  }

  /** Found from the narrow side: by the search when it finds few, else by the stamps when few users have them. */
  function* withBoth(
    session: ReadSession,
    organizationId: string,
    term: string,
    stamps: Stamps,
    users: Bitmap,
  ): Step<Bitmap> {
    const few = yield* searched.found(session, organizationId, term, users, FEW);
    if (few !== null) {
      const ordinals = listParameter(few.slice(0, few.count()));
      const holders = stampedAmong({ organizationId, ...boundsOfStamps(stamps), ordinals });
      return Bitmap.of((yield* session.all(holders)).map(({ ordinal }) => ordinal));
    }
    const holders = yield* usersWithStamps(session, organizationId, stamps);
    const count = holders.count();
    if (count <= worthwhile(users, search.scannedPerLookup)) {
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
    const most = worthwhile(users, search.scannedPerFound);
    return (
      (yield* searched.found(session, organizationId, term, users, most)) ??
      (yield* searched.scanned(session, organizationId, term, users))
    );
  }

  /** @param users all users of the organization, who are given back where nothing is asked for. */
  return function* (
    session: ReadSession,
    organizationId: string,
    { search: term, stamps }: ContactQuery,
    users: Bitmap,
  ): Step<Bitmap> {
    if (term === null) {
      return stamps === null ? users : yield* usersWithStamps(session, organizationId, stamps);
    }
    return stamps === null
      ? yield* withTerm(session, organizationId, term, users)
      : yield* withBoth(session, organizationId, term, stamps, users);
  };
}

/** Returns how many users can be read one by one in the time of going through all of them. */
function worthwhile(users: Bitmap, scannedPerOne: number): number {
  return Math.floor(users.count() / scannedPerOne);
}

function boundsOfStamps({ templateId, min, max }: Stamps) {
  return { templateId, min: min ?? 0, max: max ?? Number.MAX_SAFE_INTEGER };
}
