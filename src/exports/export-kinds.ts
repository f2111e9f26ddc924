import * as z from "zod";
import { apiTokenOf, apiTokenSchema } from "../access/api-token-schema.js";
import { appOf, appSchema, grantOf, grantSchema } from "../access/app-schema.js";
import { auditEntrySchema } from "../access/audit-schema.js";
import { auditEntryOf } from "../access/audit-trail.js";
import { automationOf, automationSchema } from "../automations/schema.js";
import { runStep, type Step } from "../base/concurrency/step.js";
import { LAST_DAY } from "../base/values/calendar-days.js";
import { dateOf } from "../base/values/clock.js";
import { templateOf, templateSchema } from "../cards/schema.js";
import { eventOf } from "../kernel/events/event-emitter.js";
import type { Tenant } from "../kernel/tenant.js";
import { messageSchema, toMessage } from "../messages/schema.js";
import {
  defaultMessageSettings,
  messageSettingsSchema,
  toMessageSettings,
} from "../messages/settings-schema.js";
import { personOf, personSchema } from "../people/schema.js";
import { pickEffects, purchaseOf, purchaseSchema } from "../purchases/schema.js";
import { daySegmentStatisticsSchema, savedSegmentOf, savedSegmentSchema } from "../segments/schema.js";
import { settingsOf, settingsSchema } from "../settings/schema.js";
import { dayStatisticsSchema } from "../statistics/schema.js";
import { numbersOf } from "../statistics/statistics.js";
import { addDayCounts, emptyDayCounts } from "../storage/day-counts.js";
import type { StoredPurchase } from "../storage/purchases.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { toUserTag, userTagSchema } from "../tags/schema.js";
import { toWebhookDelivery, webhookDeliverySchema } from "../webhooks/delivery-schema.js";
import { eventSchema } from "../webhooks/event-schema.js";
import { toWebhookEndpoint, webhookEndpointSchema } from "../webhooks/schema.js";
import { defineKind, type ExportKind, type RowBatches } from "./export-kind.js";
import { userExportKinds } from "./user-export-kinds.js";

/** Number of events, deliveries or audit entries per read. */
const BATCH_SIZE = 200;

/** Number of messages per read; a message can be as large as 1 MB. */
const MESSAGE_BATCH_SIZE = 10;

const MESSAGE_ID_PAGE_SIZE = 50;

/** Creates a reader for a whole list in one batch, because the service limits its length. */
function createListReader<Row>(
  readRows: (reader: StorageReader, organizationId: string) => Step<readonly Row[]>,
): (tenant: Tenant) => RowBatches<Row> {
  return async function* (tenant) {
    yield await tenant.read((reader) => readRows(reader, tenant.organizationId), true);
  };
}

/** Reads in batches, each starting after the last row of the previous batch. */
async function* readPaged<Stored, Cursor>(
  start: Cursor,
  readPage: (after: Cursor) => Promise<readonly Stored[]>,
  getCursor: (last: Stored) => Cursor,
): RowBatches<Stored> {
  for (let after = start; ; ) {
    const rows = await readPage(after);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = getCursor(last);
  }
}

