import Database from "better-sqlite3";
import { v7 } from "uuid";
import type { NewCustomer } from "../hand-written.js";
import { ALL_USERS, USERS_OF_CHUNK } from "./own-file.js";

interface UserRow {
  readonly number: number;
  readonly id: string;
}

interface TagRow {
  readonly number: number;
  readonly slug: string;
  readonly name: string;
}

interface PassRow {
  readonly max_stamps: number;
  readonly current_stamps: number;
  readonly times_completed: number;
  readonly rewards_available: number;
  readonly total_stamps: number;
  readonly entries: number;
}

/**
 * The writes of a program without the library, on its own tables: each statement prepared once, each change on the disk before it
 * is confirmed, and nothing that this one company does not need.
 */
export class OwnProgram {
  private readonly db: Database.Database;
  private readonly statements: ReturnType<typeof prepareStatements>;

  constructor(file: string) {
    this.db = new Database(file);
    this.db.pragma("journal_mode = WAL");
    this.db.pragma("synchronous = FULL");
    this.statements = prepareStatements(this.db);
  }

  close(): void {
    this.db.close();
  }

  createTag(slug: string): void {
    this.statements.addTag.run(slug, slug);
  }

  createUser(user: NewCustomer): void {
    this.runInTransaction(() => this.addUser(user));
  }

  assign(userId: string, slug: string): void {
    this.runInTransaction(() => this.giveTag(this.getUser(userId), this.getTag(slug)));
  }

  addStamp(passId: string): void {
    this.runInTransaction(() => this.addStampTo(passId));
  }

  /** All of them in one transaction. */
  createUsers(users: readonly NewCustomer[]): void {
    this.runInTransaction(() => {
      for (const user of users) this.addUser(user);
    });
  }

  /** All of them in one transaction. */
  assignAll(pairs: readonly (readonly [userId: string, slug: string])[]): void {
    this.runInTransaction(() => {
      for (const [userId, slug] of pairs) this.giveTag(this.getUser(userId), this.getTag(slug));
    });
  }

  /** One stamp each, all of them in one transaction. */
  addStamps(passIds: readonly string[]): void {
    this.runInTransaction(() => {
      for (const passId of passIds) this.addStampTo(passId);
    });
  }

  /** Imports customers with their tags, many in a transaction, and writes each set of bits once in it. */
  import(users: readonly NewCustomer[]): void {
    const tags = new Map<string, TagRow>();
    const bits = new Map<string, Uint8Array>();
    this.runInTransaction(() => {
      for (const user of users) {
        const addedUser = this.insertUser(user);
        this.include(bits, ALL_USERS, addedUser.number);
        for (const slug of user.tags) {
          const tag = tags.get(slug) ?? this.getTag(slug);
          tags.set(slug, tag);
          this.insertAssignment(addedUser, tag);
          this.include(bits, tag.number, addedUser.number);
        }
      }
      this.putBits(bits);
    });
  }

  /** Counts the events of each type. */
  countEvents(): Record<string, number> {
    return Object.fromEntries(this.statements.told.all().map(({ type, number }) => [type, number]));
  }

  private runInTransaction(work: () => void): void {
    const { begin, commit, rollback } = this.statements;
    begin.run();
    try {
      work();
      commit.run();
    } catch (error) {
      rollback.run();
      throw error;
    }
  }

  private addUser(user: NewCustomer): void {
    const addedUser = this.insertUser(user);
    this.setBit(ALL_USERS, addedUser.number);
  }

  private insertUser({ email, name, phone, externalId, metadata }: NewCustomer): UserRow {
    const { addUser, addText } = this.statements;
    const now = Date.now();
    const id = `usr_${v7()}`;
    const folds = [email, name, phone, externalId].map((text) => text.toLowerCase());
    const { lastInsertRowid } = addUser.run(
      ...[id, email, name, phone, externalId, JSON.stringify(metadata), now, now, folds[0], folds[1]],
    );
    const number = Number(lastInsertRowid);
    addText.run(number, folds.join("\n"));
    const time = new Date(now).toISOString();
    const publicUser = { id, email, name, phone, externalId, metadata, createdAt: time, updatedAt: time };
    this.recordEvent("user.created", publicUser, now);
    return { number, id };
  }

  private giveTag(user: UserRow, tag: TagRow): void {
    this.insertAssignment(user, tag);
    this.setBit(tag.number, user.number);
  }

