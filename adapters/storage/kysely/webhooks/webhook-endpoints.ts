import type { Functions } from "../../../../src/storage/methods.js";
import type {
  StoredWebhookEndpoint,
  WebhookLookUps,
  WebhookReads,
  WebhookWrites,
} from "../../../../src/storage/webhooks.js";
import type { ReadModule, WriteContext } from "../change/commit-buffer.js";
import { toMinute } from "../change/events.js";
import { withRules } from "../session/call-rules.js";
import { changeRow, findFirst, prepare, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

type Reads = Pick<WebhookReads, "listWebhookEndpoints" | "findWebhookEndpoint" | "pendingDeliveries">;
type Writes = Pick<
  WebhookWrites,
  "insertWebhookEndpoint" | "lockWebhookEndpoint" | "updateWebhookEndpoint" | "deleteWebhookEndpoint"
>;

interface EndpointKey {
  organizationId: string;
  id: string;
}

const troubleColumns = ["failing_since as failingSince", "slow_since as slowSince"] as const;

export function webhookEndpointReads(dialect: SqlDialect): ReadModule<Reads, WebhookLookUps> {
  const rows = createRowStatements(dialect, tables.webhookEndpoints);
  const selectEndpoints = dialect.db.selectFrom("loyalty_webhook_endpoints").select(rows.columns);

  const listAll = prepare((slot: Slot<{ organizationId: string }>) =>
    selectEndpoints
      .where("organization_id", "=", slot("organizationId"))
      .orderBy("loyalty_webhook_endpoints.created_at")
      .orderBy("loyalty_webhook_endpoints.id"),
  );

  const findById = prepare((slot: Slot<EndpointKey>) =>
    selectEndpoints.where("organization_id", "=", slot("organizationId")).where("id", "=", slot("id")),
  );

  const findDueEndpoints = prepare((slot: Slot<{ now: number; limit: number }>) =>
    dialect.db
      .selectFrom("loyalty_webhook_endpoints")
      .select(["organization_id as organizationId", "id as endpointId", ...troubleColumns])
      .where("disabled_at", "is", null)
      .where("due_at", "<=", slot("now"))
      .orderBy("due_at")
      .limit(slot("limit")),
  );

  type BehindQuery = { now: number; limit: number; left: number; sinceMinute: number };
  // Skips organizations whose endpoints have all caught up, with one index lookup each, because many organizations may have recent
  // events.
  const findBehind = prepare((slot: Slot<BehindQuery>) => {
    const activeOrganizations = dialect.db.selectFrom(({ selectFrom }) =>
      selectFrom("loyalty_organizations as each")
        .select(["each.organization_id", "each.newest_event_position as newest"])
        .where("each.newest_event_minute", ">=", slot("sinceMinute"))
        .where("each.newest_event_position", ">", (eb) =>
          eb
            .selectFrom("loyalty_webhook_endpoints as first")
            .select("first.position")
            .whereRef("first.organization_id", "=", "each.organization_id")
            .where("first.disabled_at", "is", null)
            .orderBy("first.position")
            .limit(1),
        )
        // Enough, because at least `left` of these organizations have an endpoint that isn't due.
        .limit(slot("limit"))
        .as("known"),
    );
    // The join order matters, or a planner might read all endpoints. SQLite keeps the order of a cross join. Postgres looks up each
    // known endpoint once because of the limit.
    const candidates = dialect.locksOrganizations
      ? activeOrganizations.crossJoinLateral((eb) =>
          eb
            .selectFrom("loyalty_webhook_endpoints as ahead")
            .selectAll()
            .whereRef("ahead.organization_id", "=", "known.organization_id")
            .where("ahead.disabled_at", "is", null)
            .whereRef("ahead.position", "<", "known.newest")
            .where(({ eb, or }) => or([eb("ahead.due_at", "is", null), eb("ahead.due_at", ">", slot("now"))]))
            .limit(slot("left"))
            .as("endpoint"),
        )
      : activeOrganizations.crossJoin("loyalty_webhook_endpoints as endpoint");
    return candidates
      .whereRef("endpoint.organization_id", "=", "known.organization_id")
      .select(["endpoint.organization_id as organizationId", "endpoint.id as endpointId", ...troubleColumns])
      .where("endpoint.disabled_at", "is", null)
      .whereRef("endpoint.position", "<", "known.newest")
      .where(({ eb, or }) => or([eb("endpoint.due_at", "is", null), eb("endpoint.due_at", ">", slot("now"))]))
      .limit(slot("left"));
  });

  const findBehindWhenDisabled = prepare((slot: Slot<BehindQuery>) =>
    dialect.db
      .selectFrom("loyalty_organizations as known")
      .crossJoin("loyalty_webhook_endpoints as endpoint")
      .whereRef("endpoint.organization_id", "=", "known.organization_id")
      .select(["endpoint.organization_id as organizationId", "endpoint.id as endpointId", ...troubleColumns])
      .where("known.newest_event_minute", ">=", slot("sinceMinute"))
      .where("endpoint.disabled_at", "is not", null)
      .whereRef("endpoint.position", "<", "endpoint.last_position")
      .limit(slot("left")),
  );

  const selectPending = prepare((slot: Slot<{ organizationId: string }>) =>
    dialect.db
      .selectFrom("loyalty_webhook_endpoints")
      .select(["id", "pending as count", "due_at as dueAt"])
      .where("organization_id", "=", slot("organizationId"))
      .where("pending", ">", 0),
  );

  const listAfter = prepare((slot: Slot<{ organizationId: string; id: string; limit: number }>) =>
    selectEndpoints
      .select("organization_id as organizationId")
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple("organization_id", "id"), ">", tuple(slot("organizationId"), slot("id"))),
      )
      .orderBy("organization_id")
      .orderBy("id")
      .limit(slot("limit")),
  );

  return {
    reads: {
      listWebhookEndpoints: function* ({ session, organizationId }) {
        return (yield* session.all(listAll({ organizationId }))).map(rows.toRow);
      },

      *findWebhookEndpoint({ session, organizationId }, id) {
        const row = yield* findFirst(session, findById({ organizationId, id }));
        return row === null ? null : rows.toRow(row);
      },

      pendingDeliveries: withRules({ locks: "endpoint" }, function* ({ session, organizationId }) {
        const rows = yield* session.all(selectPending({ organizationId }));
        return new Map(rows.map(({ id, count, dueAt }) => [id, { count, dueAt: dueAt ?? 0 }]));
      }),
    },
    lookUps: {
      endpointsWithDueWork: withRules(
        { readsBuffered: true, needsSnapshot: true },
        function* ({ session }, now, limit, since) {
          const endpoints = yield* session.all(findDueEndpoints({ now, limit }));
          const sinceMinute = toMinute(since);
          for (const query of [findBehindWhenDisabled, findBehind]) {
            const remaining = limit - endpoints.length;
            if (remaining > 0)
              endpoints.push(...(yield* session.all(query({ now, limit, left: remaining, sinceMinute }))));
          }
          return endpoints.map(({ failingSince, slowSince, ...endpointKey }) => ({
            ...endpointKey,
            isTroubled: failingSince !== null || slowSince !== null,
          }));
        },
      ),

      *webhookEndpointsAfter({ session }, after, limit) {
        const { organizationId = "", endpointId: id = "" } = after ?? {};
        const endpoints = yield* session.all(listAfter({ organizationId, id, limit }));
        return endpoints.map(({ organizationId, ...values }) => ({
          organizationId,
          endpoint: rows.toRow(values),
        }));
      },
    },
  };
}

