import type { StorageAdapter, StorageTransaction, StoredTag, StoredUser } from "loyalty-kit";

let made = 0;

/** Adds a user at the next place of "acme". */
export async function addUser(tx: StorageTransaction, fields: Partial<StoredUser> = {}): Promise<StoredUser> {
  made += 1;
  const { ordinal, newest } = await tx.nextUser("acme");
  const createdAt = (newest?.createdAt ?? 0) + 1;
  const email = `customer-${process.pid}-${made}@example.com`;
  const user: StoredUser = {
    id: `usr_${process.pid}_${made}`,
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
  const folds = { email: user.email, name: user.name, phone: user.phone, externalId: user.externalId };
  await tx.insertUser("acme", user, folds);
  return user;
}

/** Adds as many users, in one transaction. */
export function addUsers(storage: StorageAdapter, count: number): Promise<StoredUser[]> {
  return storage.transaction(async (tx) => {
    const users: StoredUser[] = [];
    while (users.length < count) users.push(await addUser(tx));
    return users;
  });
}

export async function addTag(tx: StorageTransaction, slug: string): Promise<StoredTag> {
  const tag: StoredTag = {
    id: `utag_${slug}`,
    slug,
    name: slug,
    description: null,
    color: "#64748B",
    createdAt: 1,
    updatedAt: 1,
  };
  await tx.insertTag("acme", tag);
  return tag;
}

export async function assign(tx: StorageTransaction, userOrdinal: number, tag: StoredTag): Promise<void> {
  const id = `uta_${tag.slug}_${userOrdinal}`;
  await tx.assignTag("acme", { id, userOrdinal, tagId: tag.id, createdAt: userOrdinal });
}

/** The slugs of all tags. */
export async function slugsIn(storage: StorageAdapter): Promise<string[]> {
  return (await storage.listTags("acme")).map(({ slug }) => slug);
}
