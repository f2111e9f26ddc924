import {
  type Chunk,
  chunkFromBytes,
  chunkOf,
  chunkToBytes,
  clearBit,
  emptyChunk,
  setBit,
} from "../../src/segments/bitmap.js";
import type { SqlDialect } from "./dialect.js";
import { prepare, type Slot } from "./prepared.js";
import { first, type Session } from "./session.js";

/** The number of the set of all users; a tag's set has the ordinal of the tag. */
export const ALL_USERS = 0;

export type SegmentSets = ReturnType<typeof segmentSets>;

interface ChunkPlace {
  organizationId: string;
  setId: number;
  chunk: number;
}

/** Changes stored sets, within the transaction that changes the users or assignments they follow from. */
export function segmentSets({ db }: SqlDialect) {
  const bump = prepare((slot: Slot<{ organizationId: string; setId: number }>) =>
    db
      .insertInto("loyalty_segment_sets")
      .values({ organization_id: slot("organizationId"), set_id: slot("setId"), version: 1 })
      .onConflict((conflict) =>
        conflict
          .columns(["organization_id", "set_id"])
          .doUpdateSet(({ eb, ref }) => ({ version: eb(ref("loyalty_segment_sets.version"), "+", 1) })),
      )
      .returning("version"),
  );

  const findChunk = prepare((slot: Slot<ChunkPlace>) =>
    db
      .selectFrom("loyalty_segment_chunks")
      .select("bits")
      .where("organization_id", "=", slot("organizationId"))
      .where("set_id", "=", slot("setId"))
      .where("chunk", "=", slot("chunk")),
  );

  const putChunk = prepare((slot: Slot<ChunkPlace & { version: number; bits: Uint8Array }>) => {
    const content = { version: slot("version"), bits: slot("bits") };
    return db
      .insertInto("loyalty_segment_chunks")
      .values({
        organization_id: slot("organizationId"),
        set_id: slot("setId"),
        chunk: slot("chunk"),
        ...content,
      })
      .onConflict((conflict) =>
        conflict.columns(["organization_id", "set_id", "chunk"]).doUpdateSet(content),
      );
  });

  const remove = prepare((slot: Slot<{ organizationId: string; setId: number }>) =>
    db
      .deleteFrom("loyalty_segment_sets")
      .where("organization_id", "=", slot("organizationId"))
      .where("set_id", "=", slot("setId")),
  );

  /** Writes chunks of a set as one change of it. */
  async function put(
    session: Session,
    organizationId: string,
    setId: number,
    chunks: Iterable<readonly [chunk: number, bits: Chunk]>,
  ): Promise<void> {
    const set = await first(session, bump({ organizationId, setId }));
    if (set === null) throw new Error("a set without a version");
    for (const [chunk, bits] of chunks) {
      const { version } = set;
      await session.change(putChunk({ organizationId, setId, chunk, version, bits: chunkToBytes(bits) }));
    }
  }

  async function change(
    session: Session,
    organizationId: string,
    setId: number,
    ordinal: number,
    apply: (bits: Chunk, ordinal: number) => void,
  ): Promise<void> {
    const chunk = chunkOf(ordinal);
    const stored = await first(session, findChunk({ organizationId, setId, chunk }));
    const bits = stored === null ? emptyChunk() : chunkFromBytes(stored.bits);
    apply(bits, ordinal);
    await put(session, organizationId, setId, [[chunk, bits]]);
  }

  return {
    put,

    add: (session: Session, organizationId: string, setId: number, ordinal: number) =>
      change(session, organizationId, setId, ordinal, setBit),

    remove: (session: Session, organizationId: string, setId: number, ordinal: number) =>
      change(session, organizationId, setId, ordinal, clearBit),

    /** Removes a set with its chunks. Its number is not given again, so no cache can take another set for it. */
    async drop(session: Session, organizationId: string, setId: number): Promise<void> {
      await session.change(remove({ organizationId, setId }));
    },
  };
}
