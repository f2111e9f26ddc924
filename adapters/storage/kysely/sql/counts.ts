import type { CountableKind, CountReads } from "../../../../src/storage/counts.js";
import type { MessageStatus } from "../../../../src/storage/messages.js";
import type { Functions } from "../../../../src/storage/methods.js";
import { findFirst, prepare, type ReadContext, type Slot } from "../session/session.js";
import type { SqlDialect } from "./dialect.js";
import { isPendingDelivery, isWaitingRun } from "./index-conditions.js";

const tables = {
  apiTokens: "loyalty_api_tokens",
  apps: "loyalty_apps",
  automations: "loyalty_automations",
  grants: "loyalty_grants",
  messages: "loyalty_messages",
  people: "loyalty_people",
  segments: "loyalty_saved_segments",
  tags: "loyalty_user_tags",
  templates: "loyalty_templates",
  webhookEndpoints: "loyalty_webhook_endpoints",
} as const satisfies Record<
  Exclude<
    CountableKind,
    "pendingMessageDeliveries" | "scheduledMessages" | "sendingMessages" | "waitingAutomationRuns"
  >,
  string
>;

/** Creates the read functions that count an organization's rows of various kinds. */
export function countReads({ db }: SqlDialect): Functions<CountReads, ReadContext> {
  const prepareCount = (kind: keyof typeof tables) =>
    prepare((slot: Slot<{ organizationId: string }>) =>
      db
        .selectFrom(tables[kind])
        .select(({ fn }) => fn.countAll<number>().as("total"))
        .where("organization_id", "=", slot("organizationId")),
    );
  const countGrants = prepare((slot: Slot<{ organizationId: string; subject: string }>) =>
    db
      .selectFrom("loyalty_grants")
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .where("organization_id", "=", slot("organizationId"))
      .where("subject", "=", slot("subject")),
  );
  const countPendingDeliveries = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_message_deliveries")
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .where("organization_id", "=", slot("organizationId"))
      .where("channel", "=", "email")
      .where(({ ref }) => isPendingDelivery(ref("status"))),
  );
  const prepareMessageCount = (status: MessageStatus) =>
    prepare((slot: Slot<{ organizationId: string }>) =>
      db
        .selectFrom("loyalty_messages")
        .select(({ fn }) => fn.countAll<number>().as("total"))
        .where("organization_id", "=", slot("organizationId"))
        .where("status", "=", status),
    );
  const countWaitingRuns = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_automation_runs")
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isWaitingRun(ref("status"))),
  );
  const counts = {
    apiTokens: prepareCount("apiTokens"),
    apps: prepareCount("apps"),
    automations: prepareCount("automations"),
    grants: prepareCount("grants"),
    messages: prepareCount("messages"),
    people: prepareCount("people"),
    pendingMessageDeliveries: countPendingDeliveries,
    scheduledMessages: prepareMessageCount("SCHEDULED"),
    segments: prepareCount("segments"),
    sendingMessages: prepareMessageCount("SENDING"),
    tags: prepareCount("tags"),
    templates: prepareCount("templates"),
    waitingAutomationRuns: countWaitingRuns,
    webhookEndpoints: prepareCount("webhookEndpoints"),
  };
  return {
    countOf: function* ({ session, organizationId }, kind) {
      return Number((yield* findFirst(session, counts[kind]({ organizationId })))?.total ?? 0);
    },
    countGrantsBy: function* ({ session, organizationId }, subject) {
      return Number((yield* findFirst(session, countGrants({ organizationId, subject })))?.total ?? 0);
    },
  };
}
