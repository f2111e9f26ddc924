import { existsSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { generateCustomers, hasPass, passId, TEMPLATE } from "./customers.js";
import { foldFields } from "./our-file.js";

/**
 * The peer's file with the same customers, as a developer would write it by hand: integer keys, an index for each direction of
 * the assignments and for the order of names, lower-cased columns to search. Created if missing.
 */
export function createPlainFile(folder: string, users: number): string {
  const file = join(folder, `plain-${users}.db`);
  if (!existsSync(file)) fillFile(file, users);
  return file;
}

/** A row of `users`, without the lower-cased columns. */
export interface PlainUser {
  readonly ordinal: number;
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly phone: string | null;
  readonly external_id: string | null;
  readonly metadata: string;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Builds the library's user from a row. */
export function toWireUser(user: Omit<PlainUser, "ordinal">) {
  return {
    id: user.id,
    object: "user",
    email: user.email,
    name: user.name,
    phone: user.phone,
    externalId: user.external_id,
    metadata: JSON.parse(user.metadata),
    createdAt: new Date(user.created_at).toISOString(),
    updatedAt: new Date(user.updated_at).toISOString(),
  };
}

/** @returns the file, created again without any customer. */
export function createEmptyPlainFile(file: string): string {
  createTables(file).close();
  return file;
}

function createTables(file: string): Database.Database {
  const db = new Database(file);
  db.pragma("journal_mode = WAL");
  db.exec(`
    create table users (ordinal integer primary key, id text not null unique, email text not null unique, name text,
      phone text, external_id text unique, metadata text not null, created_at integer not null, updated_at integer not null,
      email_fold text not null, name_fold text, phone_fold text, external_id_fold text);
    create table user_tags (tag integer, user integer, primary key (tag, user)) without rowid;
    create index tags_of_user on user_tags (user, tag);
    create table passes (id text primary key, user integer not null, template text not null) without rowid;
    create index passes_of_user on passes (user);
    create index users_by_name on users (name_fold, id);`);
  return db;
}

function fillFile(file: string, users: number): void {
  const db = createTables(file);
  db.pragma("synchronous = OFF");
  db.transaction(() => {
    const user = db.prepare("insert into users values (?, ?, ?, ?, ?, ?, '{}', ?, ?, ?, ?, ?, ?)");
    const assign = db.prepare("insert into user_tags values (?, ?)");
    const pass = db.prepare("insert into passes values (?, ?, ?)");
    for (const customer of generateCustomers(users)) {
      const { ordinal, id, email, name, phone, externalId, createdAt, tags } = customer;
      const folds = foldFields(customer);
      user.run(
        ...[ordinal, id, email, name, phone, externalId, createdAt, createdAt],
        ...[folds.email, folds.name, folds.phone, folds.externalId],
      );
      for (const tag of tags) assign.run(tag, ordinal);
      if (hasPass(ordinal)) pass.run(passId(ordinal), ordinal, TEMPLATE);
    }
  })();
  db.exec("analyze");
  db.close();
}
