import type { StorageAdapter } from "../storage.js";
import { answers } from "./answers.js";
import { apiTokens } from "./api-tokens.js";
import { apps } from "./apps.js";
import { assignments } from "./assignments.js";
import { bulkAssignments } from "./bulk-assignments.js";
import { cascades } from "./cascades.js";
import { chunks } from "./chunks.js";
import { closing } from "./closing.js";
import { conflicts } from "./conflicts.js";
import { contactOrder } from "./contact-order.js";
import { contactPages } from "./contact-pages.js";
import { contactQueries } from "./contact-queries.js";
import { contactSearch } from "./contact-search.js";
import { contactStamps } from "./contact-stamps.js";
import { contactTerms } from "./contact-terms.js";
import { emptiness } from "./emptiness.js";
import { eventOrder } from "./event-order.js";
import { eventRetention } from "./event-retention.js";
import { events } from "./events.js";
import { foundRows } from "./found-rows.js";
import { grantRemoval } from "./grant-removal.js";
import { grants } from "./grants.js";
import { identifiers } from "./identifiers.js";
import { isolation } from "./isolation.js";
import { Organization } from "./organization.js";
import { ownership } from "./ownership.js";
import { passes } from "./passes.js";
import { races } from "./races.js";
import { rollback } from "./rollback.js";
import { segments } from "./segments.js";
import { snapshots } from "./snapshots.js";
import { stampLedger } from "./stamp-ledger.js";
import type { Statements } from "./statements.js";
import { tags } from "./tags.js";
import { templates } from "./templates.js";
import { texts } from "./texts.js";
import { transactions } from "./transactions.js";
import { uncommitted } from "./uncommitted.js";
import { userKeys } from "./user-keys.js";
import { userLists } from "./user-lists.js";
import { userPlaces } from "./user-places.js";
import { users } from "./users.js";
import { webhookClaims } from "./webhook-claims.js";
import { webhookDeliveries } from "./webhook-deliveries.js";
import { webhookEndpoints } from "./webhook-endpoints.js";
import { webhookWork } from "./webhook-work.js";

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
              await check(storage, Organization.of(storage, "acme"));
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
  "API tokens": apiTokens,
  "answers to calls with idempotency keys": answers,
  apps,
  grants,
  "removal of grants": grantRemoval,
  "webhook endpoints": webhookEndpoints,
  "webhook deliveries": webhookDeliveries,
  "claims to webhook deliveries": webhookClaims,
  "work of webhook endpoints": webhookWork,
  emptiness,
  cascades,
  texts,
  identifiers,
  ownership,
  isolation,
  transactions,
  conflicts,
  rollback,
  "uncommitted rows": uncommitted,
  "found rows": foundRows,
  snapshots,
  races,
  closing,
};
