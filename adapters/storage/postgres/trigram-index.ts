import { type Kysely, type RawBuilder, sql } from "kysely";
import { boundsOfBlock } from "../kysely/contacts/search-blocks.js";
import { hashOfOrganization, trigramsOfTerm, trigramsOfUser } from "../kysely/contacts/trigrams.js";
import { findFirst } from "../kysely/session/session.js";
import { prepare, type Slot } from "../kysely/sql/prepared.js";
import type { SearchIndex } from "../kysely/sql/search-index.js";
import type { Tables } from "../kysely/sql/tables.js";

interface Place {
  organizationId: string;
  ordinal: number;
}

/** Number of candidates above which more of the term's trigrams are used. */
const FEW = 200;

/**
 * Creates the search index, an inverted index (GIN) of trigrams. Each trigram is salted with its organization's ID so that the cost
 * of a search doesn't depend on the number of other organizations. The trigrams are stored as integer arrays, so the index needs no
 * extension.
 */
export function trigramIndex(db: Kysely<Tables>, tableEnd: RawBuilder<unknown>): SearchIndex {
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
    compilable(
      sql`insert into loyalty_user_pieces (organization_id, ordinal, pieces)
        select ${slot("organizationId")}, ordinal, pieces
        from jsonb_to_recordset(${slot("users")}::jsonb) as users (ordinal bigint, pieces integer[])`,
    ),
  );

  const update = prepare((slot: Slot<Place & { pieces: readonly number[] }>) =>
    compilable(
      sql`update loyalty_user_pieces set pieces = ${slot("pieces")}
        where organization_id = ${slot("organizationId")} and ordinal = ${slot("ordinal")}`,
    ),
  );

  const remove = prepare((slot: Slot<Place>) =>
    compilable(
      sql`delete from loyalty_user_pieces
        where organization_id = ${slot("organizationId")} and ordinal = ${slot("ordinal")}`,
    ),
  );

  const piecesBetween = prepare((slot: Slot<{ organizationId: string; from: number; to: number }>) =>
    compilable<{ ordinal: number; pieces: number[] }>(
      sql`select ordinal, pieces from loyalty_user_pieces
        where organization_id = ${slot("organizationId")}
        and ordinal >= ${slot("from")} and ordinal < ${slot("to")} order by ordinal`,
    ),
  );

  const clear = prepare((slot: Slot<{ organizationId: string }>) =>
    compilable(sql`delete from loyalty_user_pieces where organization_id = ${slot("organizationId")}`),
  );

  // The operator is schema-qualified because the extension intarray, if the host uses it, defines another `@>` that this index
  // doesn't support. The array is unordered and different trigrams may share a number, so the text of each candidate is checked.
  const find = prepare(
    (slot: Slot<{ organizationId: string; pieces: readonly number[]; term: string; limit: number }>) =>
      compilable<{ candidates: number; ordinals: string | null }>(
        sql`with candidates as materialized (
            select ordinal from loyalty_user_pieces
            where organization_id = ${slot("organizationId")} and pieces operator(pg_catalog.@>) ${slot("pieces")}
            limit ${slot("limit")})
          select count(*)::integer as candidates,
            json_agg(ordinal) filter (where strpos(search_text, ${slot("term")}) > 0)::text as ordinals
          from candidates join loyalty_users using (ordinal) where organization_id = ${slot("organizationId")}`,
      ),
  );

  function compilable<Row>(query: ReturnType<typeof sql<Row>>) {
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
        pieces: saltTrigrams(organizationId, trigramsOfUser(searchText)),
      }));
      yield* session.change(insert({ organizationId, users: JSON.stringify(rows) }));
    },

    *change(session, organizationId, { ordinal, searchText }) {
      const pieces = saltTrigrams(organizationId, trigramsOfUser(searchText));
      yield* session.change(update({ organizationId, ordinal, pieces }));
    },

    *remove(session, organizationId, ordinal) {
      yield* session.change(remove({ organizationId, ordinal }));
    },

    *hasExactly(session, organizationId, block, users) {
      const stored = yield* session.all(piecesBetween({ organizationId, ...boundsOfBlock(block) }));
      const key = (ordinal: number, pieces: readonly number[]) => [ordinal, ...pieces.toSorted()].join();
      const actual = stored.map(({ ordinal, pieces }) => key(ordinal, pieces));
      const due = users.map(({ ordinal, searchText }) =>
        key(ordinal, saltTrigrams(organizationId, trigramsOfUser(searchText))),
      );
      return actual.join(";") === due.join(";");
    },

    *clear(session, organizationId) {
      yield* session.change(clear({ organizationId }));
    },

    *find(session, organizationId, term, _, limit) {
      const steps = trigramsOfTerm(term);
      for (const [at, some] of steps.entries()) {
        const most = at < steps.length - 1 ? Math.min(limit, FEW) : limit;
        const pieces = saltTrigrams(organizationId, some);
        const result = yield* findFirst(session, find({ organizationId, pieces, term, limit: most + 1 }));
        if ((result?.candidates ?? 0) > most) continue;
        const ordinals: number[] = JSON.parse(result?.ordinals ?? "[]");
        return ordinals;
      }
      return null;
    },
  };
}

/**
 * Converts trigrams to 32-bit integers that are salted with the organization's ID, so two organizations rarely share an integer.
 */
export function saltTrigrams(organizationId: string, pieces: Iterable<number>): number[] {
  const organization = hashOfOrganization(organizationId);
  return Array.from(pieces, (piece) => Math.imul(piece + 1, 0x9e3779b1) ^ organization);
}
