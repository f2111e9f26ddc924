import { sql } from "kysely";
import type { Step } from "../../../src/concurrency/step.js";
import { type Chunk, chunkFromBytes, chunkToBytes } from "../../../src/storage/bitmap.js";
import type { StoredSegmentDay } from "../../../src/storage/saved-segments.js";
import type { Session } from "../session/session.js";
import { slotsOf } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { rowsOf } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

export type ToldRows = ReturnType<typeof toldRows>;

/** Reads and writes the rows of who was told to be a member, and of how many entered and left on a day. */
export function toldRows(dialect: SqlDialect) {
  const { db } = dialect;
  const chunks = rowsOf(dialect, tables.segmentMembers);
  const segments = rowsOf(dialect, tables.savedSegments);

  const sum = (column: "entered" | "left") =>
    sql<number>`${sql.ref(`loyalty_segment_days.${column}`)} + ${sql.ref(`excluded.${column}`)}`;
  const addToDay = prepare((slot: Slot<StoredSegmentDay & { organizationId: string }>) =>
    db
      .insertInto("loyalty_segment_days")
      .values({
        organization_id: slot("organizationId"),
        ...slotsOf(tables.segmentDays.record.columns, slot),
      })
      .onConflict((conflict) =>
        conflict.columns(["organization_id", "segment_id", "day"]).doUpdateSet({
          members: sql`coalesce(excluded.members, ${sql.ref("loyalty_segment_days.members")})`,
          entered: sum("entered"),
          left: sum("left"),
        }),
      ),
  );

  return {
    /** The bits of a chunk; `null` where it has no row. */
    *chunk(session: Session, organizationId: string, segmentId: string, chunk: number): Step<Chunk | null> {
      const found = yield* chunks.find(session, organizationId, { segmentId, chunk });
      return found === null ? null : chunkFromBytes(found.ordinals);
    },

    /** Writes the bits of a chunk; one that is empty has no row. */
    *putChunk(
      session: Session,
      organizationId: string,
      segmentId: string,
      chunk: number,
      bits: Chunk,
    ): Step<void> {
      const place = { segmentId, chunk };
      const isEmpty = bits.every((word) => word === 0);
      const statement = isEmpty
        ? chunks.remove(organizationId, place)
        : chunks.put(organizationId, { ...place, ordinals: chunkToBytes(bits) });
      yield* session.change(statement);
    },

    /** @throws an error when there is no such segment. */
    *assertSegment(session: Session, organizationId: string, id: string): Step<void> {
      if ((yield* segments.find(session, organizationId, { id })) === null)
        throw new Error(`there is no segment ${id}`);
    },

    *addToDay(session: Session, organizationId: string, day: StoredSegmentDay): Step<void> {
      yield* session.change(addToDay({ organizationId, ...day }));
    },
  };
}
