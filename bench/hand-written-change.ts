import type Database from "better-sqlite3";
import { v7 } from "uuid";
import { ORGANIZATION } from "./customers.js";

interface Counters {
  next_user_ordinal: number;
  newest_user_id: string | null;
  newest_user_created_at: number | null;
  newest_event_position: number;
}

/** What a hand-written transaction reads once and writes once: counters, and the bits of sets. */
export class HandWrittenChange {
  readonly now = Date.now();
  readonly time = new Date(this.now).toISOString();
  readonly #counters: Counters;
  /** The number by which the search index and the outbox know the organization. */
  readonly number: number;
  readonly #sets = new Map<number, Map<number, Uint8Array>>();

  constructor(
    db: Database.Database,
    private readonly statements: ReturnType<typeof HandWrittenChange.prepareStatements>,
  ) {
    if (!db.inTransaction) throw new Error("a change needs a transaction");
    const counters = statements.counters.get(ORGANIZATION);
    if (counters === undefined) throw new Error("the library has to store something first");
    this.#counters = counters;
    const organization = statements.number.get(ORGANIZATION);
    if (organization === undefined) throw new Error("the library has to tell an event first");
    this.number = organization.number;
  }

  static prepareStatements(db: Database.Database) {
    return {
      counters: db.prepare<[string], Counters>(
        `select next_user_ordinal, newest_user_id, newest_user_created_at, newest_event_position
          from loyalty_organizations where organization_id = ?`,
      ),
      setCounters: db.prepare(
        `update loyalty_organizations set next_user_ordinal = ?, newest_user_id = ?, newest_user_created_at = ?,
          newest_event_position = ? where organization_id = ?`,
      ),
      number: db.prepare<[string], { number: number }>(
        "select number from loyalty_search_organizations where organization_id = ?",
      ),
      addEvent: db.prepare(
        `insert into loyalty_events (organization_id, position, id, type, created_at, data, place)
          values (?, ?, ?, ?, ?, ?, (cast(? as integer) << 40) + cast(? as integer))`,
      ),
      chunk: db.prepare<[string, number, number], { bits: Buffer }>(
        "select bits from loyalty_segment_chunks where organization_id = ? and set_id = ? and chunk = ?",
      ),
      version: db.prepare<[string, number], { version: number }>(
        `insert into loyalty_segment_sets (organization_id, set_id, version) values (?, ?, 1)
          on conflict (organization_id, set_id) do update set version = version + 1 returning version`,
      ),
      putChunk: db.prepare(
        `insert into loyalty_segment_chunks (organization_id, set_id, chunk, version, bits) values (?, ?, ?, ?, ?)
          on conflict (organization_id, set_id, chunk) do update set version = excluded.version, bits = excluded.bits`,
      ),
    };
  }

  /** @returns the ordinal of the next user, which gets this id. */
  placeUser(id: string): number {
    const ordinal = this.#counters.next_user_ordinal;
    this.#counters.next_user_ordinal += 1;
    this.#counters.newest_user_id = id;
    this.#counters.newest_user_created_at = this.now;
    return ordinal;
  }

  recordEvent(type: string, data: object): void {
    this.#counters.newest_event_position += 1;
    const { newest_event_position: position } = this.#counters;
    const event = [ORGANIZATION, position, `evt_${v7()}`, type, this.now, JSON.stringify(data)];
    this.statements.addEvent.run(...event, this.number, position);
  }

  /** @param size how many ordinals a chunk covers. */
  include(setId: number, ordinal: number, size: number): void {
    const at = Math.floor(ordinal / size);
    const chunks = this.#sets.get(setId) ?? new Map<number, Uint8Array>();
    this.#sets.set(setId, chunks);
    const bits =
      chunks.get(at) ?? this.statements.chunk.get(ORGANIZATION, setId, at)?.bits ?? new Uint8Array(size / 8);
    chunks.set(at, bits);
    const bit = ordinal % size;
    bits[bit >>> 3] = (bits[bit >>> 3] ?? 0) | (1 << (bit & 7));
  }

  writeChanges(): void {
    const { setCounters, version, putChunk } = this.statements;
    const counters = this.#counters;
    setCounters.run(
      counters.next_user_ordinal,
      counters.newest_user_id,
      counters.newest_user_created_at,
      counters.newest_event_position,
      ORGANIZATION,
    );
    for (const [setId, chunks] of this.#sets) {
      const { version: newest } = version.get(ORGANIZATION, setId) ?? { version: 1 };
      for (const [at, bits] of chunks) putChunk.run(ORGANIZATION, setId, at, newest, bits);
    }
  }
}
