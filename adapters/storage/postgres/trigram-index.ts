import { type Kysely, type RawBuilder, sql } from "kysely";
import { FOLD_SEPARATOR, getBlockRange } from "../kysely/contacts/search-blocks.js";
import { findFirst, prepare, type Slot } from "../kysely/session/session.js";
import type { SearchIndex } from "../kysely/sql/search-index.js";
import type { Tables } from "../kysely/sql/tables.js";

/** Maximum number of trigrams per term. More would hardly narrow a search in practice. */
const MAX_TRIGRAMS_PER_TERM = 32;

/** Number of trigrams to try first. They usually suffice, and each further trigram that many users have takes time. */
const INITIAL_TRIGRAMS_PER_TERM = 12;

interface UserKey {
  organizationId: string;
  ordinal: number;
}

/** Number of candidates above which more of the term's trigrams are used. */
const MAX_INITIAL_CANDIDATES = 200;

/**
 * Creates the search index, an inverted index (GIN) of trigrams. Each trigram is salted with its organization's ID, so the cost of
 * a search doesn't depend on how many other organizations there are. The trigrams are stored as integer arrays, so no Postgres
 * extension is needed.
 */
export function createTrigramIndex(db: Kysely<Tables>, tableEnd: RawBuilder<unknown>): SearchIndex {
  const tables = [
    sql`create table loyalty_user_pieces (
      organization_id text collate "C" not null,
      ordinal bigint not null,
      pieces integer[] not null,
      constraint loyalty_user_pieces_key primary key (organization_id, ordinal)
    ) ${tableEnd}`,
    sql`create index loyalty_user_pieces_pieces on loyalty_user_pieces using gin (pieces)`,
  ].map((statement) => statement.compile(db));

  const insert = prepare((slot: Slot<{ organizationId: string; users: string }>) =>
    toCompilable(
      sql`insert into loyalty_user_pieces (organization_id, ordinal, pieces)
        select ${slot("organizationId")}, ordinal, pieces
        from jsonb_to_recordset(${slot("users")}::jsonb) as users (ordinal bigint, pieces integer[])`,
    ),
  );

  const update = prepare((slot: Slot<UserKey & { pieces: readonly number[] }>) =>
    toCompilable(
      sql`update loyalty_user_pieces set pieces = ${slot("pieces")}
        where organization_id = ${slot("organizationId")} and ordinal = ${slot("ordinal")}`,
    ),
  );

  const remove = prepare((slot: Slot<UserKey>) =>
    toCompilable(
      sql`delete from loyalty_user_pieces
        where organization_id = ${slot("organizationId")} and ordinal = ${slot("ordinal")}`,
    ),
  );

  const selectPieces = prepare((slot: Slot<{ organizationId: string; from: number; to: number }>) =>
    toCompilable<{ ordinal: number; pieces: number[] }>(
      sql`select ordinal, pieces from loyalty_user_pieces
        where organization_id = ${slot("organizationId")}
        and ordinal >= ${slot("from")} and ordinal < ${slot("to")} order by ordinal`,
    ),
  );

  const clear = prepare((slot: Slot<{ organizationId: string }>) =>
    toCompilable(sql`delete from loyalty_user_pieces where organization_id = ${slot("organizationId")}`),
  );

  // The operator is schema-qualified because the extension intarray, if the host uses it, defines another `@>` that this index
  // doesn't support. The array is unordered and different trigrams may share a number, so the text of each candidate is checked.
  const find = prepare(
    (slot: Slot<{ organizationId: string; pieces: readonly number[]; term: string; limit: number }>) =>
      toCompilable<{ candidates: number; ordinals: string | null }>(
        sql`with candidates as materialized (
            select ordinal from loyalty_user_pieces
            where organization_id = ${slot("organizationId")} and pieces operator(pg_catalog.@>) ${slot("pieces")}
            limit ${slot("limit")})
          select count(*)::integer as candidates,
            json_agg(ordinal) filter (where strpos(search_text, ${slot("term")}) > 0)::text as ordinals
          from candidates join loyalty_users using (ordinal) where organization_id = ${slot("organizationId")}`,
      ),
  );

  function toCompilable<Row>(query: ReturnType<typeof sql<Row>>) {
    return { compile: () => query.compile(db) };
  }

  return {
    tables,
    scannedPerFound: 16,
    scannedPerLookup: 16,
    scan: null,

    *add(session, organizationId, _, users) {
      const rows = users.map(({ ordinal, searchText }) => ({
        ordinal,
        pieces: saltTrigrams(organizationId, extractTrigrams(searchText)),
      }));
      yield* session.change(insert({ organizationId, users: JSON.stringify(rows) }));
    },

    *change(session, organizationId, { ordinal, searchText }) {
      const pieces = saltTrigrams(organizationId, extractTrigrams(searchText));
      yield* session.change(update({ organizationId, ordinal, pieces }));
    },

    *remove(session, organizationId, ordinal) {
      yield* session.change(remove({ organizationId, ordinal }));
    },

    *hasExactly(session, organizationId, block, users) {
      const storedPieces = yield* session.all(selectPieces({ organizationId, ...getBlockRange(block) }));
      const createKey = (ordinal: number, pieces: readonly number[]) =>
        [ordinal, ...pieces.toSorted()].join();
      const actual = storedPieces.map(({ ordinal, pieces }) => createKey(ordinal, pieces));
      const expected = users.map(({ ordinal, searchText }) =>
        createKey(ordinal, saltTrigrams(organizationId, extractTrigrams(searchText))),
      );
      return actual.join(";") === expected.join(";");
    },

    *clear(session, organizationId) {
      yield* session.change(clear({ organizationId }));
    },

    *find({ session, organizationId }, term, _, limit) {
      const steps = listTrigrams(term);
      for (const [index, trigrams] of steps.entries()) {
        const maxCandidates = index < steps.length - 1 ? Math.min(limit, MAX_INITIAL_CANDIDATES) : limit;
        const pieces = saltTrigrams(organizationId, trigrams);
        const result = yield* findFirst(
          session,
          find({ organizationId, pieces, term, limit: maxCandidates + 1 }),
        );
        if ((result?.candidates ?? 0) > maxCandidates) continue;
        const ordinals: number[] = JSON.parse(result?.ordinals ?? "[]");
        return ordinals;
      }
      return null;
    },
  };
}

