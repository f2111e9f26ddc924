import Database from "better-sqlite3";
import type { CreateUser } from "loyalty-kit";
import { v7 } from "uuid";
import {
  buildSearchText,
  findFirstUnindexed,
  getBlockRange,
  toBlock,
} from "../adapters/storage/kysely/contacts/search-blocks.js";
import { buildTokens, TextBlock } from "../adapters/storage/sqlite/word-index.js";
import { ORGANIZATION } from "./customers.js";
import { HandWrittenChange } from "./hand-written-change.js";

const ORDINALS_OF_CHUNK = 15_360;
const ALL_USERS = 0;

interface KeyedRow {
  readonly id: string;
  readonly ordinal: number;
}

interface TagRow extends KeyedRow {
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly color: string;
  readonly created_at: number;
  readonly updated_at: number;
}

interface PassRow {
  readonly id: string;
  readonly template_id: string;
  readonly max_stamps: number;
  readonly current_stamps: number;
  readonly times_completed: number;
  readonly rewards_available: number;
  readonly total_stamps_collected: number;
  readonly entries: number;
}

export interface NewCustomer extends Required<CreateUser> {
  readonly email: string;
  readonly name: string;
  readonly phone: string;
  readonly externalId: string;
  readonly tags: string[];
}

/**
 * Writes the same rows to the same tables as the library, as a developer would by hand with `better-sqlite3` for one
 * organization: each statement prepared once, one transaction for each call, no read that is not needed.
 */
export class HandWritten {
  protected readonly db: Database.Database;
  readonly #statements: ReturnType<typeof prepareStatements>;

  /** @param file a file that the library created. */
  constructor(file: string) {
    this.db = new Database(file);
    this.db.pragma("journal_mode = WAL");
    this.db.pragma("synchronous = FULL");
    this.#statements = prepareStatements(this.db);
  }

  close(): void {
    this.db.close();
  }

  createUser(user: NewCustomer): void {
    this.change((change) => {
      this.#addUser(change, user);
    });
  }

  /** All of them in one transaction. */
  createUsers(users: readonly NewCustomer[]): void {
    const tags = new Map<string, TagRow>();
    this.change((change) => {
      for (const [at, user] of users.entries()) {
        const addedUser = this.#addUser(change, user, users.length - at);
        for (const slug of user.tags) {
          const tag = tags.get(slug) ?? this.#tag(slug);
          tags.set(slug, tag);
          this.#giveTag(change, addedUser, tag);
        }
      }
    });
  }

  assign(userId: string, slug: string): void {
    this.assignAll([[userId, slug]]);
  }

  addStamp(passId: string): void {
    this.addStamps([passId]);
  }

  /** All of them in one transaction. */
  assignAll(pairs: readonly (readonly [userId: string, slug: string])[]): void {
    this.change((change) => {
      for (const [userId, slug] of pairs) {
        const user = this.#statements.user.get(ORGANIZATION, userId);
        if (user === undefined) throw new Error(`no user ${userId}`);
        this.#giveTag(change, user, this.#tag(slug));
      }
    });
  }

  /** One stamp each, all of them in one transaction. */
  addStamps(passIds: readonly string[]): void {
    this.change((change) => {
      for (const passId of passIds) this.#stamp(change, passId);
    });
  }

  protected change(work: (change: HandWrittenChange) => void): void {
    const { begin, commit, rollback } = this.#statements;
    begin.run();
    try {
      const change = new HandWrittenChange(this.db, this.#statements.change);
      work(change);
      change.writeChanges();
      commit.run();
    } catch (error) {
      rollback.run();
      throw error;
    }
  }

  #stamp(change: HandWrittenChange, passId: string): void {
    const pass = this.#statements.pass.get(ORGANIZATION, passId);
    if (pass === undefined) throw new Error(`no pass ${passId}`);
    const { max_stamps: maxStamps, current_stamps: before, entries } = pass;
    const completions = Math.floor((before + 1) / maxStamps);
    const after = (before + 1) % maxStamps;
    const timesCompleted = pass.times_completed + completions;
    const rewards = pass.rewards_available + completions;
    const stampsCollected = pass.total_stamps_collected + 1;
    const { addEntry, setCard } = this.#statements;
    addEntry.run(
      ...[ORGANIZATION, passId, entries + 1, `ste_${v7()}`, "added", 1, before, after],
      ...[completions, null, change.now],
    );
    setCard.run(
      after,
      timesCompleted,
      rewards,
      stampsCollected,
      change.now,
      entries + 1,
      ORGANIZATION,
      passId,
    );
    const card = {
      object: "stamp_card",
      walletPassId: passId,
      templateId: pass.template_id,
      currentStamps: after,
      maxStamps,
      totalStampsCollected: stampsCollected,
      timesCompleted,
      rewardsAvailable: rewards,
      lastStampAt: change.time,
    };
    change.recordEvent("stamp.added", card);
    for (let times = 0; times < completions; times += 1) change.recordEvent("stamp_card.completed", card);
  }

