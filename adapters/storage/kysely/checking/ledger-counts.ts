import { sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import type { ReadSession } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import type { EntryCounts, FirstChange } from "./replayed-counts.js";

/** Passes per statement. */
const AT_ONCE = 200;

/** A ledger entry. `of` is its type or, for a reversal, the type of the reversed entry. */
interface Entry {
  readonly passId: string;
  readonly type: string;
  readonly of: string;
  readonly delta: number;
  readonly stampsAfter: number;
  readonly completions: number;
  /** 1 for an entry from an import, otherwise 0. */
  readonly isImported: number;
  readonly createdAt: number;
}

/**
 * Creates a function that reads from the ledgers how much each card change added to the daily counts. The ledgers are needed if
 * the events before a change have been deleted. The counts are `null` if they can't be determined from the ledger.
 */
export function readLedgerCounts({ db, isOneOf, listParameter }: SqlDialect) {
  const entriesOf = (organizationId: string, passIds: readonly string[]) =>
    sql<Entry>`select entry.pass_id as "passId", entry.type, coalesce(reversed.type, entry.type) as "of",
        entry.delta, entry.stamps_after as "stampsAfter", entry.completions, entry.is_imported as "isImported",
        entry.created_at as "createdAt"
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
      for (const change of some) found.push([change, countEntries(change, ledgers.get(change.passId) ?? [])]);
    }
    return found;
  };
}

const NOTHING: EntryCounts = { stamps: 0, rewardsEarned: 0, rewardsRedeemed: 0 };

/**
 * Returns the counts of the entry that left the card as the event describes it. Returns `null` if there is no such entry, or if
 * several entries match but their counts differ. An import records one event for all its entries, and no day's counts include them.
 */
function countEntries(change: FirstChange, ledger: readonly Entry[]): EntryCounts | null {
  const card = { collected: 0, completed: 0, left: 0, lastStampAt: Number.NEGATIVE_INFINITY };
  const found: EntryCounts[] = [];
  for (const entry of ledger) {
    const added = countsOfEntry(entry);
    card.collected += added.stamps;
    card.completed += entry.completions;
    card.left += added.rewardsEarned - added.rewardsRedeemed;
    if (entry.type === "added") card.lastStampAt = Math.max(card.lastStampAt, entry.createdAt);
    const isSame =
      card.collected === change.collected &&
      card.completed === change.completed &&
      card.left === change.left &&
      entry.stampsAfter === change.stamps &&
      card.lastStampAt === (change.lastStampAt ?? Number.NEGATIVE_INFINITY);
    if (!isSame) continue;
    if (entry.isImported === 0) {
      if (change.type.endsWith(`.${entry.type}`)) found.push(added);
    } else if (change.type === "stamp.added") found.push(NOTHING);
  }
  const [first, ...others] = found;
  return first !== undefined && others.every((other) => areSame(first, other)) ? first : null;
}

function areSame(one: EntryCounts, other: EntryCounts): boolean {
  return (
    one.stamps === other.stamps &&
    one.rewardsEarned === other.rewardsEarned &&
    one.rewardsRedeemed === other.rewardsRedeemed
  );
}

/** Returns what an entry adds to the counts. A reversal counts like the reversed entry with the opposite sign. */
function countsOfEntry({ type, of, delta, completions }: Entry): EntryCounts {
  const redeemed = of === "redeemed" ? 1 : 0;
  const granted = of === "granted" ? 1 : 0;
  return {
    stamps: of === "added" ? delta : 0,
    rewardsEarned: completions + (type === "reversed" ? -granted : granted),
    rewardsRedeemed: type === "reversed" ? -redeemed : redeemed,
  };
}
