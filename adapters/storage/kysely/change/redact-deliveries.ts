import type { Step } from "../../../../src/base/concurrency/step.js";
import { prepare, type Session, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

/**
 * Creates a function that redacts all webhook deliveries for the given events by removing their custom bodies, claims, and recorded
 * responses.
 */
export function prepareDeliveryRedaction({
  db,
  isOneOf,
  listParameter,
}: SqlDialect): (session: Session, organizationId: string, eventIds: readonly string[]) => Step<void> {
  type EventsSlot = Slot<{ organizationId: string; ids: unknown }>;
  const redactBodies = prepare((slot: EventsSlot) =>
    db
      .updateTable("loyalty_webhook_deliveries")
      .set({ custom_body: null, lease: null })
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("event_id"), slot("ids")))
      .where(({ eb, or }) => or([eb("custom_body", "is not", null), eb("lease", "is not", null)])),
  );
  const redactAttempts = prepare((slot: EventsSlot) =>
    db
      .updateTable("loyalty_webhook_attempts")
      .set({ response: null })
      .where("organization_id", "=", slot("organizationId"))
      .where("response", "is not", null)
      .where("delivery_id", "in", (deliveries) =>
        deliveries
          .selectFrom("loyalty_webhook_deliveries")
          .select("id")
          .where("organization_id", "=", slot("organizationId"))
          .where(({ ref }) => isOneOf(ref("event_id"), slot("ids"))),
      ),
  );

  return function* redact(session, organizationId, eventIds) {
    const ids = listParameter(eventIds);
    yield* session.change(redactBodies({ organizationId, ids }));
    yield* session.change(redactAttempts({ organizationId, ids }));
  };
}
