import { Bitmap, CHUNK_SIZE } from "../../../src/storage/bitmap.js";
import type { ContactQuery } from "../../../src/storage/contacts.js";
import { first, type ReadSession } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";

/** How many rows one statement looks at: it holds up the process until it is done. */
const PASSES_AT_ONCE = 10_000;
const CANDIDATES_AT_ONCE = 2_000;

/** Finding a user by its ordinal takes the time of going through about so many users in their order. */
const SCANNED_PER_LOOKUP = 16;

const MOST_CANDIDATES = 100_000;

/** So few are looked at before all users with the stamps are. */
const FEW_CANDIDATES = 1_000;

interface InChunk {
  organizationId: string;
  term: string;
  from: number;
  to: number;
}

type Direction = ContactQuery["sort"]["direction"];
type Stamps = NonNullable<ContactQuery["stamps"]>;

/** Finds the users whom a search and a stamp filter let through. */
export function contactMatches(dialect: SqlDialect) {
  const { db, contains, isOneOf, listParameter, jsonArray, search } = dialect;

  const containing = (slot: Slot<{ organizationId: string; term: string }>) =>
    db
      .selectFrom("loyalty_users")
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => contains(ref("search_text"), slot("term")));

  const inChunk = (slot: Slot<InChunk>) =>
    containing(slot).where("ordinal", ">=", slot("from")).where("ordinal", "<", slot("to"));

  const withinChunk = prepare((slot: Slot<InChunk>) =>
    inChunk(slot).select(({ ref }) => jsonArray(ref("ordinal")).as("ordinals")),
  );

  const countInChunk = prepare((slot: Slot<InChunk>) =>
    inChunk(slot).select(({ fn }) => fn.countAll<number>().as("total")),
  );

  const amongSome = prepare((slot: Slot<{ organizationId: string; term: string; ordinals: unknown }>) =>
    containing(slot)
      .select(({ ref }) => jsonArray(ref("ordinal")).as("ordinals"))
      .where(({ ref }) => isOneOf(ref("ordinal"), slot("ordinals"))),
  );

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

  async function usersWithStamps(session: ReadSession, organizationId: string, stamps: Stamps) {
    const bounds = { organizationId, ...boundsOfStamps(stamps) };
    const ordinals: number[] = [];
    let [afterStamps, afterOrdinal] = [bounds.min, -1];
    for (;;) {
      const passes = await session.all(stamped({ ...bounds, afterStamps, afterOrdinal }));
      for (const { ordinal } of passes) ordinals.push(ordinal);
      const last = passes.at(-1);
      if (last === undefined || passes.length < PASSES_AT_ONCE) return Bitmap.of(ordinals);
      [afterStamps, afterOrdinal] = [last.stamps ?? 0, last.ordinal];
    }
  }

  /** In no order. */
  async function listed(session: ReadSession, query: Parameters<typeof first<{ ordinals: string }>>[1]) {
    const ordinals: number[] = JSON.parse((await first(session, query))?.ordinals ?? "[]");
    return ordinals;
  }

  /** Those of the candidates who do have the term. */
  async function verified(
    session: ReadSession,
    organizationId: string,
    term: string,
    candidates: readonly number[],
  ): Promise<Bitmap> {
    const found: number[] = [];
    for (let at = 0; at < candidates.length; at += CANDIDATES_AT_ONCE) {
      const ordinals = listParameter(candidates.slice(at, at + CANDIDATES_AT_ONCE));
      found.push(...(await listed(session, amongSome({ organizationId, term, ordinals }))));
    }
    return Bitmap.of(found);
  }

  return {
    /**
     * Who may match, found from the narrow side: the search index when it finds very few, else the stamp filter when it
     * leaves few users, else the index once more when it finds not too many.
     * @param users all users of the organization.
     * @returns with `certain` exactly those who match; else the search has still to be looked for in each one's texts.
     */
    async narrowed(
      session: ReadSession,
      organizationId: string,
      { search: term, stamps }: ContactQuery,
      users: Bitmap,
    ): Promise<{ readonly among: Bitmap; readonly certain: boolean }> {
      const worthwhile = Math.min(Math.floor(users.count() / SCANNED_PER_LOOKUP), MOST_CANDIDATES);
      if (term !== null && stamps !== null) {
        const few = await search.candidates(session, organizationId, term, FEW_CANDIDATES);
        if (few !== null) {
          const ordinals = listParameter(few);
          const values = { organizationId, ...boundsOfStamps(stamps), ordinals };
          const holders = Bitmap.of((await session.all(stampedAmong(values))).map(({ ordinal }) => ordinal));
          const matches = await verified(session, organizationId, term, holders.slice(0, few.length));
          return { among: matches, certain: true };
        }
      }
      const among = stamps === null ? users : await usersWithStamps(session, organizationId, stamps);
      if (term === null) return { among, certain: true };
      const candidates =
        among.count() <= worthwhile
          ? among.slice(0, worthwhile)
          : await search.candidates(session, organizationId, term, worthwhile);
      if (candidates === null) return { among, certain: false };
      const matches = await verified(session, organizationId, term, candidates);
      return { among: stamps === null ? matches : matches.and(among), certain: true };
    },

    /** Goes through users for those who have the term. */
    async scanned(
      session: ReadSession,
      organizationId: string,
      term: string,
      among: Bitmap,
    ): Promise<Bitmap> {
      const found: number[] = [];
      for (let at = 0; at < among.length; at += 1) {
        if (among.chunk(at) === undefined) continue;
        for (const ordinal of await listed(session, withinChunk({ organizationId, term, ...boundsOf(at) }))) {
          found.push(ordinal);
        }
      }
      return Bitmap.of(found).and(among);
    },

    /** Goes through all users for a page of those who have the term, by age, and only counts the others. */
    async scannedPage(
      session: ReadSession,
      organizationId: string,
      term: string,
      users: Bitmap,
      direction: Direction,
      offset: number,
      limit: number,
    ): Promise<{ readonly ordinals: readonly number[]; readonly total: number }> {
      const ordinals: number[] = [];
      let total = 0;
      for (let step = 0; step < users.length; step += 1) {
        const at = direction === "asc" ? step : users.length - 1 - step;
        const chunk = { organizationId, term, ...boundsOf(at) };
        if (users.chunk(at) === undefined) continue;
        if (ordinals.length === limit) {
          total += Number((await first(session, countInChunk(chunk)))?.total ?? 0);
          continue;
        }
        const found = await listed(session, withinChunk(chunk));
        found.sort((a, b) => (direction === "asc" ? a - b : b - a));
        ordinals.push(...found.slice(Math.max(offset - total, 0)).slice(0, limit - ordinals.length));
        total += found.length;
      }
      return { ordinals, total };
    },
  };
}

function boundsOfStamps({ templateId, min, max }: Stamps) {
  return { templateId, min: min ?? 0, max: max ?? Number.MAX_SAFE_INTEGER };
}

/** The ordinals of one chunk: those from `from`, before `to`. */
function boundsOf(chunk: number): { readonly from: number; readonly to: number } {
  return { from: chunk * CHUNK_SIZE, to: (chunk + 1) * CHUNK_SIZE };
}