  /** @param upcomingCount how many users this transaction still adds, including this one. */
  #addUser(change: HandWrittenChange, { tags: _, ...user }: NewCustomer, upcomingCount = 1): KeyedRow {
    const { addUser } = this.#statements;
    const { now, time } = change;
    const id = `usr_${v7()}`;
    const ordinal = change.placeUser(id);
    const { email, name, phone, externalId, metadata } = user;
    const folds = {
      email: email.toLowerCase(),
      writtenEmail: null,
      name: name.toLowerCase(),
      phone: phone.toLowerCase(),
      externalId: externalId.toLowerCase(),
    };
    const searchText = buildSearchText(folds);
    addUser.run(
      ...[ORGANIZATION, id, ordinal, email, name, phone, externalId, JSON.stringify(metadata), now, now],
      ...[folds.email, folds.name, folds.externalId, searchText],
      ordinal < findFirstUnindexed(ordinal + upcomingCount) ? null : 1,
    );
    if (toBlock(ordinal + 1) > toBlock(ordinal)) this.#index(change.number, toBlock(ordinal));
    change.include(ALL_USERS, ordinal, ORDINALS_OF_CHUNK);
    const publicUser = { id, object: "user", email, name, phone, externalId, metadata };
    change.recordEvent("user.created", { ...publicUser, createdAt: time, updatedAt: time });
    return { id, ordinal };
  }

  #index(number: number, block: number): void {
    const { usersOfBlock, addWords, addTexts, enterOrders } = this.#statements;
    const { from, to } = getBlockRange(block);
    const users = usersOfBlock.all(ORGANIZATION, from, to);
    const { bytes } = TextBlock.of(users.map(({ ordinal, text }) => [ordinal - from, text]));
    addTexts.run(ORGANIZATION, block, bytes);
    for (const { ordinal, text } of users) addWords.run(number, ordinal, buildTokens(number, text));
    enterOrders.run(ORGANIZATION, from, to);
  }

  #giveTag(change: HandWrittenChange, user: KeyedRow, tag: TagRow): void {
    this.#statements.addAssignment.run(ORGANIZATION, user.ordinal, tag.ordinal, `uta_${v7()}`, change.now);
    change.include(tag.ordinal, user.ordinal, ORDINALS_OF_CHUNK);
    const { id, name, slug, description, color } = tag;
    const times = {
      createdAt: new Date(tag.created_at).toISOString(),
      updatedAt: new Date(tag.updated_at).toISOString(),
    };
    const userTag = { id, object: "UserTag", name, slug, description, color, ...times };
    change.recordEvent("user_tag.assigned", { userId: user.id, userTag });
  }

  #tag(slug: string): TagRow {
    const tag = this.#statements.tag.get(ORGANIZATION, slug);
    if (tag === undefined) throw new Error(`no tag ${slug}`);
    return tag;
  }
}

function prepareStatements(db: Database.Database) {
  return {
    begin: db.prepare("begin immediate"),
    commit: db.prepare("commit"),
    rollback: db.prepare("rollback"),
    change: HandWrittenChange.prepareStatements(db),
    user: db.prepare<[string, string], KeyedRow>(
      "select id, ordinal from loyalty_users where organization_id = ? and id = ?",
    ),
    tag: db.prepare<[string, string], TagRow>(
      "select * from loyalty_user_tags where organization_id = ? and slug = ?",
    ),
    pass: db.prepare<[string, string], PassRow>(
      "select * from loyalty_wallet_passes where organization_id = ? and id = ?",
    ),
    addUser: db.prepare(
      `insert into loyalty_users (organization_id, id, ordinal, email, name, phone, external_id, metadata, created_at,
        updated_at, email_fold, name_fold, external_id_fold, search_text, late) values (${placeholders(15)})`,
    ),
    enterOrders: db.prepare(
      `update loyalty_users set late = null
        where organization_id = ? and ordinal >= ? and ordinal < ? and late is not null`,
    ),
    usersOfBlock: db.prepare<[string, number, number], { ordinal: number; text: string }>(
      `select ordinal, search_text as text from loyalty_users
        where organization_id = ? and ordinal >= ? and ordinal < ? order by ordinal`,
    ),
    addWords: db.prepare(
      `insert into loyalty_user_words (rowid, words) values ((cast(? as integer) << 32) + cast(? as integer), ?)`,
    ),
    addTexts: db.prepare("insert into loyalty_search_texts (organization_id, block, texts) values (?, ?, ?)"),
    addAssignment: db.prepare(
      `insert into loyalty_user_tag_assignments (organization_id, user_ordinal, tag_ordinal, id, created_at)
        values (${placeholders(5)})`,
    ),
    addEntry: db.prepare(
      `insert into loyalty_stamp_entries (organization_id, pass_id, sequence, id, type, delta, stamps_before,
        stamps_after, completions, is_imported, note, created_at) values (${placeholders(9)}, 0, ?, ?)`,
    ),
    setCard: db.prepare(
      `update loyalty_wallet_passes set current_stamps = ?, times_completed = ?, rewards_available = ?,
        total_stamps_collected = ?, last_stamp_at = ?, entries = ? where organization_id = ? and id = ?`,
    ),
  };
}

export function placeholders(count: number): string {
  return Array.from({ length: count }, () => "?").join(", ");
}
