import { sql } from "kysely";
import type { Functions } from "../../../../src/storage/methods.js";
import {
  type DeliveryStatus,
  type NewDelivery,
  type StoredDelivery,
  type WebhookReads,
  type WebhookWrites,
  webhookDeliveryRecord,
} from "../../../../src/storage/webhooks.js";
import type { WriteContext } from "../change/commit-buffer.js";
import { prepareDueRows } from "../jobs/jobs.js";
import { withRules } from "../session/call-rules.js";
import { findFirst, prepare, type ReadContext, type Slot } from "../session/session.js";
import { listColumns } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepareLimitedDelete } from "../sql/limited-delete.js";

import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

type Reads = Pick<WebhookReads, "listDeliveries" | "findDelivery" | "attemptsOf">;
type Writes = Pick<
  WebhookWrites,
  "insertDeliveries" | "claimDeliveries" | "recordAttempts" | "removeDeliveries"
>;

interface EndpointKey {
  organizationId: string;
  endpointId: string;
}

export function webhookDeliveryReads(dialect: SqlDialect): Functions<Reads, ReadContext> {
  const { db, isOneOf, listParameter } = dialect;

  const selectNewestFirst = (
    status: DeliveryStatus | undefined,
    slot: Slot<EndpointKey & { limit: number }>,
  ) =>
    filterByStatus(status, selectDeliveries(dialect, slot))
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .limit(slot("limit"));

  const prepareList = (status?: DeliveryStatus) => ({
    newest: prepare((slot: Slot<EndpointKey & { limit: number }>) => selectNewestFirst(status, slot)),
    older: prepare((slot: Slot<EndpointKey & { createdAt: number; id: string; limit: number }>) =>
      selectNewestFirst(status, slot).where(({ eb, refTuple, tuple }) =>
        eb(refTuple("created_at", "id"), "<", tuple(slot("createdAt"), slot("id"))),
      ),
    ),
  });

  const lists = {
    any: prepareList(),
    pending: prepareList("pending"),
    delivered: prepareList("delivered"),
    failed: prepareList("failed"),
  };

  const findById = prepare((slot: Slot<{ organizationId: string; id: string }>) =>
    selectAllDeliveries(dialect)
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("id")),
  );

  const selectAttempts = prepare((slot: Slot<{ organizationId: string; deliveryIds: unknown }>) =>
    db
      .selectFrom("loyalty_webhook_attempts")
      .select([
        "delivery_id as deliveryId",
        "number",
        "started_at as startedAt",
        "duration",
        // Renamed because, in host transactions, integers are recognized by their column name, and a delivery's `status` is a
        // string.
        "status as httpStatus",
        "response",
        "error",
      ])
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("delivery_id"), slot("deliveryIds")))
      .orderBy("delivery_id")
      .orderBy("number"),
  );

  return {
    listDeliveries: withRules(
      { locks: "endpoint" },
      ({ session, organizationId }, endpointId, { before, limit, status }) => {
        const { newest, older } = lists[status ?? "any"];
        return session.all(
          before === null
            ? newest({ organizationId, endpointId, limit })
            : older({ organizationId, endpointId, limit, createdAt: before.createdAt, id: before.id }),
        );
      },
    ),
    findDelivery: withRules({ locks: "endpoint" }, ({ session, organizationId }, id) =>
      findFirst(session, findById({ organizationId, id })),
    ),
    attemptsOf: withRules({ locks: "endpoint" }, function* ({ session, organizationId }, deliveryIds) {
      const rows = yield* session.all(
        selectAttempts({ organizationId, deliveryIds: listParameter(deliveryIds) }),
      );
      return rows.map(({ httpStatus, ...attempt }) => ({ ...attempt, status: httpStatus }));
    }),
  };
}

/**
 * Creates the write functions for webhook deliveries, which also keep the pending delivery count and the next due time in the
 * endpoint's row up to date.
 */
