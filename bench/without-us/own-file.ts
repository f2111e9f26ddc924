import { existsSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { generateCustomers, hasPass, listTagSlugs, passId } from "../customers.js";
import { foldFields } from "../our-file.js";

/** How many users one row of bits covers. */
export const USERS_OF_CHUNK = 15_360;

/** The set of all users. Tags count from 1. */
export const ALL_USERS = 0;

/** The stamp state of the passes' cards. */
const MAX_STAMPS = 10;

/**
 * The tables that a good engineer would create without the library, for one company: a table for each resource, a trigram index
 * for searches, the bits of tags for counts, events for other systems. Filled with the same customers and created if missing.
 * Copy it before you change it.
 */
export function createOwnFile(folder: string, users: number): string {
  const file = join(folder, `own-${users}.db`);
  if (!existsSync(file)) fillFile(file, users);
  return file;
}

/** @returns the file, created again with the tags of this many customers, and without a customer. */
export function createEmptyOwnFile(file: string, users: number): string {
  const db = createTables(file);
  addTags(db, listTagSlugs(users));
  db.close();
  return file;
}

function createTables(file: string): Database.Database {
  const db = new Database(file);
  db.pragma("journal_mode = WAL");
  db.exec(`
    create table users (number integer primary key, id text not null unique, email text not null, name text, phone text,
      external_id text unique, metadata text not null, created_at integer not null, updated_at integer not null,
      email_fold text not null unique, name_fold text);
    create index users_by_name on users (name_fold, number);
    create virtual table users_search using fts5 (text, content = '', contentless_delete = 1, tokenize = 'trigram');
    create table tags (number integer primary key, slug text not null unique, name text not null);
    create table user_tags (tag integer, user integer, created_at integer not null, primary key (tag, user)) without rowid;
    create index tags_of_user on user_tags (user, tag);
    create table tag_bits (tag integer, chunk integer, bits blob not null, primary key (tag, chunk)) without rowid;
    create table passes (id text primary key, user integer not null, max_stamps integer not null,
      current_stamps integer not null, times_completed integer not null, rewards_available integer not null,
      total_stamps integer not null, entries integer not null, last_stamp_at integer, created_at integer not null)
      without rowid;
    create index passes_of_user on passes (user);
    create table stamps (pass text, sequence integer, type text not null, delta integer not null, stamps_before integer
      not null, stamps_after integer not null, completions integer not null, note text, created_at integer not null,
      primary key (pass, sequence)) without rowid;
    create table events (position integer primary key, id text not null, type text not null, created_at integer not null,
      data text not null);`);
  return db;
}

function addTags(db: Database.Database, slugs: readonly string[]): void {
  const add = db.prepare("insert into tags (slug, name) values (?, ?)");
  for (const slug of slugs) add.run(slug, slug);
}

function fillFile(file: string, users: number): void {
  const db = createTables(file);
  db.pragma("synchronous = OFF");
  db.transaction(() => {
    addTags(db, listTagSlugs(users));
    const user = db.prepare("insert into users values (?, ?, ?, ?, ?, ?, '{}', ?, ?, ?, ?)");
    const text = db.prepare("insert into users_search (rowid, text) values (?, ?)");
    const assign = db.prepare("insert into user_tags values (?, ?, ?)");
    const pass = db.prepare(`insert into passes values (?, ?, ${MAX_STAMPS}, 0, 0, 0, 0, 0, null, ?)`);
    const bits = new Map<string, Uint8Array>();
    for (const customer of generateCustomers(users)) {
      const { ordinal, id, email, name, phone, externalId, createdAt, tags } = customer;
      const folds = foldFields(customer);
      user.run(
        ...[ordinal, id, email, name, phone, externalId, createdAt, createdAt, folds.email, folds.name],
      );
      text.run(ordinal, Object.values(folds).join("\n"));
      for (const tag of tags) assign.run(tag + 1, ordinal, createdAt);
      for (const bitSet of [ALL_USERS, ...tags.map((tag) => tag + 1)]) setBit(bits, bitSet, ordinal);
      if (hasPass(ordinal)) pass.run(passId(ordinal), ordinal, createdAt);
    }
    const chunk = db.prepare("insert into tag_bits values (?, ?, ?)");
    for (const [chunkKey, bitSet] of bits) chunk.run(...chunkKey.split("/").map(Number), bitSet);
  })();
  db.exec("analyze");
  db.close();
}

function setBit(bits: Map<string, Uint8Array>, setId: number, user: number): void {
  const chunkKey = `${setId}/${Math.floor(user / USERS_OF_CHUNK)}`;
  const chunk = bits.get(chunkKey) ?? new Uint8Array(USERS_OF_CHUNK / 8);
  bits.set(chunkKey, chunk);
  const bit = user % USERS_OF_CHUNK;
  chunk[bit >>> 3] = (chunk[bit >>> 3] ?? 0) | (1 << (bit & 7));
}
