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
const PAGE = 500;

/** A card's points. When they expire isn't included, because the entries say it. */
const pointSumsSchema = pointCardSchema.omit({
  object: true,
  walletPassId: true,
  templateId: true,
  expiring: true,
});

const ofPass = { walletPassId: z.string() };

/**
 * Export kinds for customer data: customers, their tags and subscriptions, their passes and devices, and their messages and
 * automation runs.
 */
export const userExportKinds: readonly ExportKind[] = [
  defineKind({
    name: "users",
    says: "customers, with the slugs of their tags",
    tables: ["users"],
    format: "csv",
    schema: userSchema.extend({ tags: z.array(z.string()) }),
    rows: (tenant) =>
      readRowsPerUser(tenant, function* (reader, users) {
        const ordinals = users.map(({ ordinal }) => ordinal);
        const slugs = yield* reader.slugsOfUsers(ordinals);
        return users.map((user) => ({ ...userOf(user), tags: [...(slugs.get(user.ordinal) ?? [])] }));
      }),
  }),
  defineKind({
    name: "user-tag-assignments",
    says: "the tags of each customer, and when they were assigned",
    tables: ["userTagAssignments"],
    format: "csv",
    schema: z.object({ userId: z.string(), tagSlug: z.string(), createdAt: wireTimestamp }),
    rows: (tenant) =>
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
    says: "consents to messages and unsubscribes, with times and texts",
    tables: ["subscriptions"],
    format: "csv",
    schema: subscriptionSchema,
    rows: (tenant) =>
      readRowsPerUser(tenant, function* (reader, users) {
        const ids = users.map(({ id }) => id);
        return (yield* reader.subscriptionsOf(ids)).map(toSubscription);
      }),
  }),
  defineKind({
    name: "walletpasses",
    says: "cards of customers, with their stamps and rewards, or their points",
    tables: ["walletPasses", "pointCards"],
    format: "csv",
    schema: walletPassSchema.extend({
      stamps: stampCardSchema.omit({ object: true, walletPassId: true, templateId: true }).nullable(),
      points: pointSumsSchema.nullable(),
    }),
    rows: (tenant) => {
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
    says: "stamp and reward entries of all cards, newest first within each card",
    tables: ["stampEntries"],
    format: "csv",
    schema: z.object({ ...ofPass, ...stampEntrySchema.shape }),
    async *rows(tenant) {
      for await (const entries of readLedgerEntries(tenant)) {
        yield tenant.measureTime(() =>
          entries.map((entry) => ({ walletPassId: entry.passId, ...stampEntryOf(entry) })),
        );
      }
    },
  }),
  defineKind({
    name: "points-history",
    says: "point entries of all cards, newest first within each card",
    tables: ["pointEntries"],
    format: "ndjson",
    schema: z.object({ ...ofPass, ...pointEntrySchema.shape }),
    rows: (tenant) =>
      readRowsPerUser(tenant, function* (reader, users) {
        const passes = yield* reader.passesOfUsers(users);
        const withoutStamps = passes.filter(({ card }) => card === null);
        return yield* readAllPages(withoutStamps, function* ({ id }, page) {
          const entries = yield* reader.listPointEntries(id, page * PAGE, PAGE);
          return entries.map((entry) => ({ walletPassId: id, ...pointEntryOf(entry) }));
        });
      }),
  }),
  defineKind({
    name: "devices",
    says: "wallets that cards are or were in",
    tables: ["walletDevices"],
    format: "csv",
    schema: z.object({ ...ofPass, ...deviceSchema.shape }),
    rows: (tenant) =>
      readRowsPerUser(tenant, function* (reader, users) {
        const ids = (yield* reader.passesOfUsers(users)).map(({ id }) => id);
        const rows: (ReturnType<typeof deviceOf> & { walletPassId: string })[] = [];
        for (let at = 0; at < ids.length; at += PAGE) {
          for (const device of yield* reader.walletDevicesOf(ids.slice(at, at + PAGE))) {
            rows.push({ walletPassId: device.passId, ...deviceOf(device) });
          }
        }
        return rows;
      }),
  }),
  defineKind({
    name: "message-deliveries",
    says: "mails and messages to customers, with their status",
    tables: ["messageDeliveries"],
    format: "ndjson",
    schema: messageDeliverySchema,
    rows: (tenant) =>
      readRowsPerUser(tenant, (reader, users) =>
        readAllPages(users, function* ({ id }, page) {
          const owner = { userId: id };
          const query = { status: null, page, size: PAGE };
          const { items } = yield* reader.messageDeliveriesOf(owner, query);
          return items.map(toMessageDelivery);
        }),
      ),
  }),
  defineKind({
    name: "automation-runs",
    says: "automation runs",
    tables: ["automationRuns"],
    format: "csv",
    schema: automationRunSchema,
    rows: (tenant) =>
      readRowsPerUser(tenant, function* (reader, users) {
        if ((yield* reader.findQueue(automationJobs)) === null) return [];
        return yield* readAllPages(users, function* ({ id }, page) {
          const query = { status: null, page, size: PAGE };
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
  const all: Row[] = [];
  for (const owner of owners) {
    for (let page = 0; ; page += 1) {
      const rows = yield* readPage(owner, page);
      all.push(...rows);
      if (rows.length < PAGE) break;
    }
  }
  return all;
}

/** A function that reads the exported rows for a batch of users. */
export type ReadForUsers<Row> = (reader: StorageReader, users: readonly StoredUser[]) => Step<readonly Row[]>;

/** Number of users per read. A single user may have a thousand cards and five thousand tags. */
const BATCH = 50;

/** Yields batches of rows for all users, oldest users first. */
async function* readRowsPerUser<Row>(tenant: Tenant, readForUsers: ReadForUsers<Row>): RowBatches<Row> {
  for (let after = -1; ; ) {
    const { last, rows } = await tenant.read(function* (reader) {
      const users = yield* reader.listUsers(after, BATCH);
      return { last: users.at(-1), rows: users.length === 0 ? [] : yield* readForUsers(reader, users) };
    }, true);
    if (last === undefined) return;
    yield rows;
    after = last.ordinal;
  }
}

/** Number of ledger entries per read. */
const LEDGER_PAGE = 1_000;

/**
 * Maximum number of entries in ledgers that are read together. It is half a page, so that the group still fits a page if a ledger
 * grows during the read.
 */
const GROUP_SIZE = LEDGER_PAGE / 2;

/** Yields batches of an organization's ledger entries for export, grouped by pass. Each pass's entries are sorted newest first. */
export async function* readLedgerEntries(tenant: Tenant): RowBatches<StoredStampEntry> {
  const passes = readRowsPerUser(tenant, (reader, users) => reader.passesOfUsers(users));
  for await (const batch of passes) for (const group of groupPasses(batch)) yield* readLedgers(tenant, group);
}

async function* readLedgers(tenant: Tenant, passes: readonly StoredPass[]): RowBatches<StoredStampEntry> {
  let before = Number.POSITIVE_INFINITY;
  for (let offset = 0; ; offset += LEDGER_PAGE) {
    const page = await tenant.read(function* (reader) {
      const entries: StoredStampEntry[] = [];
      for (const { id } of passes) {
        entries.push(...(yield* reader.listStampEntries(id, offset, LEDGER_PAGE)));
      }
      return entries;
    }, true);
    // Entries added in the meantime shift the offsets, so skip entries that were already read.
    yield page.filter(({ sequence }) => sequence < before);
    const last = page.at(-1);
    if (passes.length > 1 || last === undefined || page.length < LEDGER_PAGE) return;
    before = last.sequence;
  }
}

/** Groups passes so that short ledgers are read together and a long ledger alone. Passes without entries are left out. */
function* groupPasses(passes: readonly StoredPass[]): Generator<StoredPass[], void, undefined> {
  let group: StoredPass[] = [];
  let entries = 0;
  for (const pass of passes) {
    const entryCount = pass.card?.entries ?? 0;
    if (entryCount === 0) continue;
    if (entries + entryCount > GROUP_SIZE) {
      if (group.length > 0) yield group;
      [group, entries] = [[], 0];
    }
    group.push(pass);
    entries += entryCount;
  }
  if (group.length > 0) yield group;
}
