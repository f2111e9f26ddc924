import * as z from "zod";
import { automationRunOf, automationRunSchema } from "../automations/run-schema.js";
import type { Step } from "../base/concurrency/step.js";
import { wireTimestamp } from "../base/fields/text.js";
import { timestamp } from "../base/values/clock.js";
import { walletPassOf, walletPassSchema } from "../cards/pass-schema.js";
import { stampCardOf, stampCardSchema, stampEntryOf, stampEntrySchema } from "../cards/stamps-schema.js";
import { deviceOf } from "../customers/dossier.js";
import { deviceSchema } from "../customers/dossier-schema.js";
import { userOf, userSchema } from "../customers/schema.js";
import { findTemplate } from "../kernel/find.js";
import type { Tenant } from "../kernel/tenant.js";
import { messageDeliverySchema, toMessageDelivery } from "../messages/delivery-schema.js";
import { subscriptionSchema, toSubscription } from "../messages/subscription-schema.js";
import { readPointCard } from "../points/points.js";
import { pointCardSchema, pointEntryOf, pointEntrySchema } from "../points/schema.js";
import { automationJobs } from "../storage/automations.js";
import type { StoredPass, StoredStampEntry } from "../storage/passes.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredTemplate } from "../storage/templates.js";
import type { StoredUser } from "../storage/users.js";
import { defineKind, type ExportKind, type RowBatches } from "./export-kind.js";

/** Number of rows per user and read. */
const PAGE_SIZE = 500;

/** A card's points. When they expire isn't included, because the entries say it. */
const pointSumsSchema = pointCardSchema.omit({
  object: true,
  walletPassId: true,
  templateId: true,
  expiring: true,
});

const passIdShape = { walletPassId: z.string() };

/**
 * Export kinds for customer data: customers, their tags and subscriptions, their passes and devices, and their messages and
 * automation runs.
 */
