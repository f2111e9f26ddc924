import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import { MAX_STORED_VISITS } from "../../../../src/storage/passes.js";
import type { ReadSession, Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import type { RowProblem } from "./finding.js";
import { prepareLedgerBreaks } from "./ledger-breaks.js";

/**
 * Creates the check for stamp cards, which must equal the sum of their ledger entries. Only the visits follow from
 * purchases too. A wrong card is repaired only if its ledger is complete. Otherwise, it is reported but left unchanged, because an
 * incomplete ledger doesn't prove what the card should be.
 */
export function createLedgerCheck(dialect: SqlDialect) {
  const { db } = dialect;
  const findBreaks = prepareLedgerBreaks(dialect);

  const selectSums = (organizationId: string) => sql`
    select entry.pass_id, count(*) as entries, sum(entry.delta) as delta, sum(entry.completions) as completions,
      sum(case when coalesce(reversed.type, entry.type) in ('added', 'earned', 'returned') then entry.delta else 0 end) as added,
      sum(case when entry.type = 'redeemed' then 1 when reversed.type = 'redeemed' then -1 else 0 end) as redeemed,
      sum(case when entry.type = 'granted' then 1 when reversed.type = 'granted' then -1 else 0 end) as granted,
      max(case when entry.type = 'added' then entry.created_at end) as last_added_at,
      max(case when entry.type = 'earned' then 1 else 0 end) as has_earned
    from loyalty_stamp_entries entry
    left join loyalty_stamp_entries reversed on reversed.organization_id = entry.organization_id
      and reversed.pass_id = entry.pass_id and reversed.id = entry.reverses
    where entry.organization_id = ${organizationId} group by entry.pass_id`;

  const lastVisitAt = sql`(select max(effect.at) from loyalty_purchase_effects effect
    where effect.organization_id = cards.organization_id and effect.pass_id = cards.id and ${isVisit("effect")})`;

  // A purchase that has earned stamps may have had a later time, or have been returned. So the stored time may be later too.
  const lastStampAt = sql`case
    when coalesce(ledger.has_earned, 0) = 0 then ledger.last_added_at
    else ${buildGreatest([sql`ledger.last_added_at`, lastVisitAt, sql`cards.last_stamp_at`])} end`;

  // A pass without a stamp card has none of the values.
  const ifStampCard = (value: RawBuilder<unknown>) =>
    sql`case when cards.max_stamps is not null then ${value} end`;
  const expectedValues = {
    entries: ifStampCard(sql`coalesce(ledger.entries, 0)`),
    times_completed: ifStampCard(sql`coalesce(ledger.completions, 0)`),
    current_stamps: ifStampCard(
      sql`coalesce(ledger.delta, 0) - cards.max_stamps * coalesce(ledger.completions, 0)`,
    ),
    rewards_available: ifStampCard(sql`coalesce(ledger.completions + ledger.granted - ledger.redeemed, 0)`),
    total_stamps_collected: ifStampCard(sql`coalesce(ledger.added, 0)`),
    last_stamp_at: ifStampCard(lastStampAt),
  };
  const visits = ifStampCard(buildVisits("cards"));

  const selectWrongCards = (organizationId: string) => sql<
    Readonly<Record<string, unknown>> & { id: string }
  >`
    select cards.id, ${sql.join(
      Object.entries(expectedValues).map(
        ([column, value]) => sql`cast(${value} as bigint) as ${sql.ref(column)}`,
      ),
    )}, ${visits} as visits
    from loyalty_wallet_passes cards
    left join (${selectSums(organizationId)}) ledger on ledger.pass_id = cards.id
    where cards.organization_id = ${organizationId} and (${sql.join(
      Object.entries(expectedValues).map(
        ([column, value]) => sql`${sql.ref(`cards.${column}`)} is distinct from ${value}`,
      ),
      sql` or `,
    )} or cards.visits is distinct from ${visits})
    order by cards.id`;

  /** Returns the correct values for stamp cards that need a repair. */
  function* findWrongCards(
    session: ReadSession,
    organizationId: string,
    brokenPasses: ReadonlyMap<string, string>,
  ) {
    const cards = yield* session.all(selectWrongCards(organizationId).compile(db));
    return cards.filter(({ id }) => !brokenPasses.has(id));
  }

  return {
    *find(session: ReadSession, organizationId: string): Step<readonly RowProblem[]> {
      const brokenPasses = yield* findBreaks(session, organizationId);
      const cards = yield* findWrongCards(session, organizationId, brokenPasses);
      const problems = [...brokenPasses].map(([about, reason]) => ({ about, reason }));
      return [...problems, ...cards.map(({ id }) => id)];
    },

    *repair(session: Session, organizationId: string): Step<void> {
      const brokenPasses = yield* findBreaks(session, organizationId);
      for (const { id, ...card } of yield* findWrongCards(session, organizationId, brokenPasses)) {
        const values = Object.entries(card).map(
          ([column, value]) =>
            sql`${sql.ref(column)} = ${value === null || column === "visits" ? value : Number(value)}`,
        );
        const update = sql`update loyalty_wallet_passes set ${sql.join(values)}
          where organization_id = ${organizationId} and id = ${id}`;
        yield* session.change(update.compile(db));
      }
    },
  };
}

/**
 * Builds an expression that computes a stamp card's most recent visits from its ledger and its purchases, in the card's storage
 * format.
 * @param passes the name or alias of the passes table in the query.
 */
function buildVisits(passes: string): RawBuilder<string> {
  const cardColumn = (column: string) => sql.ref(`${passes}.${column}`);
  return sql<string>`coalesce((
    select '[' || string_agg(cast(newest.at as text), ',' order by newest.at desc) || ']'
    from (
      select entry.created_at as at from loyalty_stamp_entries entry
      where entry.organization_id = ${cardColumn("organization_id")} and entry.pass_id = ${cardColumn("id")}
        and entry.type = 'added' and not exists (
          select 1 from loyalty_stamp_entries reversal
          where reversal.organization_id = entry.organization_id and reversal.pass_id = entry.pass_id
            and reversal.reverses = entry.id
        )
      union all
      select effect.at from loyalty_purchase_effects effect
      where effect.organization_id = ${cardColumn("organization_id")} and effect.pass_id = ${cardColumn("id")}
        and ${isVisit("effect")}
      order by at desc limit ${sql.lit(MAX_STORED_VISITS)}
    ) newest
  ), '[]')`;
}

/** Builds a condition that is true for effects of purchases that have stamps on the pass. */
function isVisit(effects: string): RawBuilder<SqlBool> {
  const column = (name: string) => sql.ref(`${effects}.${name}`);
  return sql<SqlBool>`${column("unit")} = 'stamps' and ${column("units")} + ${column("not_taken")} > 0`;
}

/** Builds an expression for the greatest of some values that isn't `null`. */
function buildGreatest(values: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql`(select max(each.at) from (${sql.join(
    values.map((value) => sql`select ${value} as at`),
    sql` union all `,
  )}) each)`;
}
