import { sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import type { StoredPointCard, StoredPointEntry, StoredPointLot } from "../../../../src/storage/points.js";
import type { ReadSession, Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { limitRows } from "../sql/limited-delete.js";
import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";
import type { RowProblem } from "./finding.js";
import { findNextChange, PointSums } from "./point-sums.js";

/** Maximum number of passes whose points are added up together. */
const PASS_PAGE_SIZE = 200;

/** Rows per read. */
const ENTRY_PAGE_SIZE = 1_000;

/** A pass whose points are wrong. */
interface WrongPoints {
  readonly passId: string;
  /** The reason that the points can't be repaired, or `null` if they can. */
  readonly reason: string | null;
  readonly card: StoredPointCard;
  /** The lots that are wrong, with their right values. */
  readonly lots: readonly StoredPointLot[];
}

/**
 * Creates the check for points. A pass's points and lots must equal the sums of its entries. Wrong sums are repaired only if the
 * entries are complete and don't contradict each other.
 */
export function createPointCheck(dialect: SqlDialect) {
  const { db, isOneOf, listParameter } = dialect;
  const cards = createRowStatements(dialect, tables.pointCards);
  const lots = createRowStatements(dialect, tables.pointLots);
  const entries = createRowStatements(dialect, tables.pointEntries);

  /** Lists passes that have a card, a lot, or an entry. */
  const selectPasses = (organizationId: string, after: string) => {
    const selectPassesIn = (table: string) => sql`select pass_id from (
      select distinct pass_id from ${sql.table(table)}
      where organization_id = ${organizationId} and pass_id > ${after} order by pass_id ${limitRows(PASS_PAGE_SIZE)}) some_passes`;
    const passQueries = ["loyalty_point_cards", "loyalty_point_lots", "loyalty_point_entries"].map(
      selectPassesIn,
    );
    return sql<{
      passId: string;
    }>`select pass_id as "passId" from (${sql.join(passQueries, sql` union `)}) all_passes
      order by pass_id ${limitRows(PASS_PAGE_SIZE)}`;
  };

  function* readCards(session: ReadSession, organizationId: string, passIds: readonly string[]) {
    const query = db
      .selectFrom("loyalty_point_cards")
      .select(cards.columns)
      .where("organization_id", "=", organizationId)
      .where(({ ref }) => isOneOf(ref("pass_id"), sql`${listParameter(passIds)}`));
    return (yield* session.all(query.compile())).map(cards.toRow);
  }

  function* readLots(session: ReadSession, organizationId: string, passIds: readonly string[]) {
    const query = db
      .selectFrom("loyalty_point_lots")
      .select(lots.columns)
      .where("organization_id", "=", organizationId)
      .where(({ ref }) => isOneOf(ref("pass_id"), sql`${listParameter(passIds)}`))
      .orderBy("pass_id")
      .orderBy("sequence");
    return (yield* session.all(query.compile())).map(lots.toRow);
  }

  /** Adds up the entries of these passes, reading some of them at a time. */
  function* sumEntries(session: ReadSession, organizationId: string, passIds: readonly string[]) {
    const sums = new Map(passIds.map((passId) => [passId, new PointSums()]));
    const firstPage = db
      .selectFrom("loyalty_point_entries")
      .select(entries.columns)
      .where("organization_id", "=", organizationId)
      .where(({ ref }) => isOneOf(ref("pass_id"), sql`${listParameter(passIds)}`))
      .orderBy("pass_id")
      .orderBy("sequence")
      .limit(ENTRY_PAGE_SIZE);
    for (let last: StoredPointEntry | null = null; ; ) {
      const after: StoredPointEntry | null = last;
      const query =
        after === null
          ? firstPage
          : firstPage.where(({ eb, refTuple, tuple }) =>
              eb(refTuple("pass_id", "sequence"), ">", tuple(after.passId, after.sequence)),
            );
      const page: StoredPointEntry[] = (yield* session.all(query.compile())).map(entries.toRow);
      for (const entry of page) sums.get(entry.passId)?.add(entry);
      last = page.at(-1) ?? null;
      if (page.length < ENTRY_PAGE_SIZE || last === null) return sums;
    }
  }

  function* findWrongPoints(
    session: ReadSession,
    organizationId: string,
    passIds: readonly string[],
  ): Step<readonly WrongPoints[]> {
    const storedCards = new Map<string, StoredPointCard>();
    for (const card of yield* readCards(session, organizationId, passIds)) storedCards.set(card.passId, card);
    const storedLots = new Map<string, StoredPointLot[]>(passIds.map((passId) => [passId, []]));
    for (const lot of yield* readLots(session, organizationId, passIds))
      storedLots.get(lot.passId)?.push(lot);
    const wrongPoints: WrongPoints[] = [];
    for (const [passId, sums] of yield* sumEntries(session, organizationId, passIds)) {
      const [card, lots] = [storedCards.get(passId) ?? null, storedLots.get(passId) ?? []];
      const correctLots = lots.map((lot) => ({ ...lot, ...sums.getLotValues(lot) }));
      const updatedAt = card?.updatedAt ?? 0;
      const nextChangeAt = findNextChange(correctLots, updatedAt);
      const correctCard = { passId, ...sums.card, updatedAt, nextChangeAt };
      const wrongLots = correctLots.filter((lot, at) => !haveSameValues(lot, lots[at]));
      const reason = sums.findBreak(card, lots);
      if (reason === null && wrongLots.length === 0 && haveSameValues(correctCard, card)) continue;
      wrongPoints.push({ passId, reason, card: correctCard, lots: wrongLots });
    }
    return wrongPoints;
  }

  function* findAllWrongPoints(session: ReadSession, organizationId: string): Step<readonly WrongPoints[]> {
    const wrongPoints: WrongPoints[] = [];
    for (let after: string | undefined = ""; after !== undefined; ) {
      const page: { readonly passId: string }[] = yield* session.all(
        selectPasses(organizationId, after).compile(db),
      );
      const passIds = page.map(({ passId }) => passId);
      wrongPoints.push(...(yield* findWrongPoints(session, organizationId, passIds)));
      after = page.length < PASS_PAGE_SIZE ? undefined : passIds.at(-1);
    }
    return wrongPoints;
  }

  return {
    *find(session: ReadSession, organizationId: string): Step<readonly RowProblem[]> {
      const wrongPoints = yield* findAllWrongPoints(session, organizationId);
      return wrongPoints.map(({ passId, reason }) => (reason === null ? passId : { about: passId, reason }));
    },

    *repair(session: Session, organizationId: string): Step<void> {
      for (const { reason, card, lots: wrongLots } of yield* findAllWrongPoints(session, organizationId)) {
        if (reason !== null) continue;
        yield* session.change(cards.put(organizationId, card));
        yield* session.changeEach(wrongLots.map((lot) => lots.update(organizationId, lot)));
      }
    },
  };
}

/** Returns whether two rows have the same values. */
function haveSameValues(one: object, other: object | null | undefined): boolean {
  if (other === null || other === undefined) return false;
  const values = new Map<string, unknown>(Object.entries(other));
  return Object.entries(one).every(([name, value]) => values.get(name) === value);
}
