import { sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import type { ReadSession } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

/*
 * A pass's entries are numbered from 1. Each entry begins with the stamps that the previous one left, and the pass stores the last
 * entry's number. So both changed entries and missing ones are detected, even at the end.
 */

interface LedgerGap {
  readonly id: string;
  /** The entry where the problem shows. If the ledger ends too early, the number of the next entry to write. */
  readonly sequence: number;
  /** The number of the preceding entry. */
  readonly previous: number;
}

/**
 * Creates a function that finds passes whose ledgers have gaps or contradictions. The function returns one reason per pass, keyed
 * by pass ID.
 */
export function prepareLedgerBreaks({ db }: SqlDialect) {
  const selectEntries = (organizationId: string) => sql`
    select pass_id, sequence, type, delta, stamps_before, stamps_after, completions, reverses,
      lag(sequence, 1, 0) over entries as previous, lag(stamps_after, 1, 0) over entries as stamps_left
    from loyalty_stamp_entries where organization_id = ${organizationId}
    window entries as (partition by pass_id order by sequence)`;

  /** The reversed entry must exist, precede its reversal, and have no earlier reversal. */
  const isValidReversal = sql`exists (select 1 from loyalty_stamp_entries other
    where other.organization_id = cards.organization_id and other.pass_id = entry.pass_id
      and other.id = entry.reverses and other.type <> 'reversed'
      and other.sequence < entry.sequence and other.delta = -entry.delta)
    and not exists (select 1 from loyalty_stamp_entries twin
      where twin.organization_id = cards.organization_id and twin.pass_id = entry.pass_id
        and twin.reverses = entry.reverses and twin.sequence < entry.sequence)`;

  const selectGapsInside = (organizationId: string) => sql<LedgerGap>`
    select entry.pass_id as id, cast(entry.sequence as bigint) as sequence, cast(entry.previous as bigint) as previous
    from (${selectEntries(organizationId)}) entry
    join loyalty_wallet_passes cards on cards.organization_id = ${organizationId} and cards.id = entry.pass_id
    where entry.sequence <> entry.previous + 1
      or cards.max_stamps is null
      or entry.stamps_before <> entry.stamps_left
      or entry.stamps_after <> entry.stamps_before + entry.delta - cards.max_stamps * entry.completions
      or entry.stamps_after < 0 or entry.stamps_after >= cards.max_stamps
      or (entry.type = 'reversed') <> (entry.reverses is not null)
      or (entry.type = 'reversed' and not (${isValidReversal}))
    order by entry.pass_id, entry.sequence desc`;

  const selectGapsAtEnd = (organizationId: string) => sql<LedgerGap>`
    select cards.id, cast(cards.entries + 1 as bigint) as sequence, cast(coalesce(ledger.last, 0) as bigint) as previous
    from loyalty_wallet_passes cards
    left join (select pass_id, max(sequence) as last from loyalty_stamp_entries
      where organization_id = ${organizationId} group by pass_id) ledger on ledger.pass_id = cards.id
    where cards.organization_id = ${organizationId} and cards.entries > coalesce(ledger.last, 0)`;

  const selectMismatchedCards = (organizationId: string) => sql<{ id: string }>`
    select cards.id from loyalty_wallet_passes cards
    join loyalty_templates template on template.organization_id = cards.organization_id and template.id = cards.template_id
    where cards.organization_id = ${organizationId}
      and (template.type = 'STAMP_CARD') <> (cards.max_stamps is not null)`;

  return function* (session: ReadSession, organizationId: string): Step<Map<string, string>> {
    // Reports only the first break of each pass. The first break comes last in this order, so it overwrites the later ones.
    const breakRows = [
      ...(yield* session.all(selectGapsAtEnd(organizationId).compile(db))),
      ...(yield* session.all(selectGapsInside(organizationId).compile(db))),
    ];
    const breaks = new Map(breakRows.map((gap) => [gap.id, describeBreak(gap)]));
    for (const { id } of yield* session.all(selectMismatchedCards(organizationId).compile(db))) {
      breaks.set(id, "its card has stamps but its template doesn't, or the other way around");
    }
    return breaks;
  };
}

function describeBreak({ sequence, previous }: LedgerGap): string {
  const expected = Number(previous) + 1;
  return Number(sequence) === expected
    ? `entry ${expected} of its ledger was altered`
    : `entry ${expected} of its ledger is missing`;
}
