import { type Kysely, sql } from "kysely";
import { hashOfOrganization, piecesOfTerm, piecesOfUser } from "../kysely/contacts/trigrams.js";
import { first, type ReadSession, type Session } from "../kysely/session/session.js";
import { prepare, type Slot } from "../kysely/sql/prepared.js";
import type { SearchIndex } from "../kysely/sql/search-index.js";
import type { Tables } from "../kysely/sql/tables.js";

interface Place {
  number: number;
  ordinal: number;
}

/** How many candidates it takes to look for them with more words of the term. */
const FEW = 200;

/**
 * A full-text index (FTS5) of three-character pieces. The index of a database would be one for all organizations: its
 * words begin with the organization instead, and its row numbers are the organization's number times 2^32 plus the
 * user's ordinal, so that a search costs the same however many others there are.
 */
export function trigramIndex(db: Kysely<Tables>): SearchIndex {
  const tables = [
    // Without content and places of words it takes a tenth of the room: a search only asks who has all of some words.
    sql`create virtual table loyalty_user_trigrams using fts5
      (tokens, content='', contentless_delete=1, detail=none, tokenize='ascii')`,
    sql`create table loyalty_search_organizations
      (number integer primary key, organization_id text not null unique) strict`,
  ].map((statement) => statement.compile(db));

  const numberOf = prepare((slot: Slot<{ organizationId: string }>) =>
    compilable<{ number: number }>(
      sql`select number from loyalty_search_organizations where organization_id = ${slot("organizationId")}`,
    ),
  );

  const give = prepare((slot: Slot<{ organizationId: string }>) =>
    compilable<{ number: number }>(
      sql`insert into loyalty_search_organizations (organization_id) values (${slot("organizationId")})
        returning number`,
    ),
  );

  const insert = prepare((slot: Slot<Place & { tokens: string }>) =>
    compilable(
      sql`insert into loyalty_user_trigrams (rowid, tokens) values (${rowOf(slot)}, ${slot("tokens")})`,
    ),
  );

  const remove = prepare((slot: Slot<Place>) =>
    compilable(sql`delete from loyalty_user_trigrams where rowid = ${rowOf(slot)}`),
  );

  const find = prepare((slot: Slot<{ number: number; tokens: string; limit: number }>) =>
    compilable<{ ordinals: string }>(
      sql`select json_group_array(rowid & 4294967295) as ordinals from (
        select rowid from loyalty_user_trigrams where loyalty_user_trigrams match ${slot("tokens")}
        and rowid between cast(${slot("number")} as integer) << 32 and (cast(${slot("number")} as integer) << 32) + 4294967295
        limit ${slot("limit")})`,
    ),
  );

  function compilable<Row>(query: ReturnType<typeof sql<Row>>) {
    return { compile: () => query.compile(db) };
  }

  async function knownNumber(session: ReadSession, organizationId: string): Promise<number | null> {
    return (await first(session, numberOf({ organizationId })))?.number ?? null;
  }

  async function newNumber(session: Session, organizationId: string): Promise<number> {
    const row = await first(session, give({ organizationId }));
    if (row === null) throw new Error("an organization got no number");
    return row.number;
  }

  return {
    async create(session) {
      for (const table of tables) await session.change(table);
    },

    async add(session, organizationId, ordinal, searchText) {
      const number =
        (await knownNumber(session, organizationId)) ?? (await newNumber(session, organizationId));
      const tokens = tokensOf(organizationId, piecesOfUser(searchText));
      await session.change(insert({ number, ordinal, tokens }));
    },

    async remove(session, organizationId, ordinal) {
      const number = await knownNumber(session, organizationId);
      if (number !== null) await session.change(remove({ number, ordinal }));
    },

    async candidates(session, organizationId, term, limit) {
      const steps = piecesOfTerm(term).map((pieces) => tokensOf(organizationId, pieces));
      if (steps.length === 0) return null;
      const number = await knownNumber(session, organizationId);
      if (number === null) return [];
      for (const [at, tokens] of steps.entries()) {
        const most = at < steps.length - 1 ? Math.min(limit, FEW) : limit;
        const found = await first(session, find({ number, tokens, limit: most + 1 }));
        const ordinals: number[] = found === null ? [] : JSON.parse(found.ordinals);
        if (ordinals.length <= most) return ordinals;
      }
      return null;
    },
  };
}

/** Words of the index: five digits of base 36 for a piece, after seven for the organization. */
export function tokensOf(organizationId: string, pieces: Iterable<number>): string {
  const organization = hashOfOrganization(organizationId).toString(36).padStart(7, "0");
  return Array.from(pieces, (piece) => organization + piece.toString(36).padStart(5, "0")).join(" ");
}

/** Texts bound as numbers would be real ones, which can't be shifted. */
function rowOf(slot: Slot<Place>) {
  return sql`(cast(${slot("number")} as integer) << 32) + cast(${slot("ordinal")} as integer)`;
}
