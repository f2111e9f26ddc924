import type { StorageAdapter } from "../storage/storage-adapter.js";
import { apiTokens } from "./access/api-tokens.js";
import { apps } from "./access/apps.js";
import { audit } from "./access/audit.js";
import { grantRemoval } from "./access/grant-removal.js";
import { grants } from "./access/grants.js";
import { passes } from "./cards/passes.js";
import { stampLedger } from "./cards/stamp-ledger.js";
import { templates } from "./cards/templates.js";
import { contactOrder } from "./customers/contact-order.js";
import { contactPages } from "./customers/contact-pages.js";
import { contactQueries } from "./customers/contact-queries.js";
import { contactSearch } from "./customers/contact-search.js";
import { contactStamps } from "./customers/contact-stamps.js";
import { contactTerms } from "./customers/contact-terms.js";
import { userKeys } from "./customers/user-keys.js";
import { userLists } from "./customers/user-lists.js";
import { userPlaces } from "./customers/user-places.js";
import { users } from "./customers/users.js";
import { actors } from "./events/actors.js";
import { dayCounts } from "./events/day-counts.js";
import { eventOrder } from "./events/event-order.js";
import { eventRetention } from "./events/event-retention.js";
import { events } from "./events/events.js";
import { TestOrganization } from "./kit/organization.js";
import type { Statements } from "./kit/statements.js";
import { cascades } from "./rows/cascades.js";
import { counts } from "./rows/counts.js";
import { emptiness } from "./rows/emptiness.js";
import { identifiers } from "./rows/identifiers.js";
import { isolation } from "./rows/isolation.js";
import { ownership } from "./rows/ownership.js";
import { texts } from "./rows/texts.js";
import { assignments } from "./tags/assignments.js";
import { bulkAssignments } from "./tags/bulk-assignments.js";
import { chunks } from "./tags/chunks.js";
import { segments } from "./tags/segments.js";
import { tags } from "./tags/tags.js";
import { answers } from "./transactions/answers.js";
import { closing } from "./transactions/closing.js";
import { committedState } from "./transactions/committed-state.js";
import { conflicts } from "./transactions/conflicts.js";
import { foundRows } from "./transactions/found-rows.js";
import { races } from "./transactions/races.js";
import { rollback } from "./transactions/rollback.js";
import { singleWrites } from "./transactions/single-writes.js";
import { snapshots } from "./transactions/snapshots.js";
import { transactions } from "./transactions/transactions.js";
import { uncommitted } from "./transactions/uncommitted.js";
import { pictures } from "./wallets/pictures.js";
import { walletCards } from "./wallets/wallet-cards.js";
import { walletQueues } from "./wallets/wallet-queues.js";
import { webhookClaims } from "./webhooks/webhook-claims.js";
import { webhookDeliveries } from "./webhooks/webhook-deliveries.js";
import { webhookEndpoints } from "./webhooks/webhook-endpoints.js";
import { webhookWork } from "./webhooks/webhook-work.js";

/** What the suite needs of a test runner: `describe` and `it` of vitest, node:test or jest, as they are. */
export interface TestRunner {
  describe(name: string, define: () => void): unknown;
  it(name: string, test: () => Promise<void>): unknown;
}

/**
 * Tests every sentence of the storage contract on an adapter; one that passes is complete.
 *
 * ```ts
 * testStorage({ describe, it }, async () => myStorage(await freshDatabase()));
 * ```
 *
 * @param open gives a new, empty store. Each test opens its own, and closes it.
 */
export function testStorage({ describe, it }: TestRunner, open: () => Promise<StorageAdapter>): void {
  describe("storage", () => {
    for (const [concern, statements] of Object.entries(concerns)) {
      describe(concern, () => {
        for (const [sentence, check] of Object.entries(statements)) {
          it(sentence, async () => {
            const storage = await open();
            try {
              await check(storage, new TestOrganization(storage, "acme"));
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
  "keys of users": userKeys,
  "places of users": userPlaces,
  "lists of users": userLists,
  "search of contacts": contactSearch,
  "search terms": contactTerms,
  "order of contacts": contactOrder,
  "pages of contacts": contactPages,
  "stamp filter of contacts": contactStamps,
  "queries of contacts": contactQueries,
  tags,
  assignments,
  "assignments in bulk": bulkAssignments,
  segments,
  "chunks of segments": chunks,
  templates,
  passes,
  "stamp ledger": stampLedger,
  outbox: events,
  "order of the outbox": eventOrder,
  "retention of the outbox": eventRetention,
  "numbers of the days": dayCounts,
  "who made changes": actors,
  "the audit trail": audit,
  "API tokens": apiTokens,
  "answers to calls with idempotency keys": answers,
  apps,
  grants,
  "removal of grants": grantRemoval,
  "webhook endpoints": webhookEndpoints,
  "webhook deliveries": webhookDeliveries,
  "claims to webhook deliveries": webhookClaims,
  "work of webhook endpoints": webhookWork,
  pictures,
  "cards in wallets": walletCards,
  "wallet queues": walletQueues,
  emptiness,
  cascades,
  counts,
  texts,
  identifiers,
  ownership,
  isolation,
  transactions,
  "single writes": singleWrites,
  conflicts,
  rollback,
  "uncommitted rows": uncommitted,
  "found rows": foundRows,
  snapshots,
  "the committed state": committedState,
  races,
  closing,
};
