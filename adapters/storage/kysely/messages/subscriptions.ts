import type { SubscriptionReads, SubscriptionWrites } from "../../../../src/storage/subscriptions.js";
import type { PortModule } from "../change/commit-buffer.js";
import { prepare, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

/** Creates the storage module for subscriptions. Deleting a user also deletes the user's subscription. */
export function subscriptionModule(dialect: SqlDialect): PortModule<SubscriptionReads, SubscriptionWrites> {
  const { db, isOneOf, listParameter } = dialect;
  const rows = createRowStatements(dialect, tables.subscriptions);

  const selectByUsers = prepare((slot: Slot<{ organizationId: string; userIds: unknown }>) =>
    db
      .selectFrom("loyalty_subscriptions")
      .select(rows.columns)
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("user_id"), slot("userIds")))
      .orderBy("user_id"),
  );

  return {
    reads: {
      findSubscription: ({ session, organizationId }, userId) =>
        rows.find(session, organizationId, { userId }),
      subscriptionsOf: ({ session, organizationId }, userIds) =>
        session.all(selectByUsers({ organizationId, userIds: listParameter(userIds) })),
    },
    writes: {
      *putSubscription({ session, buffer, organizationId }, subscription) {
        buffer.getChangesWithoutEvent(organizationId).addChange(subscription.userId);
        yield* session.change(rows.put(organizationId, subscription));
      },
    },
  };
}
