import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import { audit } from "./access/audit.js";
import { grants } from "./access/grants.js";
import { people } from "./access/people.js";
import { automations } from "./automations/automations.js";
import { passes } from "./cards/passes.js";
import { contactOrder } from "./customers/contact-order.js";
import { contactQueries } from "./customers/contact-queries.js";
import { contactSearch } from "./customers/contact-search.js";
import { contactTerms } from "./customers/contact-terms.js";
import { users } from "./customers/users.js";
import { actors } from "./events/actors.js";
import { dayCounts } from "./events/day-counts.js";
import { eventOrder } from "./events/event-order.js";
import { eventRetention } from "./events/event-retention.js";
import { events } from "./events/events.js";
import { SuiteOrganization } from "./kit/organization.js";
import type { Statements } from "./kit/statements.js";
import { buildLaw } from "./law/law.js";
import { mailQueues } from "./messages/mail-queues.js";
import { messageDeliveries } from "./messages/message-deliveries.js";
import { messages } from "./messages/messages.js";
import { subscriptions } from "./messages/subscriptions.js";
import { purchaseBehavior } from "./purchases/behavior.js";
import { points } from "./purchases/points.js";
import { purchases } from "./purchases/purchases.js";
import { emptiness } from "./rows/emptiness.js";
import { identifiers } from "./rows/identifiers.js";
import { isolation } from "./rows/isolation.js";
import { texts } from "./rows/texts.js";
import { chunks } from "./tags/chunks.js";
import { savedSegments } from "./tags/saved-segments.js";
import { segments } from "./tags/segments.js";
import { tagRemovals } from "./tags/tag-removals.js";
import { closing } from "./transactions/closing.js";
import { committedState } from "./transactions/committed-state.js";
import { conflicts } from "./transactions/conflicts.js";
import { cooldowns } from "./transactions/cooldowns.js";
import { idempotencyRecords } from "./transactions/idempotency-records.js";
import { races } from "./transactions/races.js";
import { rollback } from "./transactions/rollback.js";
import { snapshots } from "./transactions/snapshots.js";
import { takenNames } from "./transactions/taken-names.js";
import { transactions } from "./transactions/transactions.js";
import { uncommitted } from "./transactions/uncommitted.js";
import { walletQueues } from "./wallets/wallet-queues.js";
import { webhookClaims } from "./webhooks/webhook-claims.js";
import { webhookDeliveries } from "./webhooks/webhook-deliveries.js";
import { webhookWork } from "./webhooks/webhook-work.js";

/** The test runner functions that the suite needs, such as `describe` and `it` from Vitest, node:test, or Jest. */
export interface TestRunner {
  /** Declares a group of tests. `define` declares the group's tests and runs synchronously. */
  describe(name: string, define: () => void): unknown;
  /** Declares a test, which fails if its promise rejects. */
  it(name: string, test: () => Promise<void>): unknown;
}

/**
 * Defines tests that check a storage adapter against every statement of the storage contract, and compare it with a reference
 * implementation, the oracle.
 * @param open a function that returns a new, empty store. Each test opens and closes its own store.
 * @param openOracle a function that returns a new, empty oracle store.
 */
export function testAgainst(
  { describe, it }: TestRunner,
  open: () => Promise<StorageAdapter>,
  openOracle: () => Promise<StorageAdapter>,
): void {
  describe("storage", () => {
    for (const [concern, statements] of Object.entries({ law: buildLaw(openOracle), ...concerns })) {
      describe(concern, () => {
        for (const [sentence, check] of Object.entries(statements)) {
          it(sentence, async () => {
            const storage = await open();
            try {
              await check(storage, new SuiteOrganization(storage, "acme"));
            } finally {
              await storage.close();
            }
          });
        }
      });
    }
  });
}

const concerns: Readonly<Record<string, Statements>> = {
  users,
  "search of contacts": contactSearch,
  "search terms": contactTerms,
  "order of contacts": contactOrder,
  "queries of contacts": contactQueries,
  segments,
  "tag removals": tagRemovals,
  "saved segments": savedSegments,
  "segment chunks": chunks,
  passes,
  purchases,
  points,
  "matching customers by points and purchases": purchaseBehavior,
  outbox: events,
  "order of the outbox": eventOrder,
  "retention of the outbox": eventRetention,
  "daily counts": dayCounts,
  actors,
  "the audit trail": audit,
  "idempotency records": idempotencyRecords,
  cooldowns,
  people,
  grants,
  "webhook deliveries": webhookDeliveries,
  "claiming webhook deliveries": webhookClaims,
  "webhook endpoints with work": webhookWork,
  "wallet queues": walletQueues,
  subscriptions,
  "message deliveries": messageDeliveries,
  "mail queues": mailQueues,
  messages,
  automations,
  emptiness,
  texts,
  identifiers,
  isolation,
  transactions,
  conflicts,
  rollback,
  "uncommitted rows": uncommitted,
  "found rows": takenNames,
  snapshots,
  "the committed state": committedState,
  races,
  closing,
};
