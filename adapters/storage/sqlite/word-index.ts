import { type Kysely, sql } from "kysely";
import type { Step } from "../../../src/base/concurrency/step.js";
import { BLOCK_SIZE, FOLD_SEPARATOR, getBlockRange, toBlock } from "../kysely/contacts/search-blocks.js";
import { findFirst, prepare, type Session, type Slot } from "../kysely/session/session.js";
import type { SearchIndex } from "../kysely/sql/search-index.js";
import type { Tables } from "../kysely/sql/tables.js";
import { createOrganizationNumbers } from "./organization-numbers.js";

/**
 * Size of a block's header, in bytes. For each place in the block, it has the end of that place's text as a little-endian 32-bit
 * number.
 */
const HEADER_BYTES = BLOCK_SIZE * 4;

/** Prefix of the codes for units that have no short code. */
const LONG_CODE_PREFIX = "zz";

/** Codes for the first 128 UTF-16 units. No code is a prefix of another, so a sequence of codes is unambiguous. */
const codes: readonly string[] = Array.from({ length: 128 }, (_, unit) => formatShortCode(unit));

/** Maximum number of ordinals or blocks that one statement reads, because a statement blocks the process until it is done. */
const MAX_ORDINALS_PER_QUERY = 2 ** 18;
const MAX_BLOCKS_PER_QUERY = 64;

/** Approximate size of a page of index words, in bytes. Four fit into a database page. */
const WORD_PAGE_BYTES = 1_000;

interface UserKey {
  number: number;
  ordinal: number;
}

interface BlockKey {
  organizationId: string;
  block: number;
}

/**
 * Creates the search index, which uses SQLite's full-text search (FTS5). It indexes each string as an ordered list of
 * three-character pieces. A search term becomes a phrase of such pieces, so its matches need no second check. A single FTS5 index
 * serves all organizations. The cost of a search doesn't depend on how many other organizations there are, because words start with
 * an organization prefix and a row ID is the organization's number times 2^32 plus the user's ordinal. The full strings are stored
 * next to the index, block by block, for terms that are too short or match many users.
 */