  private insertAssignment(user: UserRow, tag: TagRow): void {
    const now = Date.now();
    this.statements.addAssignment.run(tag.number, user.number, now);
    this.recordEvent("user_tag.assigned", { userId: user.id, tag: { slug: tag.slug, name: tag.name } }, now);
  }

  private addStampTo(passId: string): void {
    const { pass: passById, addEntry, setCard } = this.statements;
    const pass = passById.get(passId);
    if (pass === undefined) throw new Error(`no pass ${passId}`);
    const now = Date.now();
    const { max_stamps: maxStamps, current_stamps: before, entries } = pass;
    const completions = Math.floor((before + 1) / maxStamps);
    const after = (before + 1) % maxStamps;
    const timesCompleted = pass.times_completed + completions;
    const rewards = pass.rewards_available + completions;
    const total = pass.total_stamps + 1;
    addEntry.run(passId, entries + 1, "added", 1, before, after, completions, null, now);
    setCard.run(after, timesCompleted, rewards, total, entries + 1, now, passId);
    const card = { passId, currentStamps: after, timesCompleted, rewards, total, lastStampAt: now };
    this.recordEvent("stamp.added", card, now);
    for (let times = 0; times < completions; times += 1) this.recordEvent("stamp_card.completed", card, now);
  }

  private getUser(id: string): UserRow {
    const user = this.statements.user.get(id);
    if (user === undefined) throw new Error(`no user ${id}`);
    return user;
  }

  private getTag(slug: string): TagRow {
    const tag = this.statements.tag.get(slug);
    if (tag === undefined) throw new Error(`no tag ${slug}`);
    return tag;
  }

  private recordEvent(type: string, data: object, now: number): void {
    this.statements.addEvent.run(`evt_${v7()}`, type, now, JSON.stringify(data));
  }

  private setBit(setId: number, user: number): void {
    const bits = new Map<string, Uint8Array>();
    this.include(bits, setId, user);
    this.putBits(bits);
  }

  private include(bits: Map<string, Uint8Array>, setId: number, user: number): void {
    const chunk = Math.floor(user / USERS_OF_CHUNK);
    const chunkKey = `${setId}/${chunk}`;
    const found =
      bits.get(chunkKey) ??
      this.statements.bits.get(setId, chunk)?.bits ??
      new Uint8Array(USERS_OF_CHUNK / 8);
    bits.set(chunkKey, found);
    const bit = user % USERS_OF_CHUNK;
    found[bit >>> 3] = (found[bit >>> 3] ?? 0) | (1 << (bit & 7));
  }

  private putBits(bits: ReadonlyMap<string, Uint8Array>): void {
    for (const [chunkKey, chunk] of bits)
      this.statements.putBits.run(...chunkKey.split("/").map(Number), chunk);
  }
}

function prepareStatements(db: Database.Database) {
  return {
    begin: db.prepare("begin immediate"),
    commit: db.prepare("commit"),
    rollback: db.prepare("rollback"),
    user: db.prepare<[string], UserRow>("select number, id from users where id = ?"),
    tag: db.prepare<[string], TagRow>("select * from tags where slug = ?"),
    pass: db.prepare<[string], PassRow>("select * from passes where id = ?"),
    bits: db.prepare<[number, number], { bits: Buffer }>(
      "select bits from tag_bits where tag = ? and chunk = ?",
    ),
    addUser: db.prepare(
      `insert into users (id, email, name, phone, external_id, metadata, created_at, updated_at, email_fold, name_fold)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    addTag: db.prepare("insert into tags (slug, name) values (?, ?)"),
    addText: db.prepare("insert into users_search (rowid, text) values (?, ?)"),
    addAssignment: db.prepare("insert into user_tags values (?, ?, ?)"),
    putBits: db.prepare(
      "insert into tag_bits values (?, ?, ?) on conflict (tag, chunk) do update set bits = excluded.bits",
    ),
    addEntry: db.prepare("insert into stamps values (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
    setCard: db.prepare(
      `update passes set current_stamps = ?, times_completed = ?, rewards_available = ?, total_stamps = ?, entries = ?,
        last_stamp_at = ? where id = ?`,
    ),
    addEvent: db.prepare("insert into events (id, type, created_at, data) values (?, ?, ?, ?)"),
    told: db.prepare<[], { type: string; number: number }>(
      "select type, count(*) as number from events group by type",
    ),
  };
}
