import type pg from "pg";
import { v7 } from "uuid";
import { BLOCK_SIZE, buildSearchText } from "../../adapters/storage/kysely/contacts/search-blocks.js";
import {
  countDeltas,
  decodeChunk,
  encodeDeltas,
} from "../../adapters/storage/kysely/segments/chunk-encoding.js";
import { postgresDialect } from "../../adapters/storage/postgres/dialect.js";
import { extractTrigrams, saltTrigrams } from "../../adapters/storage/postgres/trigram-index.js";
import { chunkOf, chunkToBytes, emptyChunk, setBit } from "../../src/storage/bitmap.js";
import { ORGANIZATION } from "../customers.js";
import type { NewCustomer } from "../hand-written.js";

/** How many flips fit into the row of a chunk. */
const ROOM = postgresDialect().chunkDeltas.maxDeltasFor(ORGANIZATION);
const ALL_USERS = 0;

/** A transaction by hand: the SQL of the library, its look-ups and its lock, with plain `pg`. */
export class HandWritten {
  constructor(private readonly pool: pg.Pool) {}

  addStamp(passId: string): Promise<void> {
    return this.#inTransaction(async (client, counters) => {
      const { rows } = await client.query(
        `select p.*, u.id as user_id from loyalty_wallet_passes p
          join loyalty_users u on u.organization_id = p.organization_id and u.ordinal = p.user_ordinal
          where p.organization_id = $1 and p.id = $2`,
        [ORGANIZATION, passId],
      );
      const [pass] = rows;
      const now = Date.now();
      const before = Number(pass.current_stamps);
      const isFull = before + 1 === Number(pass.max_stamps);
      const after = isFull ? 0 : before + 1;
      const timesCompleted = Number(pass.times_completed) + (isFull ? 1 : 0);
      const rewards = Number(pass.rewards_available) + (isFull ? 1 : 0);
      const total = Number(pass.total_stamps_collected) + 1;
      const entries = Number(pass.entries) + 1;
      await client.query(
        `insert into loyalty_stamp_entries (organization_id, pass_id, sequence, id, type, delta, stamps_before,
          stamps_after, completions, is_imported, note, created_at)
          values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, $10, $11)`,
        [
          ...[ORGANIZATION, passId, entries, `ste_${v7()}`, "added", 1, before, after],
          ...[isFull ? 1 : 0, null, now],
        ],
      );
      await client.query(
        `update loyalty_wallet_passes set max_stamps = $1, current_stamps = $2, times_completed = $3,
          rewards_available = $4, total_stamps_collected = $5, last_stamp_at = $6, entries = $7
          where organization_id = $8 and id = $9`,
        [pass.max_stamps, after, timesCompleted, rewards, total, now, entries, ORGANIZATION, passId],
      );
      const card = {
        ...{ passId, userId: pass.user_id, templateId: pass.template_id, object: "stamp_card" },
        ...{ currentStamps: after, maxStamps: Number(pass.max_stamps), timesCompleted },
        ...{
          rewardsAvailable: rewards,
          totalStampsCollected: total,
          lastStampAt: new Date(now).toISOString(),
        },
      };
      await recordEvent(client, counters, "stamp.added", card, now);
      if (isFull) await recordEvent(client, counters, "stamp_card.completed", card, now);
    });
  }

  createUser({ tags: _, ...user }: NewCustomer): Promise<void> {
    return this.#inTransaction(async (client, counters) => {
      const now = Date.now();
      const id = `usr_${v7()}`;
      const ordinal = counters.next_user_ordinal;
      const { email, name, phone, externalId, metadata } = user;
      const folds = {
        email: email.toLowerCase(),
        writtenEmail: null,
        name: name.toLowerCase(),
        phone: phone.toLowerCase(),
        externalId: externalId.toLowerCase(),
      };
      const searchText = buildSearchText(folds);
      await client.query(
        `insert into loyalty_users (organization_id, id, ordinal, created_at, email, name, phone, external_id, metadata,
          updated_at, email_fold, name_fold, external_id_fold, search_text)
          values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) on conflict do nothing`,
        [
          ...[ORGANIZATION, id, ordinal, now, email, name, phone, externalId, JSON.stringify(metadata), now],
          ...[folds.email, folds.name, folds.externalId, searchText],
        ],
      );
      // Users come into the index with the last one of their block.
      if ((ordinal + 1) % BLOCK_SIZE === 0) await addPieces(client, ordinal + 1 - BLOCK_SIZE);
      Object.assign(counters, {
        next_user_ordinal: ordinal + 1,
        newest_user_id: id,
        newest_user_created_at: now,
      });
      const time = new Date(now).toISOString();
      const publicUser = { id, object: "user", email, name, phone, externalId, metadata };
      await recordEvent(
        client,
        counters,
        "user.created",
        { ...publicUser, createdAt: time, updatedAt: time },
        now,
      );
      await include(client, ALL_USERS, ordinal);
    });
  }

  async #inTransaction(work: (client: pg.PoolClient, counters: Counters) => Promise<void>): Promise<void> {
    const client = await this.pool.connect();
    try {
      await client.query("begin");
      const { rows } = await client.query(
        "select * from loyalty_organizations where organization_id = $1 for update",
        [ORGANIZATION],
      );
      const [row] = rows;
      const counters: Counters = {
        ...row,
        next_user_ordinal: Number(row.next_user_ordinal),
        newest_event_position: Number(row.newest_event_position),
      };
      await work(client, counters);
      await client.query(
        `update loyalty_organizations set next_user_ordinal = $1, newest_user_id = $2, newest_user_created_at = $3,
          newest_event_position = $4 where organization_id = $5`,
        [
          counters.next_user_ordinal,
          counters.newest_user_id,
          counters.newest_user_created_at,
          counters.newest_event_position,
          ORGANIZATION,
        ],
      );
      await client.query("commit");
    } finally {
      client.release();
    }
  }
}