export function createWordIndex(db: Kysely<Tables>): SearchIndex {
  const tables = [
    // The index stores no content, because the users' rows already have the texts.
    sql`create virtual table loyalty_user_words using fts5
      (words, content='', contentless_delete=1, detail=full, tokenize='ascii')`,
    // FTS5 fixes the number of pages that a merge step processes, so smaller pages make a step shorter.
    sql`insert into loyalty_user_words (loyalty_user_words, rank) values ('pgsz', ${sql.lit(WORD_PAGE_BYTES)})`,
    sql`create table loyalty_search_organizations
      (number integer primary key, organization_id text not null unique) strict`,
    sql`create table loyalty_search_texts
      (organization_id text not null, block integer not null, texts blob not null,
        primary key (organization_id, block)) strict, without rowid`,
  ].map((statement) => statement.compile(db));

  const numbers = createOrganizationNumbers(db);

  const insert = prepare((slot: Slot<UserKey & { words: string }>) =>
    toCompilable(
      sql`insert into loyalty_user_words (rowid, words) values (${buildRowId(slot)}, ${slot("words")})`,
    ),
  );

  const remove = prepare((slot: Slot<UserKey>) =>
    toCompilable(sql`delete from loyalty_user_words where rowid = ${buildRowId(slot)}`),
  );

  const selectMatches = prepare(
    (slot: Slot<{ number: number; phrase: string; from: number; to: number; limit: number }>) =>
      toCompilable<{ ordinals: string }>(
        sql`select json_group_array(rowid & 4294967295) as ordinals from (
          select rowid from loyalty_user_words where loyalty_user_words match ${slot("phrase")}
          and rowid >= (cast(${slot("number")} as integer) << 32) + cast(${slot("from")} as integer)
          and rowid < (cast(${slot("number")} as integer) << 32) + cast(${slot("to")} as integer)
          limit +${slot("limit")})`,
      ),
  );

  const selectTexts = prepare((slot: Slot<BlockKey>) =>
    toCompilable<{ texts: Uint8Array }>(
      sql`select texts from loyalty_search_texts
        where organization_id = ${slot("organizationId")} and block = ${slot("block")}`,
    ),
  );

  const selectTextsFrom = prepare((slot: Slot<BlockKey & { limit: number }>) =>
    toCompilable<{ block: number; texts: Uint8Array }>(
      sql`select block, texts from loyalty_search_texts
        where organization_id = ${slot("organizationId")} and block >= ${slot("block")}
        order by block limit +${slot("limit")}`,
    ),
  );

  const putTexts = prepare((slot: Slot<BlockKey & { texts: Uint8Array }>) =>
    toCompilable(
      sql`insert into loyalty_search_texts (organization_id, block, texts)
        values (${slot("organizationId")}, ${slot("block")}, ${slot("texts")})
        on conflict (organization_id, block) do update set texts = excluded.texts`,
    ),
  );

  const selectMatch = prepare((slot: Slot<UserKey & { phrase: string }>) =>
    toCompilable<{ rowid: number }>(
      sql`select rowid from loyalty_user_words
        where loyalty_user_words match ${slot("phrase")} and rowid = ${buildRowId(slot)}`,
    ),
  );

  const clearTexts = prepare((slot: Slot<{ organizationId: string }>) =>
    toCompilable(sql`delete from loyalty_search_texts where organization_id = ${slot("organizationId")}`),
  );

  const clearWords = prepare((slot: Slot<{ number: number }>) =>
    toCompilable(
      sql`delete from loyalty_user_words where rowid >= cast(${slot("number")} as integer) << 32
        and rowid < (cast(${slot("number")} as integer) + 1) << 32`,
    ),
  );

  function toCompilable<Row>(query: ReturnType<typeof sql<Row>>) {
    return { compile: () => query.compile(db) };
  }

  /** Removes a user's words and replaces their text; null removes the text. */
  function* replaceText(
    session: Session,
    organizationId: string,
    ordinal: number,
    text: string | null,
  ): Step<void> {
    const number = yield* numbers.find(session, organizationId);
    const block = toBlock(ordinal);
    const storedTexts = yield* findFirst(session, selectTexts({ organizationId, block }));
    if (number === null || storedTexts === null) throw new Error("the search index lacks a user");
    yield* session.change(remove({ number, ordinal }));
    if (text !== null) yield* session.change(insert({ number, ordinal, words: buildTokens(number, text) }));
    const { bytes } = new TextBlock(storedTexts.texts).with(ordinal - getBlockRange(block).from, text);
    yield* session.change(putTexts({ organizationId, block, texts: bytes }));
  }

  return {
    tables,
    scannedPerFound: 8,
    scannedPerLookup: 32,

    *add(session, organizationId, block, users) {
      const number = yield* numbers.getOrCreate(session, organizationId);
      const { from } = getBlockRange(block);
      const { bytes } = TextBlock.of(users.map(({ ordinal, searchText }) => [ordinal - from, searchText]));
      yield* session.change(putTexts({ organizationId, block, texts: bytes }));
      for (const { ordinal, searchText } of users) {
        yield* session.change(insert({ number, ordinal, words: buildTokens(number, searchText) }));
      }
    },

    change: (session, organizationId, { ordinal, searchText }) =>
      replaceText(session, organizationId, ordinal, searchText),

    remove: (session, organizationId, ordinal) => replaceText(session, organizationId, ordinal, null),

    *hasExactly(session, organizationId, block, users) {
      const number = yield* numbers.find(session, organizationId);
      const storedTexts = yield* findFirst(session, selectTexts({ organizationId, block }));
      if (number === null || storedTexts === null) return users.length === 0;
      const { from } = getBlockRange(block);
      const { bytes } = TextBlock.of(users.map(({ ordinal, searchText }) => [ordinal - from, searchText]));
      if (Buffer.compare(bytes, storedTexts.texts) !== 0) return false;
      for (const { ordinal, searchText } of users) {
        const phrase = buildTokens(number, searchText);
        if (phrase === "") continue;
        if ((yield* findFirst(session, selectMatch({ number, ordinal, phrase: `"${phrase}"` }))) === null)
          return false;
      }
      return true;
    },

    *clear(session, organizationId) {
      const number = yield* numbers.find(session, organizationId);
      if (number !== null) yield* session.change(clearWords({ number }));
      yield* session.change(clearTexts({ organizationId }));
    },

    *find({ session, organizationId }, term, end, limit) {
      const number = yield* numbers.find(session, organizationId);
      if (number === null) return [];
      const words = buildTokens(number, term);
      if (words === "") return null;
      const phrase = `"${words}"`;
      const matches: number[] = [];
      for (let from = 0; from < end; from += MAX_ORDINALS_PER_QUERY) {
        const window = { from, to: from + MAX_ORDINALS_PER_QUERY, limit: limit + 1 - matches.length };
        const row = yield* findFirst(session, selectMatches({ number, phrase, ...window }));
        const ordinals: number[] = JSON.parse(row?.ordinals ?? "[]");
        if (matches.length + ordinals.length > limit) return null;
        for (const ordinal of ordinals) matches.push(ordinal);
      }
      return matches;
    },

    *scan({ session, organizationId }, term) {
      const searchBytes = toSearchBytes(term);
      const matches: number[] = [];
      for (let block = 0; ; ) {
        const rows = yield* session.all(
          selectTextsFrom({ organizationId, block, limit: MAX_BLOCKS_PER_QUERY }),
        );
        for (const row of rows) {
          new TextBlock(row.texts).appendMatches(searchBytes, getBlockRange(row.block).from, matches);
          block = row.block + 1;
        }
        if (rows.length < MAX_BLOCKS_PER_QUERY) return matches;
      }
    },
  };
}

