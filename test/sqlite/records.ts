import type { StorageAdapter } from "loyalty-kit";
import type { StorageTransaction, StoredTag, StoredUser } from "loyalty-kit/storage";
import { buildUserFolds } from "../../adapters/testing/storage-suite/kit/records.js";
import { runStep, type Step } from "../../src/base/concurrency/step.js";

let createdCount = 0;

/** Adds a user with the next ordinal of "acme". */
export function* addUser(tx: StorageTransaction, fields: Partial<StoredUser> = {}): Step<StoredUser> {
  createdCount += 1;
  const { ordinal, newest } = yield* tx.nextUser();
  const createdAt = (newest?.createdAt ?? 0) + 1;
  const email = `customer-${process.pid}-${createdCount}@example.com`;
  const user: StoredUser = {
    id: `usr_${process.pid}_${createdCount}`,
    ordinal,
    email,
    name: null,
    phone: null,
    externalId: null,
    metadata: "{}",
    createdAt,
    updatedAt: createdAt,
    ...fields,
  };
  yield* tx.insertUser(user, buildUserFolds(user));
  return user;
}

/** Adds this many users in one transaction. */
export function addUsers(storage: StorageAdapter, count: number): Promise<StoredUser[]> {
  return storage.transaction("acme", function* (tx) {
    const users: StoredUser[] = [];
    while (users.length < count) users.push(yield* addUser(tx));
    return users;
  });
}

export function* addTag(tx: StorageTransaction, slug: string): Step<StoredTag> {
  return yield* tx.insertTag({
    id: `utag_${slug}`,
    slug,
    name: slug,
    description: null,
    color: "#64748B",
    createdAt: 1,
    updatedAt: 1,
  });
}

export function* assign(tx: StorageTransaction, userOrdinal: number, tag: StoredTag): Step<void> {
  const id = `uta_${tag.slug}_${userOrdinal}`;
  yield* tx.assignTag({ id, userOrdinal, tagOrdinal: tag.ordinal, createdAt: userOrdinal });
}

/** Lists the slugs of all tags. */
export async function listSlugs(storage: StorageAdapter): Promise<string[]> {
  return (await runStep(storage.reader("acme").listTags())).map(({ slug }) => slug);
}