export const userExportKinds: readonly ExportKind[] = [
  defineKind({
    name: "users",
    description: "customers, with the slugs of their tags",
    tables: ["users"],
    format: "csv",
    schema: userSchema.extend({ tags: z.array(z.string()) }),
    readRows: (tenant) =>
      readRowsPerUser(tenant, function* (reader, users) {
        const ordinals = users.map(({ ordinal }) => ordinal);
        const slugs = yield* reader.slugsOfUsers(ordinals);
        return users.map((user) => ({ ...userOf(user), tags: [...(slugs.get(user.ordinal) ?? [])] }));
      }),
  }),
  defineKind({
    name: "user-tag-assignments",
    description: "the tags of each customer, and when they were assigned",
    tables: ["userTagAssignments"],
    format: "csv",
    schema: z.object({ userId: z.string(), tagSlug: z.string(), createdAt: wireTimestamp }),
    readRows: (tenant) =>
      readRowsPerUser(tenant, function* (reader, users) {
        const ids = new Map(users.map(({ ordinal, id }) => [ordinal, id]));
        const assignments = yield* reader.assignmentsOfUsers([...ids.keys()]);
        return assignments.map(({ userOrdinal, slug, createdAt }) => ({
          userId: ids.get(userOrdinal) ?? "",
          tagSlug: slug,
          createdAt: timestamp(createdAt),
        }));
      }),
  }),
  defineKind({
    name: "subscriptions",
    description: "consents to messages and unsubscribes, with times and texts",
    tables: ["subscriptions"],
    format: "csv",
    schema: subscriptionSchema,
    readRows: (tenant) =>
      readRowsPerUser(tenant, function* (reader, users) {
        const ids = users.map(({ id }) => id);
        return (yield* reader.subscriptionsOf(ids)).map(toSubscription);
      }),
  }),
  defineKind({
    name: "walletpasses",
    description: "cards of customers, with their stamps and rewards, or their points",
    tables: ["walletPasses", "pointCards"],
    format: "csv",
    schema: walletPassSchema.extend({
      stamps: stampCardSchema.omit({ object: true, walletPassId: true, templateId: true }).nullable(),
      points: pointSumsSchema.nullable(),
    }),
    readRows: (tenant) => {
      const templates = new Map<string, StoredTemplate>();
      return readRowsPerUser(tenant, function* (reader, users) {
        const { organizationId } = tenant;
        const rows = [];
        for (const pass of yield* reader.passesOfUsers(users)) {
          const template =
            templates.get(pass.templateId) ?? (yield* findTemplate(reader, organizationId, pass.templateId));
          templates.set(template.id, template);
          rows.push({
            ...walletPassOf(pass, tenant.engine.config.shortLinks.current),
            stamps: pass.card === null ? null : stampCardOf(pass, pass.card),
            points: yield* readPointCard(reader, pass, template, tenant.now()),
          });
        }
        return rows;
      });
    },
  }),
  defineKind({
    name: "stamps-history",
    description: "stamp and reward entries of all cards, newest first within each card",
    tables: ["stampEntries"],
    format: "csv",
    schema: z.object({ ...passIdShape, ...stampEntrySchema.shape }),
    async *readRows(tenant) {
      for await (const entries of readLedgerEntries(tenant)) {
        yield tenant.measureTime(() =>
          entries.map((entry) => ({ walletPassId: entry.passId, ...stampEntryOf(entry) })),
        );
      }
    },
  }),
  defineKind({
    name: "points-history",
    description: "point entries of all cards, newest first within each card",
    tables: ["pointEntries"],
    format: "ndjson",
    schema: z.object({ ...passIdShape, ...pointEntrySchema.shape }),
    readRows: (tenant) =>
      readRowsPerUser(tenant, function* (reader, users) {
        const passes = yield* reader.passesOfUsers(users);
        const pointPasses = passes.filter(({ card }) => card === null);
        return yield* readAllPages(pointPasses, function* ({ id }, page) {
          const entries = yield* reader.listPointEntries(id, page * PAGE_SIZE, PAGE_SIZE);
          return entries.map((entry) => ({ walletPassId: id, ...pointEntryOf(entry) }));
        });
      }),
  }),
  defineKind({
    name: "devices",
    description: "wallets that cards are or were in",
    tables: ["walletDevices"],
    format: "csv",
    schema: z.object({ ...passIdShape, ...deviceSchema.shape }),
    readRows: (tenant) =>
      readRowsPerUser(tenant, function* (reader, users) {
        const ids = (yield* reader.passesOfUsers(users)).map(({ id }) => id);
        const rows: (ReturnType<typeof deviceOf> & { walletPassId: string })[] = [];
        for (let start = 0; start < ids.length; start += PAGE_SIZE) {
          for (const device of yield* reader.walletDevicesOf(ids.slice(start, start + PAGE_SIZE))) {
            rows.push({ walletPassId: device.passId, ...deviceOf(device) });
          }
        }
        return rows;
      }),
  }),
  defineKind({
    name: "message-deliveries",
    description: "mails and messages to customers, with their status",
    tables: ["messageDeliveries"],
    format: "ndjson",
    schema: messageDeliverySchema,
    readRows: (tenant) =>
      readRowsPerUser(tenant, (reader, users) =>
        readAllPages(users, function* ({ id }, page) {
          const owner = { userId: id };
          const query = { status: null, page, size: PAGE_SIZE };
          const { items } = yield* reader.messageDeliveriesOf(owner, query);
          return items.map(toMessageDelivery);
        }),
      ),
  }),
  defineKind({
    name: "automation-runs",
    description: "automation runs",
    tables: ["automationRuns"],
    format: "csv",
    schema: automationRunSchema,
    readRows: (tenant) =>
      readRowsPerUser(tenant, function* (reader, users) {
        if ((yield* reader.findQueue(automationJobs)) === null) return [];
        return yield* readAllPages(users, function* ({ id }, page) {
          const query = { status: null, page, size: PAGE_SIZE };
          const { items } = yield* reader.listAutomationRuns({ userId: id }, query);
          return items.map(automationRunOf);
        });
      }),
  }),
];