interface Counters {
  next_user_ordinal: number;
  newest_user_id: string | null;
  newest_user_created_at: number | null;
  newest_event_position: number;
}

async function recordEvent(
  client: pg.PoolClient,
  counters: Counters,
  type: string,
  data: object,
  now: number,
): Promise<void> {
  counters.newest_event_position += 1;
  await client.query(
    `insert into loyalty_events (organization_id, position, id, type, created_at, data) values ($1, $2, $3, $4, $5, $6)`,
    [ORGANIZATION, counters.newest_event_position, `evt_${v7()}`, type, now, JSON.stringify(data)],
  );
}

async function include(client: pg.PoolClient, setId: number, ordinal: number): Promise<void> {
  const chunkKey = [ORGANIZATION, setId, chunkOf(ordinal)];
  const found = await client.query<{ bits: Uint8Array }>(
    "select bits from loyalty_segment_chunks where organization_id = $1 and set_id = $2 and chunk = $3",
    chunkKey,
  );
  const storedBits = found.rows[0]?.bits ?? null;
  const before = storedBits === null ? emptyChunk() : decodeChunk(storedBits);
  const after = before.slice();
  setBit(after, ordinal);
  const flips = storedBits === null ? null : encodeDeltas(before, after, ROOM - countDeltas(storedBits));
  const { rows } = await client.query(
    `insert into loyalty_segment_sets (organization_id, set_id, version) values ($1, $2, 1)
      on conflict (organization_id, set_id) do update set version = loyalty_segment_sets.version + 1 returning version`,
    [ORGANIZATION, setId],
  );
  const putSql =
    flips === null
      ? `insert into loyalty_segment_chunks (organization_id, set_id, chunk, version, bits) values ($1, $2, $3, $4, $5)
          on conflict (organization_id, set_id, chunk) do update set version = excluded.version, bits = excluded.bits`
      : `update loyalty_segment_chunks set version = $4, bits = $5 || bits
          where organization_id = $1 and set_id = $2 and chunk = $3`;
  await client.query(putSql, [...chunkKey, rows[0]?.version, Buffer.from(flips ?? chunkToBytes(after))]);
}

/** @param first the ordinal of the block's first user. */
async function addPieces(client: pg.PoolClient, first: number): Promise<void> {
  const { rows } = await client.query<{ ordinal: string; search_text: string }>(
    "select ordinal, search_text from loyalty_users where organization_id = $1 and ordinal >= $2",
    [ORGANIZATION, first],
  );
  const users = rows.map((row) => ({
    ordinal: Number(row.ordinal),
    pieces: saltTrigrams(ORGANIZATION, extractTrigrams(row.search_text)),
  }));
  await client.query(
    `insert into loyalty_user_pieces (organization_id, ordinal, pieces) select $1, ordinal, pieces
      from jsonb_to_recordset($2::jsonb) as users (ordinal bigint, pieces integer[])`,
    [ORGANIZATION, JSON.stringify(users)],
  );
}
