import { rmSync } from "node:fs";
import Database from "better-sqlite3";
import { sqliteStorage } from "loyalty-kit/sqlite";

export const ORGANIZATION = "acme";

/** Each tag, and the share of the users who have it. `rare` is about a hundred users whatever their number. */
export const shares = {
  half: () => 0.5,
  many: () => 0.4,
  some: () => 0.3,
  few: () => 0.2,
  tenth: () => 0.1,
  twentieth: () => 0.05,
  most: () => 0.6,
  rare: (users: number) => 100 / users,
} as const satisfies Record<string, (users: number) => number>;

export type TagName = keyof typeof shares;

export interface Customer {
  readonly ordinal: number;
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly externalId: string;
  readonly createdAt: number;
  readonly tags: readonly number[];
}

const EPOCH = Date.UTC(2026, 0, 1);

/** The same customers in every run: numbers from a fixed linear congruential generator. */
export function* customers(users: number): Generator<Customer> {
  let state = 20_260_101;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const chances = Object.values(shares).map((share) => share(users));
  for (let ordinal = 0; ordinal < users; ordinal += 1) {
    const tags = chances.flatMap((chance, tag) => (random() < chance ? [tag] : []));
    yield {
      ordinal,
      id: `usr_019b76da-a800-7000-8000-${ordinal.toString(16).padStart(12, "0")}`,
      email: `customer-${ordinal}@example.com`,
      name: `Customer ${ordinal}`,
      externalId: `c-${ordinal}`,
      createdAt: EPOCH + ordinal,
      tags,
    };
  }
}

/** Our file. Rows go in by SQL, since this is not what is measured; the segments are made by the library. */
export async function writeOurFile(file: string, users: number): Promise<void> {
  removeFile(file);
  await (await sqliteStorage(file)).close();
  const db = new Database(file);
  db.pragma("synchronous = OFF");
  db.transaction(() => {
    const tag = db.prepare(
      "insert into loyalty_user_tags (organization_id, id, ordinal, slug, name, description, color, created_at, updated_at) values (?, ?, ?, ?, ?, null, '#64748B', ?, ?)",
    );
    for (const [at, name] of Object.keys(shares).entries()) {
      tag.run(ORGANIZATION, `utag_${at}`, at + 1, name, name, EPOCH, EPOCH);
    }
    const user = db.prepare(
      `insert into loyalty_users (organization_id, id, ordinal, email, name, phone, external_id, metadata, created_at, updated_at,
       email_fold, name_fold, phone_fold, external_id_fold) values (?, ?, ?, ?, ?, null, ?, '{}', ?, ?, ?, ?, null, ?)`,
    );
    const assign = db.prepare(
      "insert into loyalty_user_tag_assignments (organization_id, user_ordinal, tag_ordinal, id, created_at) values (?, ?, ?, ?, ?)",
    );
    let last: Customer | undefined;
    for (const each of customers(users)) {
      const { ordinal, id, email, name, externalId, createdAt, tags } = each;
      const folds = [email, name.toLowerCase(), externalId];
      user.run(ORGANIZATION, id, ordinal, email, name, externalId, createdAt, createdAt, ...folds);
      for (const at of tags) assign.run(ORGANIZATION, ordinal, at + 1, `uta_${ordinal}_${at}`, createdAt);
      last = each;
    }
    db.prepare(
      "insert into loyalty_organizations (organization_id, next_user_ordinal, newest_user_id, newest_user_created_at, next_tag_ordinal) values (?, ?, ?, ?, ?)",
    ).run(ORGANIZATION, users, last?.id ?? null, last?.createdAt ?? null, Object.keys(shares).length + 1);
  })();
  db.exec("analyze");
  db.close();
  const storage = await sqliteStorage(file);
  await storage.transaction((tx) => tx.rebuildSegments(ORGANIZATION));
  await storage.close();
}

/** The peer's file, as one would write it by hand: integer keys, an index for each direction of the assignments. */
export function writePeerFile(file: string, users: number): Database.Database {
  removeFile(file);
  const db = new Database(file);
  db.pragma("journal_mode = WAL");
  db.exec(`
    create table users (ordinal integer primary key, id text not null unique, email text not null unique, name text,
      phone text, external_id text unique, metadata text not null, created_at integer not null, updated_at integer not null);
    create table user_tags (tag integer, user integer, primary key (tag, user)) without rowid;
    create index tags_of_user on user_tags (user, tag);`);
  db.transaction(() => {
    const user = db.prepare("insert into users values (?, ?, ?, ?, null, ?, '{}', ?, ?)");
    const assign = db.prepare("insert into user_tags values (?, ?)");
    for (const { ordinal, id, email, name, externalId, createdAt, tags } of customers(users)) {
      user.run(ordinal, id, email, name, externalId, createdAt, createdAt);
      for (const tag of tags) assign.run(tag, ordinal);
    }
  })();
  db.exec("analyze");
  return db;
}

function removeFile(file: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
}