export function webhookEndpointWrites(dialect: SqlDialect): Functions<Writes, WriteContext> {
  const rows = createRowStatements(dialect, tables.webhookEndpoints);

  return {
    *insertWebhookEndpoint({ session, buffer, organizationId }, endpoint) {
      yield* session.change(rows.insert(organizationId, withoutDeliveries(endpoint)));
      yield* buffer.updateCounters(organizationId, {});
    },

    lockWebhookEndpoint: withRules({ locks: "endpoint" }, ({ session, organizationId }, id, isWaiting) =>
      rows.lock(session, organizationId, { id }, isWaiting),
    ),

    updateWebhookEndpoint: withRules({ locks: "endpoint" }, ({ session, organizationId }, endpoint) =>
      changeRow(session, rows.update(organizationId, withoutDeliveries(endpoint))),
    ),
    deleteWebhookEndpoint: withRules({ locks: "endpoint" }, ({ session, organizationId }, id) =>
      changeRow(session, rows.remove(organizationId, { id })),
    ),
  };
}

/**
 * Sets the columns about deliveries for a new endpoint, which has none. Updates leave these columns to the code that writes
 * deliveries.
 */
function withoutDeliveries(endpoint: StoredWebhookEndpoint) {
  return { ...endpoint, dueAt: null, pending: 0 };
}
