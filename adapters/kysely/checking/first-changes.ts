import { sql } from "kysely";
import type { Step } from "../../../src/concurrency/step.js";
import type { ReadSession } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import type { EntryCounts, FirstChange } from "./told-counts.js";

/** The passes that one statement reads. */
const AT_ONCE = 200;

/** An entry this many milliseconds older than its event was imported: those are mostly from days before. */
const SAME_MOMENT = 10_000;

/** The note of the entries that an imported balance begins with. */
const OPENING = "Opening balance";

/** The entry's type; that of the other entry, where it reverses one. */
interface Entry {
  readonly passId: string;
  readonly type: string;
  readonly of: string;
  readonly delta: number;
  readonly completions: number;
  readonly note: string | null;
  readonly createdAt: number;
}

/**
 * Returns the counts that ledgers have for changes whose earlier events are gone; `null` for a change that the ledger no
 * longer has.
 */
export function firstChanges({ db, isOneOf, listParameter }: SqlDialect) {
  const entriesOf = (organizationId: string, passIds: readonly string[]) =>
    sql<Entry>`select entry.pass_id as "passId", entry.type, coalesce(reversed.type, entry.type) as "of",
        entry.delta, entry.completions, entry.note, entry.created_at as "createdAt"
      from loyalty_stamp_entries entry
      left join loyalty_stamp_entries reversed on reversed.organization_id = entry.organization_id
        and reversed.pass_id = entry.pass_id and reversed.id = entry.reverses
      where entry.organization_id = ${organizationId}
        and ${isOneOf(sql.ref("entry.pass_id"), sql`${listParameter(passIds)}`)}
      order by entry.pass_id, entry.sequence`.compile(db);

  return function* (
    session: ReadSession,
    organizationId: string,
    changes: readonly FirstChange[],
  ): Step<(readonly [FirstChange, EntryCounts | null])[]> {
    const found: (readonly [FirstChange, EntryCounts | null])[] = [];
    for (let at = 0; at < changes.length; at += AT_ONCE) {
      const some = changes.slice(at, at + AT_ONCE);
      const ledgers = new Map<string, Entry[]>();
      const ids = some.map(({ passId }) => passId);
      for (const entry of yield* session.all(entriesOf(organizationId, ids))) {
        const ledger = ledgers.get(entry.passId) ?? [];
        ledgers.set(entry.passId, ledger);
        ledger.push(entry);
      }
      for (const change of some) found.push([change, countsOf(change, ledgers.get(change.passId) ?? [])]);
    }
    return found;
  };
}

/** Returns the counts of the entry after which the card is as the event has it. */
function countsOf(change: FirstChange, ledger: readonly Entry[]): EntryCounts | null {
  let [collected, completed, left] = [0, 0, 0];
  let counts: EntryCounts | null = null;
  for (const entry of ledger) {
    const added = countsOfEntry(entry);
    collected += added.stamps;
    completed += entry.completions;
    left += added.rewardsEarned - added.rewardsRedeemed;
    const isSame = collected === change.collected && completed === change.completed && left === change.left;
    if (!isSame || entry.createdAt > change.createdAt) continue;
    // It was collected elsewhere, and counted nowhere. One event tells of all its entries.
    const isImported = entry.note === OPENING || entry.createdAt < change.createdAt - SAME_MOMENT;
    if (isImported) counts = { stamps: 0, rewardsEarned: 0, rewardsRedeemed: 0 };
    else if (change.type.endsWith(`.${entry.type}`)) counts = added;
  }
  return counts;
}

/** A reversal counts as what it reverses, with the sign turned. */
function countsOfEntry({ type, of, delta, completions }: Entry): EntryCounts {
  const redeemed = of === "redeemed" ? 1 : 0;
  const granted = of === "granted" ? 1 : 0;
  return {
    stamps: of === "added" ? delta : 0,
    rewardsEarned: completions + (type === "reversed" ? -granted : granted),
    rewardsRedeemed: type === "reversed" ? -redeemed : redeemed,
  };
}
