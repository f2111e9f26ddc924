import type { StorageAdapter } from "loyalty-kit";
import { checkStorage, copyStorage, type StoredUser } from "loyalty-kit/storage";
import { describe, expect, it } from "vitest";
import {
  compareBy,
  directions,
  sortFields,
} from "../../adapters/testing/storage-suite/customers/contact-rule.js";
import { buildUserFolds } from "../../adapters/testing/storage-suite/kit/records.js";
import { runStep } from "../../src/base/concurrency/step.js";
import { Bitmap } from "../../src/storage/bitmap.js";
import type { ContactQuery } from "../../src/storage/contacts.js";
import { open, otherProgram } from "./open-storage.js";
import { createTemporaryFile } from "./temporary-file.js";

/** Users enter the indexes in blocks of this size. */
const BLOCK = 256;
/** A statement skips at most 10,000 users, so some pages take two statements. */
const MANY = 12_000;

const names = [null, "a", "A", "b", "é", "\uFFFF", "\u{10000}", "z", "ab"];

/**
 * Creates users with many ties, whose ids don't follow their ordinals. They fill many blocks, and the last
 * one isn't complete.
 */
function createUsers(count: number): StoredUser[] {
  return Array.from({ length: count }, (_, ordinal) => {
    const scattered = (ordinal * 7_919) % 10_007;
    return {
      id: `usr_${String(scattered).padStart(5, "0")}-${ordinal}`,
      ordinal,
      email: `${scattered}-${ordinal}@example.com`,
      name: names[scattered % names.length] ?? null,
      phone: null,
      externalId: scattered % 3 === 0 ? null : `${names[scattered % 7]}${ordinal}`,
      metadata: "{}",
      createdAt: ordinal,
      updatedAt: scattered % 50,
    };
  });
}

async function addUsers(storage: StorageAdapter, users: readonly StoredUser[]): Promise<void> {
  const rows = users.map((user) => ({ user, folds: buildUserFolds(user) }));
  await storage.transaction("acme", (tx) => tx.insertUsers(rows));
}

async function insertUser(storage: StorageAdapter, user: StoredUser): Promise<void> {
  await storage.transaction("acme", (tx) => tx.insertUser(user, buildUserFolds(user)));
}

/** Lists each sort order in both directions, with the expected users. */
function listOrders(users: readonly StoredUser[]) {
  return sortFields.flatMap((field) =>
    directions.map((direction) => ({
      sort: { field, direction },
      expected: users.toSorted(compareBy(field, direction)),
    })),
  );
}

async function listPage(
  storage: StorageAdapter,
  query: Pick<ContactQuery, "sort" | "offset" | "limit" | "among">,
) {
  const { users } = await runStep(
    storage.reader("acme").listContacts({ search: null, stamps: null, ...query }),
  );
  return users.map(({ id }) => id);
}

async function assertSorted(storage: StorageAdapter, users: readonly StoredUser[]): Promise<void> {
  for (const { sort, expected } of listOrders(users)) {
    const list = await listPage(storage, { sort, offset: 0, limit: users.length });
    expect([sort, list]).toEqual([sort, expected.map(({ id }) => id)]);
  }
}

/** Lists the ordinals of the users in the sort indexes. */
function listIndexed(file: string): unknown[] {
  return otherProgram(file)
    .prepare("select ordinal from loyalty_users where late is null order by ordinal")
    .pluck()
    .all();
}

/** Runs a check, and leaves out statistics, because these users were inserted without being counted. */
async function findFaults(storage: StorageAdapter): Promise<unknown[]> {
  return (await checkStorage(storage)).filter(({ kind }) => kind !== "statistics");
}