/** All export kinds. Each is named after its resource in the API. */
export const exportKinds: readonly ExportKind[] = [
  ...userExportKinds,
  defineKind({
    name: "purchases",
    description: "purchases with their returns and effects, newest first",
    tables: ["purchases", "purchaseEffects"],
    format: "ndjson",
    schema: purchaseSchema,
    async *readRows(tenant) {
      const readPage = (before: StoredPurchase | null) =>
        tenant.read((reader) => reader.purchasesBefore(before, BATCH_SIZE), true);
      for await (const batch of readPaged<StoredPurchase, StoredPurchase | null>(
        null,
        readPage,
        (last) => last,
      )) {
        const ids = batch.map(({ id }) => id);
        const effects = await tenant.read((reader) => reader.effectsOfPurchases(ids), true);
        yield tenant.measureTime(() =>
          batch.map((purchase) => purchaseOf(purchase, pickEffects(purchase, effects))),
        );
      }
    },
  }),
  defineKind({
    name: "user-tags",
    description: "tags",
    tables: ["userTags"],
    format: "csv",
    schema: userTagSchema,
    readRows: createListReader(function* (reader) {
      return (yield* reader.listTags()).map(toUserTag);
    }),
  }),
  defineKind({
    name: "templates",
    description: "card templates, with their designs",
    tables: ["templates"],
    format: "ndjson",
    schema: templateSchema,
    readRows: createListReader(function* (reader) {
      return (yield* reader.listTemplates()).map(templateOf);
    }),
  }),
  defineKind({
    name: "segments",
    description: "saved segments",
    tables: ["savedSegments"],
    format: "ndjson",
    schema: savedSegmentSchema,
    readRows: createListReader(function* (reader) {
      return (yield* reader.listSegments()).map(savedSegmentOf);
    }),
  }),
  defineKind({
    name: "segments-statistics",
    description: "daily segment sizes, and members who entered and left",
    tables: ["segmentDays"],
    format: "csv",
    schema: z.object({ segmentSlug: z.string(), ...daySegmentStatisticsSchema.shape }),
    async *readRows(tenant) {
      for (const { id, slug } of await runStep(tenant.reader.listSegments())) {
        yield await tenant.read(function* (reader) {
          const days = yield* reader.segmentDays(id, 0, LAST_DAY);
          return days.map(({ day, members, entered, left }) => {
            return { segmentSlug: slug, date: dateOf(day), members, entered, left };
          });
        }, true);
      }
    },
  }),
  defineKind({
    name: "messages",
    description: "messages to customers",
    tables: ["messages"],
    format: "ndjson",
    schema: messageSchema,
    async *readRows(tenant) {
      const ids = await tenant.read((reader) => listMessageIds(reader), true);
      for (let start = 0; start < ids.length; start += MESSAGE_BATCH_SIZE) {
        const batch = ids.slice(start, start + MESSAGE_BATCH_SIZE);
        const messages = await tenant.read((reader) => reader.messagesById(batch), true);
        yield tenant.measureTime(() => messages.map(toMessage));
      }
    },
  }),
  defineKind({
    name: "message-settings",
    description: "settings for mails and messages",
    tables: ["messageSettings"],
    format: "ndjson",
    schema: messageSettingsSchema,
    readRows: createListReader(function* (reader) {
      return [toMessageSettings((yield* reader.findMessageSettings()) ?? defaultMessageSettings)];
    }),
  }),
  defineKind({
    name: "automations",
    description: "automations",
    tables: ["automations"],
    format: "ndjson",
    schema: automationSchema,
    readRows: createListReader(function* (reader) {
      return (yield* reader.listAutomations()).map(automationOf);
    }),
  }),
  defineKind({
    name: "statistics",
    description: "daily statistics",
    tables: ["dayCounts"],
    format: "csv",
    schema: dayStatisticsSchema,
    readRows: createListReader(function* (reader) {
      let totals = emptyDayCounts;
      const { days } = yield* reader.readDayCounts(0, LAST_DAY);
      return days.map((counts) => {
        totals = addDayCounts(totals, counts);
        return { date: dateOf(counts.day), ...numbersOf(totals, counts) };
      });
    }),
  }),
  defineKind({
    name: "settings",
    description: "organization settings",
    tables: ["settings"],
    format: "ndjson",
    schema: settingsSchema,
    readRows: createListReader(function* (reader) {
      return [settingsOf(yield* reader.findSettings())];
    }),
  }),
  defineKind({
    name: "people",
    description: "staff and their roles",
    tables: ["people"],
    format: "csv",
    schema: personSchema,
    readRows: createListReader(function* (reader) {
      return (yield* reader.listPeople()).map(personOf);
    }),
  }),
  defineKind({
    name: "audit-entries",
    description: "audit trail, oldest first",
    tables: ["audit"],
    format: "ndjson",
    schema: auditEntrySchema,
    async *readRows(tenant) {
      const readPage = (after: number) => tenant.read((reader) => reader.listAudit(after, BATCH_SIZE), true);
      for await (const entries of readPaged(0, readPage, ({ sequence }) => sequence)) {
        yield tenant.measureTime(() => entries.map(auditEntryOf));
      }
    },
  }),
  defineKind({
    name: "events",
    description: "retained events, oldest first",
    tables: ["events"],
    format: "ndjson",
    schema: eventSchema,
    async *readRows(tenant) {
      const readPage = (after: number) =>
        tenant.read((reader) => reader.listEvents(null, after, BATCH_SIZE), true);
      for await (const events of readPaged(0, readPage, ({ position }) => position))
        yield tenant.measureTime(() => events.map(eventOf));
    },
  }),
  defineKind({
    name: "webhook-endpoints",
    description: "webhook endpoints, without their secrets",
    tables: ["webhookEndpoints"],
    format: "ndjson",
    schema: webhookEndpointSchema,
    readRows: createListReader(function* (reader) {
      return (yield* reader.listWebhookEndpoints()).map(toWebhookEndpoint);
    }),
  }),
  defineKind({
    name: "webhook-deliveries",
    description: "webhook deliveries, newest first",
    tables: ["webhookDeliveries", "webhookAttempts"],
    format: "ndjson",
    schema: webhookDeliverySchema,
    async *readRows(tenant) {
      for (const { id } of await runStep(tenant.reader.listWebhookEndpoints())) {
        yield* readWebhookDeliveries(tenant, id);
      }
    },
  }),
  defineKind({
    name: "api-tokens",
    description: "API tokens, without their secrets",
    tables: ["apiTokens"],
    format: "csv",
    schema: apiTokenSchema,
    readRows: createListReader(function* (reader) {
      return (yield* reader.listApiTokens()).map(apiTokenOf);
    }),
  }),
  defineKind({
    name: "apps",
    description: "registered apps, without their secrets",
    tables: ["apps"],
    format: "csv",
    schema: appSchema,
    readRows: createListReader(function* (reader) {
      return (yield* reader.listApps()).map(appOf);
    }),
  }),
  defineKind({
    name: "grants",
    description: "grants to apps",
    tables: ["grants"],
    format: "csv",
    schema: grantSchema,
    readRows: createListReader(function* (reader) {
      return (yield* reader.listGrants()).map(grantOf);
    }),
  }),
];