/** Converts trigrams to 32-bit integers salted with the organization's ID, so that two organizations rarely share an integer. */
export function saltTrigrams(organizationId: string, pieces: Iterable<number>): number[] {
  const organization = hashOrganizationId(organizationId);
  return Array.from(pieces, (piece) => Math.imul(piece + 1, 0x9e3779b1) ^ organization);
}

/**
 * Returns the trigrams that the search index stores for a user. A trigram is three consecutive UTF-16 code units of a case-folded
 * field, stored as a 24-bit hash. Different trigrams can have the same hash.
 */
export function extractTrigrams(searchText: string): ReadonlySet<number> {
  const pieces = new Set<number>();
  for (const fold of searchText.split(FOLD_SEPARATOR)) addTrigrams(pieces, fold);
  return pieces;
}

/**
 * Returns lists of trigrams that each match of the search term must contain. Try the lists in order. The first list contains only
 * a few trigrams, and the second contains more. Returns an empty array if the term is too short.
 */
function listTrigrams(term: string): readonly (readonly number[])[] {
  const pieces = new Set<number>();
  addTrigrams(pieces, term);
  const all = [...pieces].slice(0, MAX_TRIGRAMS_PER_TERM);
  if (all.length === 0) return [];
  return all.length <= INITIAL_TRIGRAMS_PER_TERM ? [all] : [all.slice(0, INITIAL_TRIGRAMS_PER_TERM), all];
}

/** Returns the 32-bit FNV-1a hash of an organization's ID. Different organizations can have the same hash. */
function hashOrganizationId(organizationId: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < organizationId.length; at += 1) {
    hash = Math.imul(hash ^ organizationId.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

function addTrigrams(pieces: Set<number>, text: string): void {
  for (let at = 0; at + 2 < text.length; at += 1) {
    pieces.add(hashTrigram(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)));
  }
}

function hashTrigram(a: number, b: number, c: number): number {
  return Math.imul(Math.imul(Math.imul(a, 8_191) + b, 8_191) + c, 0x9e3779b1) >>> 8;
}
