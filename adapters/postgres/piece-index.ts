import { type Kysely, type RawBuilder, sql } from "kysely";
import { hashOfOrganization, piecesOfTerm, piecesOfUser } from "../kysely/contacts/trigrams.js";
import { first } from "../kysely/session/session.js";
import { prepare, type Slot } from "../kysely/sql/prepared.js";
import type { SearchIndex } from "../kysely/sql/search-index.js";
import type { Tables } from "../kysely/sql/tables.js";

interface Place {
  organizationId: string;
  ordinal: number;
}

/** How many candidates it takes to look for them with more pieces of the term. */
const FEW = 200;

/**
 * An inverted index (GIN) of three-character pieces. Each piece is mixed with its organization, so that a search costs
 * the same however many others there are. It takes no extension: arrays of integers are enough.
 */
export function pieceIndex(db: Kysely<Tables>, tableEnd: RawBuilder<unknown>): SearchIndex {
  const statements = [
    sql`create table loyalty_user_pieces (
      organization_id text collate "C" not null,
      ordinal bigint not null,
      pieces integer[] not null,
      constraint loyalty_user_pieces_key primary key (organization_id, ordinal)
    ) ${tableEnd}`,
    sql`create index loyalty_user_pieces_pieces on loyalty_user_pieces using gin (pieces)`,
  ].map((statement) => statement.compile(db));

  const insert = prepare((slot: Slot<Place & { pieces: readonly number[] }>) =>
    compilable(
      sql`insert into loyalty_user_pieces (organization_id, ordinal, pieces)
        values (${slot("organizationId")}, ${slot("ordinal")}, ${slot("pieces")})`,
    ),
  );

  const remove = prepare((slot: Slot<Place>) =>
    compilable(
      sql`delete from loyalty_user_pieces
        where organization_id = ${slot("organizationId")} and ordinal = ${slot("ordinal")}`,
    ),
  );

  // Named in full: the extension intarray, where a host has it, brings another operator, for which this index is none.
  const find = prepare((slot: Slot<{ organizationId: string; pieces: readonly number[]; limit: number }>) =>
    compilable<{ ordinals: string | null }>(
      sql`select json_agg(ordinal)::text as ordinals from (
        select ordinal from loyalty_user_pieces
        where organization_id = ${slot("organizationId")} and pieces operator(pg_catalog.@>) ${slot("pieces")}
        limit ${slot("limit")}) as found`,
    ),
  );

  function compilable<Row>(query: ReturnType<typeof sql<Row>>) {
    return { compile: () => query.compile(db) };
  }

  return {
    async create(session) {
      for (const statement of statements) await session.change(statement);
    },

    async add(session, organizationId, ordinal, searchText) {
      const pieces = mixed(organizationId, piecesOfUser(searchText));
      await session.change(insert({ organizationId, ordinal, pieces }));
    },

    async remove(session, organizationId, ordinal) {
      await session.change(remove({ organizationId, ordinal }));
    },

    async candidates(session, organizationId, term, limit) {
      const steps = piecesOfTerm(term);
      for (const [at, some] of steps.entries()) {
        const most = at < steps.length - 1 ? Math.min(limit, FEW) : limit;
        const pieces = mixed(organizationId, some);
        const found = await first(session, find({ organizationId, pieces, limit: most + 1 }));
        const ordinals: number[] = JSON.parse(found?.ordinals ?? "[]");
        if (ordinals.length <= most) return ordinals;
      }
      return null;
    },
  };
}

/** The pieces of an organization, as 32-bit integers that those of another one hardly ever have. */
export function mixed(organizationId: string, pieces: Iterable<number>): number[] {
  const organization = hashOfOrganization(organizationId);
  return Array.from(pieces, (piece) => Math.imul(piece + 1, 0x9e3779b1) ^ organization);
}