/** Lists the IDs of all messages in one snapshot, because paging would shift when a message is deleted. */
function* listMessageIds(reader: StorageReader): Step<string[]> {
  const ids: string[] = [];
  for (let page = 0; ; page += 1) {
    const query = { status: null, page, size: MESSAGE_ID_PAGE_SIZE };
    const { items } = yield* reader.listMessages(query);
    ids.push(...items.map(({ id }) => id));
    if (items.length < MESSAGE_ID_PAGE_SIZE) return ids;
  }
}

async function* readWebhookDeliveries(
  tenant: Tenant,
  endpointId: string,
): RowBatches<ReturnType<typeof toWebhookDelivery>> {
  type Cursor = { readonly createdAt: number; readonly id: string } | null;
  const readPage = (before: Cursor) =>
    tenant.read(function* (reader) {
      const query = { before, limit: BATCH_SIZE };
      const deliveries = yield* reader.listDeliveries(endpointId, query);
      const ids = deliveries.map(({ id }) => id);
      const attempts = ids.length === 0 ? [] : yield* reader.attemptsOf(ids);
      return deliveries.map((delivery) => ({ delivery, attempts }));
    }, true);
  const getCursor = (last: Awaited<ReturnType<typeof readPage>>[number]): Cursor => last.delivery;
  for await (const page of readPaged<Awaited<ReturnType<typeof readPage>>[number], Cursor>(
    null,
    readPage,
    getCursor,
  )) {
    yield tenant.measureTime(() =>
      page.map(({ delivery, attempts }) => toWebhookDelivery(delivery, attempts)),
    );
  }
}