describe("users who aren't indexed yet", () => {
  it("enter the sort indexes when their block is complete, whether inserted one by one or together", async () => {
    const file = createTemporaryFile();
    const storage = await open(file);
    const users = createUsers(3 * BLOCK);
    await addUsers(storage, users.slice(0, 10));
    for (const user of users.slice(10, BLOCK - 1)) await insertUser(storage, user);
    expect(listIndexed(file)).toEqual([]);
    const [last] = users.slice(BLOCK - 1);
    if (last !== undefined) await insertUser(storage, last);
    expect(listIndexed(file)).toHaveLength(BLOCK);
    await addUsers(storage, users.slice(BLOCK, 3 * BLOCK - 1));
    expect(listIndexed(file)).toHaveLength(2 * BLOCK);
    expect(await findFaults(storage)).toEqual([]);
  });

  it("are on every page of every sort order, at any offset", async () => {
    const storage = await open(createTemporaryFile());
    const users = createUsers(MANY);
    await addUsers(storage, users);
    const offsets = [0, 1, 200, 4_000, 9_990, 10_200, 11_800, MANY - 3, MANY, MANY + 7];
    for (const { sort, expected } of listOrders(users)) {
      for (const offset of offsets) {
        const ids = expected.slice(offset, offset + 7).map(({ id }) => id);
        expect([sort, offset, await listPage(storage, { sort, offset, limit: 7 })]).toEqual([
          sort,
          offset,
          ids,
        ]);
      }
    }
  });

  it("are on every page of a list restricted to many users", async () => {
    const storage = await open(createTemporaryFile());
    const users = createUsers(30 * BLOCK + 100);
    await addUsers(storage, users);
    const some = users.filter(({ ordinal }) => ordinal % 10 > 0);
    const among = Bitmap.of(some.map(({ ordinal }) => ordinal));
    for (const { sort, expected } of listOrders(some)) {
      for (const offset of [0, 500, 3_000, some.length - 3]) {
        const ids = expected.slice(offset, offset + 7).map(({ id }) => id);
        const found = await listPage(storage, { sort, offset, limit: 7, among });
        expect([sort, offset, found]).toEqual([sort, offset, ids]);
      }
    }
  });

  it("are sorted by their changed values, and disappear when they are deleted", async () => {
    const file = createTemporaryFile();
    const storage = await open(file);
    let users = createUsers(BLOCK + 20);
    await addUsers(storage, users);
    const updateUser = async (at: number, fields: Partial<StoredUser>) => {
      users = users.map((user) => (user.ordinal === at ? { ...user, ...fields } : user));
      const user = users.find(({ ordinal }) => ordinal === at);
      if (user !== undefined)
        await storage.transaction("acme", (tx) => tx.updateUser(user, buildUserFolds(user)));
    };
    await updateUser(3, { name: "aa", updatedAt: 70, externalId: "Q" });
    await updateUser(BLOCK + 3, { name: "Aa", updatedAt: 71, externalId: null });
    await updateUser(BLOCK + 4, { name: null, updatedAt: 0, externalId: "r" });
    await assertSorted(storage, users);
    for (const ordinal of [5, BLOCK + 5, BLOCK + 19]) {
      const removedUser = users.find((user) => user.ordinal === ordinal);
      await storage.transaction("acme", (tx) => tx.deleteUser(removedUser?.id ?? ""));
      users = users.filter((user) => user !== removedUser);
    }
    await assertSorted(storage, users);
    const more = createUsers(2 * BLOCK).slice(BLOCK + 20);
    for (const user of more) await insertUser(storage, user);
    expect(listIndexed(file)).toHaveLength(users.length + more.length);
    await assertSorted(storage, [...users, ...more]);
    expect(await findFaults(storage)).toEqual([]);
  });

  it("enter the indexes of another file when they are copied", async () => {
    const source = await open(createTemporaryFile());
    const users = createUsers(BLOCK + 20);
    await addUsers(source, users);
    const file = createTemporaryFile();
    const target = await open(file);
    await copyStorage(source, target);
    expect(listIndexed(file)).toHaveLength(users.length);
    await assertSorted(target, users);
  });
});