/** Returns the row ID. Numbers are bound as reals, which can't be shifted, so they are cast to integers. */
function buildRowId(slot: Slot<UserKey>) {
  return sql`(cast(${slot("number")} as integer) << 32) + cast(${slot("ordinal")} as integer)`;
}

/**
 * Returns a string's index words, in order. Each word consists of an organization prefix and three consecutive UTF-16 code units (a
 * trigram). Different trigrams have different words, and a substring's words appear consecutively among the words of the whole
 * string, so a phrase query matches exactly the strings that contain the term. Returns an empty string if `text` has fewer than
 * three code units.
 */
export function buildTokens(organization: number, text: string): string {
  const prefix = formatPrefix(organization);
  let words = "";
  let [first, second] = [getCode(text, 0), getCode(text, 1)];
  for (let at = 2; at < text.length; at += 1) {
    const third = getCode(text, at);
    words += `${prefix}${first}${second}${third} `;
    [first, second] = [second, third];
  }
  return words;
}

/** Formats the organization's number with its length in front, so that no prefix is the beginning of another. */
function formatPrefix(organization: number): string {
  const digits = organization.toString(36);
  return digits.length.toString(36) + digits;
}

function getCode(text: string, at: number): string {
  const unit = text.charCodeAt(at);
  return codes[unit] ?? formatLongCode(unit);
}

/**
 * Returns the code of a unit. Digits and lowercase letters except z stand for themselves; other common characters are two
 * characters that start with z.
 */
function formatShortCode(unit: number): string {
  const character = String.fromCharCode(unit);
  if (/[a-y0-9]/.test(character)) return character;
  const common = "zA @.-_+'/()&,:%\"#".indexOf(character);
  return common < 0 ? formatLongCode(unit) : `z${common.toString(36)}`;
}

/** Returns the long code of a unit. Four base-36 digits can hold every unit. */
function formatLongCode(unit: number): string {
  return LONG_CODE_PREFIX + unit.toString(36).padStart(4, "0");
}

/**
 * The search text of a block of users, concatenated because searching one buffer is many times faster than searching one row per
 * user. Each user's text is encoded in UTF-8 and ends with a separator that no search term contains. A position without a user has
 * an empty text and no separator.
 */
export class TextBlock {
  readonly #ends: DataView;
  readonly #texts: Buffer;

  constructor(readonly bytes: Uint8Array) {
    const { buffer, byteOffset, byteLength } = bytes;
    this.#ends = new DataView(buffer, byteOffset, HEADER_BYTES);
    this.#texts = Buffer.from(buffer, byteOffset + HEADER_BYTES, byteLength - HEADER_BYTES);
  }

  /**
   * Builds a block.
   * @param texts pairs of a user's position in the block and that user's search text, in ascending order of position.
   */
  static of(texts: Iterable<readonly [place: number, text: string]>): TextBlock {
    const parts: Buffer[] = [];
    const lengths = new Uint32Array(BLOCK_SIZE);
    for (const [position, text] of texts) {
      const part = Buffer.from(text + FOLD_SEPARATOR);
      parts.push(part);
      lengths[position] = part.length;
    }
    const bytes = Buffer.concat([Buffer.alloc(HEADER_BYTES), ...parts]);
    let end = 0;
    for (const [position, length] of lengths.entries()) {
      end += length;
      bytes.writeUInt32LE(end, position * 4);
    }
    return new TextBlock(bytes);
  }

  /** Returns a copy of the block in which the text at a position is replaced, or removed if `text` is `null`. */
  with(position: number, text: string | null): TextBlock {
    const part = Buffer.from(text === null ? "" : text + FOLD_SEPARATOR);
    const [from, to] = [this.#readEnd(position - 1), this.#readEnd(position)];
    const header = Buffer.from(this.bytes.subarray(0, HEADER_BYTES));
    for (let index = position; index < BLOCK_SIZE; index += 1) {
      header.writeUInt32LE(this.#readEnd(index) + part.length - (to - from), index * 4);
    }
    return new TextBlock(
      Buffer.concat([header, this.#texts.subarray(0, from), part, this.#texts.subarray(to)]),
    );
  }

  /**
   * Finds the positions at which the user's search text contains the term, and appends each position plus `first` to `matches`.
   * @param term the term, as returned by {@link toSearchBytes}.
   */
  appendMatches(term: string, first: number, matches: number[]): void {
    const texts = this.#texts.toString("latin1");
    let position = 0;
    for (let at = texts.indexOf(term); at >= 0; at = texts.indexOf(term, this.#readEnd(position))) {
      while (this.#readEnd(position) <= at) position += 1;
      matches.push(first + position);
    }
  }

  #readEnd(position: number): number {
    return position < 0 ? 0 : this.#ends.getUint32(position * 4, true);
  }
}

/** Converts a search term to a string with one character per UTF-8 byte, because blocks are searched byte by byte. */
export function toSearchBytes(term: string): string {
  return Buffer.from(term).toString("latin1");
}
