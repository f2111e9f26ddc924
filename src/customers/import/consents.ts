import type { Step } from "../../base/concurrency/step.js";
import type { RecordEvent } from "../../kernel/events/recording.js";
import type { Tenant } from "../../kernel/tenant.js";
import { applyImportedConsent, type ImportedConsent } from "../../messages/imported-consent.js";
import { emptySubscription, saveSubscription } from "../../messages/subscription-state.js";
import { splitIntoBatches } from "../../storage/batches.js";
import type { StorageTransaction } from "../../storage/storage-adapter.js";
import type { StoredSubscription } from "../../storage/subscriptions.js";
import type { StoredUser } from "../../storage/users.js";
import type { CheckedRow, ValidRow } from "./row.js";

/** Returns the row unchanged, or a failed row if its consent time is in the future. */
export function rejectFutureConsent(row: CheckedRow, now: number): CheckedRow {
  const at = "errors" in row ? null : row.consent?.email?.at;
  return at == null || at <= now ? row : { row: row.row, errors: { consentAt: "must not be in the future" } };
}

/** Collects the consents from one transaction's rows, to write them together at the end of the transaction. */
export class ImportConsents {
  private given: { readonly row: number; readonly userId: string; readonly consent: ImportedConsent }[] = [];

  constructor(
    private readonly tenant: Tenant,
    private readonly tx: StorageTransaction,
    private readonly record: RecordEvent,
  ) {}

  queueFor({ id: userId }: StoredUser, { row, consent }: ValidRow): void {
    if (consent !== null) this.given.push({ row, userId, consent });
  }

  /**
   * Writes the queued consents. Call it after their users have been written.
   * @returns the numbers of the rows that changed something, and how many consents were skipped.
   */
  *write(): Step<{ readonly changed: ReadonlySet<number>; readonly skipped: number }> {
    const { tenant, tx, record, given } = this;
    const { organizationId } = tenant;
    const changed = new Set<number>();
    let skipped = 0;
    const known = yield* this.known();
    for (const { row, userId, consent } of given) {
      const before = known.get(userId) ?? emptySubscription(userId);
      const { after, isSkipped } = applyImportedConsent(before, consent, tenant.now());
      if (isSkipped) skipped += 1;
      if (after === before) continue;
      yield* saveSubscription(tx, organizationId, record, before, after);
      known.set(userId, after);
      changed.add(row);
    }
    return { changed, skipped };
  }

  private *known(): Step<Map<string, StoredSubscription>> {
    const ids = [...new Set(this.given.map(({ userId }) => userId))];
    const known = new Map<string, StoredSubscription>();
    for (const some of splitIntoBatches(ids)) {
      const subscriptions = yield* this.tx.subscriptionsOf(this.tenant.organizationId, some);
      for (const subscription of subscriptions) known.set(subscription.userId, subscription);
    }
    return known;
  }
}
