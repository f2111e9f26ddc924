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
  const count = (kind: keyof typeof tables) =>
    prepare((slot: Slot<{ organizationId: string }>) =>
      db
        .selectFrom(tables[kind])
        .select(({ fn }) => fn.countAll<number>().as("total"))
        .where("organization_id", "=", slot("organizationId")),
    );
  const grantsBy = prepare((slot: Slot<{ organizationId: string; subject: string }>) =>
    db
      .selectFrom("loyalty_grants")
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .where("organization_id", "=", slot("organizationId"))
      .where("subject", "=", slot("subject")),
  );
  const pending = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_message_deliveries")
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .where("organization_id", "=", slot("organizationId"))
      .where("channel", "=", "email")
      .where(({ ref }) => isPendingDelivery(ref("status"))),
  );
  const countMessages = (status: MessageStatus) =>
    prepare((slot: Slot<{ organizationId: string }>) =>
      db
        .selectFrom("loyalty_messages")
        .select(({ fn }) => fn.countAll<number>().as("total"))
        .where("organization_id", "=", slot("organizationId"))
        .where("status", "=", status),
    );
  const waitingRuns = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_automation_runs")
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isWaitingRun(ref("status"))),
  );
  const counts = {
    apiTokens: count("apiTokens"),
    apps: count("apps"),
    automations: count("automations"),
    grants: count("grants"),
    messages: count("messages"),
    people: count("people"),
    pendingMessageDeliveries: pending,
    scheduledMessages: countMessages("SCHEDULED"),
    segments: count("segments"),
    sendingMessages: countMessages("SENDING"),
    tags: count("tags"),
    templates: count("templates"),
    waitingAutomationRuns: waitingRuns,
    webhookEndpoints: count("webhookEndpoints"),
  };
  return {
    countOf: function* ({ session, organizationId }, kind) {
      return Number((yield* findFirst(session, counts[kind]({ organizationId })))?.total ?? 0);
    },
    countGrantsBy: function* ({ session, organizationId }, subject) {
      return Number((yield* findFirst(session, grantsBy({ organizationId, subject })))?.total ?? 0);
    },
  };
}
