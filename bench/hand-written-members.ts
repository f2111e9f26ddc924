import type Database from "better-sqlite3";
import { emptySlice, flipMember, SLICE_SIZE } from "../adapters/kysely/change/member-slices.js";
import { ORGANIZATION } from "./customers.js";

/** That a customer enters or leaves a segment. */
export interface Move {
  readonly type: "segment.entered" | "segment.left";
  readonly segmentId: string;
}

interface SliceRow {
  readonly ordinals: Uint8Array;
  day: number | null;
  entered: number | null;
  left: number | null;
}

interface Slice {
  readonly row: SliceRow;
  readonly segmentId: string;
  readonly at: number;
}

/** The members of segments, slice by slice, each read once and remembered from then on. */
export class HandWrittenMembers {
  readonly #statements: ReturnType<typeof prepared>;
  readonly #slices = new Map<string, Slice>();
  readonly #changed = new Set<Slice>();

  constructor(
    db: Database.Database,
    private readonly day: number,
  ) {
    this.#statements = prepared(db);
  }

  move(ordinal: number, { type, segmentId }: Move): void {
    const slice = this.#slice(segmentId, Math.floor(ordinal / SLICE_SIZE));
    const { row } = slice;
    flipMember(row.ordinals, ordinal);
    if (row.day !== this.day) Object.assign(row, { day: this.day, entered: 0, left: 0 });
    if (type === "segment.entered") row.entered = (row.entered ?? 0) + 1;
    else row.left = (row.left ?? 0) + 1;
    this.#changed.add(slice);
  }

  write(): void {
    for (const { row, segmentId, at } of this.#changed) {
      this.#statements.put.run(ORGANIZATION, at, segmentId, row.ordinals, row.day, row.entered, row.left);
    }
    this.#changed.clear();
  }

  #slice(segmentId: string, at: number): Slice {
    const key = `${segmentId} ${at}`;
    const known = this.#slices.get(key);
    if (known !== undefined) return known;
    const empty = { ordinals: emptySlice(), day: null, entered: null, left: null };
    const slice = { row: this.#statements.find.get(ORGANIZATION, at, segmentId) ?? empty, segmentId, at };
    this.#slices.set(key, slice);
    return slice;
  }
}

function prepared(db: Database.Database) {
  return {
    find: db.prepare<[string, number, string], SliceRow>(
      `select ordinals, day, entered, "left" from loyalty_segment_slices
        where organization_id = ? and slice = ? and segment_id = ?`,
    ),
    put: db.prepare(
      `insert into loyalty_segment_slices (organization_id, slice, segment_id, ordinals, day, entered, "left")
        values (?, ?, ?, ?, ?, ?, ?) on conflict (organization_id, slice, segment_id) do update
        set ordinals = excluded.ordinals, day = excluded.day, entered = excluded.entered, "left" = excluded."left"`,
    ),
  };
}
