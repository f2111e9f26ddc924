import {
  type MailOwner,
  type MailReads,
  type MailWrites,
  type MessageDeliveryOwner,
  type MessageDeliveryStatus,
  mailJobs,
} from "../../../../src/storage/mail.js";
import type { PortModule } from "../change/commit-buffer.js";
import { prepareSetDueTime } from "../jobs/jobs.js";
import { withRules } from "../session/call-rules.js";
import { prepare, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { countsTowardCap, isMessageDelivery, isPendingDelivery } from "../sql/index-conditions.js";
import { prepareLimitedDelete } from "../sql/limited-delete.js";
import { prepareNewestFirst } from "../sql/newest-first.js";
import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

type Reads = Pick<
  MailReads,
  | "findMessageDelivery"
  | "messageDeliveriesById"
  | "messageDeliveriesOf"
  | "messageDeliveriesWith"
  | "recentMailsOf"
  | "recentMessagesOf"
>;
type Writes = Pick<
  MailWrites,
  "insertMessageDeliveries" | "updateMessageDeliveries" | "removeMessageDeliveries"
>;

/** Maximum number of recent emails returned. Callers never need more. */
const MAX_RECENT_EMAILS = 100;

interface OwnerKey {
  organizationId: string;
  owner: string;
}

export function messageDeliveryModule(dialect: SqlDialect): PortModule<Reads, Writes> {
  const { db, isOneOf, listParameter } = dialect;
  const rows = createRowStatements(dialect, tables.messageDeliveries);
  const inserts = dialect.createRowInserts(tables.messageDeliveries);
  const setDueTime = prepareSetDueTime(dialect, mailJobs);

  const findByIds = prepare((slot: Slot<{ organizationId: string; ids: unknown }>) =>
    db
      .selectFrom("loyalty_message_deliveries")
      .select(rows.columns)
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("id"), slot("ids")))
      .orderBy("id"),
  );

  const prepareLists = (owner: "pass_id" | "user_id") => ({
    list: prepareNewestFirst(dialect, tables.messageDeliveries, { owner }),
    recent: prepare((slot: Slot<OwnerKey & { kinds: unknown; since: number }>) =>
      db
        .selectFrom("loyalty_message_deliveries")
        .select("created_at as createdAt")
        .where("organization_id", "=", slot("organizationId"))
        .where(owner, "=", slot("owner"))
        .where("created_at", ">", slot("since"))
        .where("status", "<>", "SKIPPED")
        .where(({ ref }) => isOneOf(ref("kind"), slot("kinds")))
        .orderBy("created_at", "desc")
        .limit(MAX_RECENT_EMAILS),
    ),
  });
  const lists = {
    byPass: prepareLists("pass_id"),
    byUser: prepareLists("user_id"),
    byMessage: prepareNewestFirst(dialect, tables.messageDeliveries, {
      owner: "message_id",
      condition: (column) => isMessageDelivery(column("kind")),
    }),
  };
  const getMailLists = (owner: MailOwner) =>
    "passId" in owner ? { owner: owner.passId, ...lists.byPass } : { owner: owner.userId, ...lists.byUser };
  const getLists = (owner: MessageDeliveryOwner) =>
    "messageId" in owner ? { owner: owner.messageId, list: lists.byMessage } : getMailLists(owner);

  type StatusPage = {
    organizationId: string;
    messageId: string;
    status: MessageDeliveryStatus;
    limit: number;
  };
  const selectByStatus = (slot: Slot<StatusPage>) =>
    db
      .selectFrom("loyalty_message_deliveries")
      .select(rows.columns)
      .where("organization_id", "=", slot("organizationId"))
      .where("message_id", "=", slot("messageId"))
      .where("status", "=", slot("status"))
      .where(({ ref }) => isMessageDelivery(ref("kind")))
      .orderBy("created_at")
      .orderBy("id")
      .limit(slot("limit"));
  const selectFirstPage = prepare(selectByStatus);
  const selectNextPage = prepare((slot: Slot<StatusPage & { createdAt: number; id: string }>) =>
    selectByStatus(slot).where(({ eb, refTuple, tuple }) =>
      eb(refTuple("created_at", "id"), ">", tuple(slot("createdAt"), slot("id"))),
    ),
  );

  const selectRecentMessages = prepare(
    (slot: Slot<{ organizationId: string; userIds: unknown; since: number }>) =>
      db
        .selectFrom("loyalty_message_deliveries")
        .select(({ fn }) => [
          "user_id as userId",
          fn.coalesce("message_id", "automation_run_id").as("messageId"),
          "id as deliveryId",
        ])
        .where("organization_id", "=", slot("organizationId"))
        .where(({ ref }) => isOneOf(ref("user_id"), slot("userIds")))
        .where("updated_at", ">", slot("since"))
        .where(({ ref }) => countsTowardCap(ref("kind"), ref("status"), ref("is_uncertain"))),
  );

  const removeByUser = prepare((slot: Slot<{ organizationId: string; userId: string }>) =>
    db
      .deleteFrom("loyalty_message_deliveries")
      .where("organization_id", "=", slot("organizationId"))
      .where("user_id", "=", slot("userId")),
  );

  const removeOld = prepareLimitedDelete(
    dialect,
    "loyalty_message_deliveries",
    "id",
    (rows, slot: Slot<{ organizationId: string; before: number; limit: number }>) =>
      rows
        .where("created_at", "<", slot("before"))
        .where(({ not, ref }) => not(isPendingDelivery(ref("status"))))
        .orderBy("created_at")
        .orderBy("id")
        .limit(slot("limit")),
  );

  return {
    reads: {
      findMessageDelivery: ({ session, organizationId }, id) => rows.find(session, organizationId, { id }),

      *messageDeliveriesById({ session, organizationId }, ids) {
        return (yield* session.all(findByIds({ organizationId, ids: listParameter(ids) }))).map(rows.toRow);
      },

      messageDeliveriesOf: withRules(
        { needsSnapshot: true },
        ({ session, organizationId }, deliveryOwner, query) => {
          const { owner, list } = getLists(deliveryOwner);
          return list(session, { organizationId, owner, ...query });
        },
      ),

      *recentMailsOf({ session, organizationId }, mailOwner, kinds, since) {
        const { owner, recent } = getMailLists(mailOwner);
        const rows = yield* session.all(
          recent({ organizationId, owner, kinds: listParameter(kinds), since }),
        );
        return rows.map(({ createdAt }) => createdAt);
      },

      *messageDeliveriesWith({ session, organizationId }, messageId, status, after, limit) {
        const query = { organizationId, messageId, status, limit };
        const deliveries = yield* session.all(
          after === null
            ? selectFirstPage(query)
            : selectNextPage({ ...query, createdAt: after.createdAt, id: after.id }),
        );
        return deliveries.map(rows.toRow);
      },

      recentMessagesOf: ({ session, organizationId }, userIds, since) =>
        session.all(selectRecentMessages({ organizationId, userIds: listParameter(userIds), since })),
    },
    writes: {
      *insertMessageDeliveries({ session, buffer, organizationId }, deliveries) {
        if (deliveries.length === 0) return;
        yield* inserts.add(session, organizationId, deliveries);
        yield* buffer.updateCounters(organizationId, {});
      },

      *updateMessageDeliveries({ session, organizationId }, deliveries) {
        yield* session.changeEach(deliveries.map((delivery) => rows.update(organizationId, delivery)));
      },

      *removeMessageDeliveries({ session, organizationId }, selection) {
        const removedCount = yield* session.change(
          "userId" in selection
            ? removeByUser({ organizationId, userId: selection.userId })
            : removeOld({ organizationId, before: selection.before, limit: selection.limit }),
        );
        if (removedCount > 0) yield* session.change(setDueTime({ organizationId }));
        return removedCount;
      },
    },
  };
}