/** Reads all pages for each owner. */
function* readAllPages<Owner, Row>(
  owners: readonly Owner[],
  readPage: (owner: Owner, page: number) => Step<readonly Row[]>,
): Step<Row[]> {
  const allRows: Row[] = [];
  for (const owner of owners) {
    for (let page = 0; ; page += 1) {
      const rows = yield* readPage(owner, page);
      allRows.push(...rows);
      if (rows.length < PAGE_SIZE) break;
    }
  }
  return allRows;
}

/** A function that reads the exported rows for a batch of users. */
export type ReadForUsers<Row> = (reader: StorageReader, users: readonly StoredUser[]) => Step<readonly Row[]>;

/** Number of users per read. A single user may have a thousand cards and five thousand tags. */
const USER_BATCH_SIZE = 50;

/** Yields batches of rows for all users, oldest users first. */
async function* readRowsPerUser<Row>(tenant: Tenant, readForUsers: ReadForUsers<Row>): RowBatches<Row> {
  for (let after = -1; ; ) {
    const { last, rows } = await tenant.read(function* (reader) {
      const users = yield* reader.listUsers(after, USER_BATCH_SIZE);
      return { last: users.at(-1), rows: users.length === 0 ? [] : yield* readForUsers(reader, users) };
    }, true);
    if (last === undefined) return;
    yield rows;
    after = last.ordinal;
  }
}

/** Number of ledger entries per read. */
const LEDGER_PAGE_SIZE = 1_000;

/**
 * Maximum number of entries in ledgers that are read together. It is half a page, so that the group still fits a page if a ledger
 * grows during the read.
 */
const MAX_GROUP_ENTRIES = LEDGER_PAGE_SIZE / 2;

/** Yields batches of an organization's ledger entries for export, grouped by pass. Each pass's entries are sorted newest first. */
export async function* readLedgerEntries(tenant: Tenant): RowBatches<StoredStampEntry> {
  const passes = readRowsPerUser(tenant, (reader, users) => reader.passesOfUsers(users));
  for await (const batch of passes) for (const group of groupPasses(batch)) yield* readLedgers(tenant, group);
}

async function* readLedgers(tenant: Tenant, passes: readonly StoredPass[]): RowBatches<StoredStampEntry> {
  let before = Number.POSITIVE_INFINITY;
  for (let offset = 0; ; offset += LEDGER_PAGE_SIZE) {
    const page = await tenant.read(function* (reader) {
      const entries: StoredStampEntry[] = [];
      for (const { id } of passes) {
        entries.push(...(yield* reader.listStampEntries(id, offset, LEDGER_PAGE_SIZE)));
      }
      return entries;
    }, true);
    // Entries added in the meantime shift the offsets, so skip entries that were already read.
    yield page.filter(({ sequence }) => sequence < before);
    const last = page.at(-1);
    if (passes.length > 1 || last === undefined || page.length < LEDGER_PAGE_SIZE) return;
    before = last.sequence;
  }
}

/** Groups passes so that short ledgers are read together and a long ledger alone. Passes without entries are left out. */
function* groupPasses(passes: readonly StoredPass[]): Generator<StoredPass[], void, undefined> {
  let group: StoredPass[] = [];
  let groupEntryCount = 0;
  for (const pass of passes) {
    const entryCount = pass.card?.entries ?? 0;
    if (entryCount === 0) continue;
    if (groupEntryCount + entryCount > MAX_GROUP_ENTRIES) {
      if (group.length > 0) yield group;
      [group, groupEntryCount] = [[], 0];
    }
    group.push(pass);
    groupEntryCount += entryCount;
  }
  if (group.length > 0) yield group;
}