export function webhookDeliveryWrites(dialect: SqlDialect): Functions<Writes, WriteContext> {
  const { db } = dialect;

  const insert = prepare((slot: Slot<NewDelivery & { organizationId: string }>) =>
    db.insertInto("loyalty_webhook_deliveries").values({
      organization_id: slot("organizationId"),
      id: slot("id"),
      endpoint_id: slot("endpointId"),
      event_id: slot("eventId"),
      event_position: slot("eventPosition"),
      event_type: slot("eventType"),
      custom_body: slot("customBody"),
      status: "pending",
      attempts: 0,
      next_attempt_at: slot("nextAttemptAt"),
      created_at: slot("createdAt"),
      updated_at: slot("createdAt"),
    }),
  );

  const findDueDeliveries = prepareDueRows<StoredDelivery>(dialect, {
    record: webhookDeliveryRecord,
    lane: "endpointId",
    subject: "id",
  });

  const recordOutcome = prepare(
    (
      slot: Slot<
        EndpointKey & Pick<StoredDelivery, "id" | "status" | "nextAttemptAt"> & { lease: string; now: number }
      >,
    ) =>
      db
        .updateTable("loyalty_webhook_deliveries")
        .set(({ eb }) => ({
          status: slot("status"),
          attempts: eb("attempts", "+", 1),
          next_attempt_at: slot("nextAttemptAt"),
          lease: null,
          updated_at: slot("now"),
        }))
        .where("organization_id", "=", slot("organizationId"))
        .where("id", "=", slot("id"))
        .where("endpoint_id", "=", slot("endpointId"))
        .where("lease", "=", slot("lease")),
  );

  const attempts = createRowStatements(dialect, tables.webhookAttempts);

  const setDueTime = prepare((slot: Slot<EndpointKey & { more: number }>) =>
    db
      .updateTable("loyalty_webhook_endpoints")
      .set(({ eb }) => ({
        pending: eb("pending", "+", slot("more")),
        due_at: db
          .selectFrom("loyalty_webhook_deliveries")
          .select("next_attempt_at")
          .where("organization_id", "=", slot("organizationId"))
          .where("endpoint_id", "=", slot("endpointId"))
          .where("next_attempt_at", "is not", null)
          .orderBy("next_attempt_at")
          .limit(1),
      }))
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("endpointId")),
  );

  const remove = prepareLimitedDelete(
    dialect,
    "loyalty_webhook_deliveries",
    "id",
    (deliveries, slot: Slot<EndpointKey & { before: number; limit: number }>) =>
      deliveries
        .where("endpoint_id", "=", slot("endpointId"))
        .where("created_at", "<", slot("before"))
        .where("status", "<>", "pending")
        .orderBy("created_at")
        .orderBy("id")
        .limit(slot("limit")),
  );

  return {
    insertDeliveries: withRules(
      { locks: "endpoint" },
      function* ({ session, organizationId }, endpointId, deliveries) {
        yield* session.changeEach(
          deliveries.map((delivery) => insert({ organizationId, ...delivery, endpointId })),
        );
        yield* session.change(setDueTime({ organizationId, endpointId, more: deliveries.length }));
      },
    ),

    claimDeliveries: withRules(
      { locks: "endpoint" },
      function* ({ session, organizationId }, endpointId, claim) {
        const claimed = yield* findDueDeliveries.claim(session, organizationId, endpointId, claim);
        if (claimed.length > 0) yield* session.change(setDueTime({ organizationId, endpointId, more: 0 }));
        return claimed;
      },
    ),

    recordAttempts: withRules(
      { locks: "endpoint" },
      function* ({ session, organizationId }, endpointId, lease, outcomes, now) {
        const changes = yield* session.changeEach(
          outcomes.map(({ attempt, status, nextAttemptAt }) =>
            recordOutcome({
              organizationId,
              endpointId,
              id: attempt.deliveryId,
              lease,
              status,
              nextAttemptAt,
              now,
            }),
          ),
        );
        const recordedOutcomes = outcomes.filter((_, index) => changes[index] === 1);
        yield* session.changeEach(
          recordedOutcomes.map(({ attempt }) => attempts.insert(organizationId, attempt)),
        );
        const endedCount = recordedOutcomes.filter(({ nextAttemptAt }) => nextAttemptAt === null).length;
        yield* session.change(setDueTime({ organizationId, endpointId, more: -endedCount }));
        return recordedOutcomes.map(({ attempt }) => attempt.deliveryId);
      },
    ),

    removeDeliveries: withRules(
      { locks: "endpoint" },
      ({ session, organizationId }, endpointId, before, limit) =>
        session.change(remove({ organizationId, endpointId, before, limit })),
    ),
  };
}

function selectAllDeliveries({ db }: SqlDialect) {
  return db
    .selectFrom("loyalty_webhook_deliveries")
    .select(listColumns(tables.webhookDeliveries, "loyalty_webhook_deliveries"));
}

/** Adds a status to a query. Undelivered deliveries are few and have an index of their own, which the second condition selects. */
function filterByStatus(status: DeliveryStatus | undefined, query: ReturnType<typeof selectDeliveries>) {
  if (status === undefined) return query;
  const matches = query.where("status", "=", sql.lit(status));
  return status === "delivered" ? matches : matches.where("status", "<>", sql.lit("delivered"));
}

function selectDeliveries(dialect: SqlDialect, slot: Slot<EndpointKey>) {
  return selectAllDeliveries(dialect)
    .where("organization_id", "=", slot("organizationId"))
    .where("endpoint_id", "=", slot("endpointId"));
}
