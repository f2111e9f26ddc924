import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { StorageAdapter } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { StorageTransaction, StoredPass, StoredUser } from "loyalty-kit/storage";
import type { Step } from "../src/base/concurrency/step.js";
import {
  type Customer,
  EPOCH,
  generateCustomers,
  hasPass,
  listTagSlugs,
  ORGANIZATION,
  passId,
  TEMPLATE,
} from "./customers.js";

const USERS_AT_ONCE = 5_000;
/** As many as storage takes. */
const ASSIGNMENTS_AT_ONCE = 1_000;

/** The library's file with this many users, created if missing. Copy it before you change it. */
export async function createOurFile(folder: string, users: number): Promise<string> {
  const file = join(folder, `ours-${users}.db`);
  if (!existsSync(file)) await fillFile(file, [ORGANIZATION], users);
  return file;
}

/** A file of several organizations with this many users each, created in turn. */
export async function createOrganizationsFile(
  folder: string,
  organizations: readonly string[],
  usersPerOrganization: number,
): Promise<string> {
  const file = join(folder, `ours-${organizations.length}-of-${usersPerOrganization}.db`);
  if (!existsSync(file)) await fillFile(file, organizations, usersPerOrganization);
  return file;
}

/** Copies a file for a benchmark that changes it. The copy is synced to the disk, or the first commits would wait for that. */
export function copyFile(file: string, folder: string, name: string): string {
  const copy = join(folder, `${name}.db`);
  for (const end of ["", "-wal", "-shm"]) rmSync(copy + end, { force: true });
  copyFileSync(file, copy);
  const descriptor = openSync(copy, "r+");
  fsyncSync(descriptor);
  closeSync(descriptor);
  return copy;
}

async function fillFile(
  file: string,
  organizations: readonly string[],
  usersPerOrganization: number,
): Promise<void> {
  const storage = await sqliteStorage(file, { synchronous: "NORMAL" });
  await fillStorage(storage, organizations, usersPerOrganization);
  await storage.close();
}

/**
 * Gives each organization this many users in turn: through the storage port, some thousand a transaction, because the way in
 * which the rows get there is not measured.
 */
export async function fillStorage(
  storage: StorageAdapter,
  organizations: readonly string[],
  usersPerOrganization: number,
): Promise<void> {
  const slugs = listTagSlugs(usersPerOrganization);
  for (const organizationId of organizations) {
    await storage.transaction(organizationId, (tx) => addTagsAndTemplate(tx, slugs));
  }
  let batch: Customer[] = [];
  for (const customer of generateCustomers(usersPerOrganization)) {
    batch.push(customer);
    if (batch.length * organizations.length < USERS_AT_ONCE) continue;
    await addUsers(storage, organizations, batch);
    batch = [];
  }
  await addUsers(storage, organizations, batch);
}

function* addTagsAndTemplate(tx: StorageTransaction, slugs: readonly string[]): Step<void> {
  for (const [at, slug] of slugs.entries()) {
    const createdAt = EPOCH + at;
    yield* tx.insertTag({
      id: `utag_${at}`,
      slug,
      name: slug,
      description: null,
      color: "#64748B",
      createdAt,
      updatedAt: createdAt,
    });
  }
  const times = { createdAt: EPOCH, updatedAt: EPOCH };
  yield* tx.insertTemplate({
    id: TEMPLATE,
    key: null,
    name: "Coffee",
    type: "STAMP_CARD",
    maxStamps: 10,
    reward: null,
    design: null,
    earning: null,
    points: null,
    programVersion: 1,
    ...times,
  });
}

async function addUsers(
  storage: StorageAdapter,
  organizations: readonly string[],
  batch: readonly Customer[],
): Promise<void> {
  const assignments = batch.flatMap(({ ordinal, createdAt, tags }) =>
    tags.map((tag) => ({
      id: `uta_${ordinal}_${tag}`,
      userOrdinal: ordinal,
      // As they were added.
      tagOrdinal: tag + 1,
      createdAt,
    })),
  );
  for (const organizationId of organizations) {
    await storage.transaction(organizationId, function* (tx) {
      for (const customer of batch) {
        yield* tx.nextUser();
        yield* tx.insertUser(toStoredUser(customer), foldFields(customer));
      }
      for (const { ordinal, id, createdAt } of batch) {
        if (hasPass(ordinal)) yield* tx.insertPass(createStoredPass(ordinal, id, createdAt));
      }
      for (let at = 0; at < assignments.length; at += ASSIGNMENTS_AT_ONCE) {
        yield* tx.assignTags(assignments.slice(at, at + ASSIGNMENTS_AT_ONCE));
      }
    });
  }
}

function toStoredUser({ tags: _, ...customer }: Customer): StoredUser {
  return { ...customer, metadata: "{}", updatedAt: customer.createdAt };
}

function createStoredPass(ordinal: number, userId: string, createdAt: number): StoredPass {
  const emptyCard = { currentStamps: 0, timesCompleted: 0, rewardsAvailable: 0, totalStampsCollected: 0 };
  return {
    id: passId(ordinal),
    userId,
    templateId: TEMPLATE,
    code: `code-${ordinal}`,
    isPreviewPass: false,
    installationStatus: null,
    card: { maxStamps: 10, ...emptyCard, lastStampAt: null, visits: "[]", entries: 0 },
    createdAt,
    updatedAt: createdAt,
  };
}

/** The columns that searches and sorts use. */
export function foldFields({ email, name, phone, externalId }: Omit<Customer, "tags">) {
  return {
    email: email.toLowerCase(),
    writtenEmail: null,
    name: name.toLowerCase(),
    phone: phone.toLowerCase(),
    externalId: externalId.toLowerCase(),
  };
}
