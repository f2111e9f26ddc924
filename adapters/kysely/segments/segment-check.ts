import { type Chunk, chunkOf, chunkToBytes, emptyChunk, setBit } from "../../../src/storage/bitmap.js";
import type { Functions } from "../../../src/storage/methods.js";
import type { StorageReader, StorageTransaction } from "../../../src/storage/storage-adapter.js";
import { called } from "../session/call-rules.js";
import type { Reading, ReadSession, Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { ALL_USERS, type SegmentChunks } from "./segment-chunks.js";

/** The ordinals that one read returns, which bounds the memory. */
const BATCH = 10_000;

interface Batch {
  organizationId: string;
  after: number;
}

/** Makes the sets anew from users and assignments, to compare them with the stored ones or to replace those. */
export function segmentCheck(
  { db }: SqlDialect,
  sets: SegmentChunks,
): {
  readonly reads: Functions<Pick<StorageReader, "verifySegments">, Reading>;
  readonly writes: Functions<Pick<StorageTransaction, "rebuildSegments">, { readonly session: Session }>;
} {
  const tags = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_user_tags")
      .select(["slug", "ordinal as setId"])
      .where("organization_id", "=", slot("organizationId"))
      .orderBy("created_at")
      .orderBy("id"),
  );

  const users = prepare((slot: Slot<Batch>) =>
    db
      .selectFrom("loyalty_users")
      .select("ordinal")
      .where("organization_id", "=", slot("organizationId"))
      .where("ordinal", ">", slot("after"))
      .orderBy("ordinal")
      .limit(BATCH),
  );

  const usersOfTag = prepare((slot: Slot<Batch & { setId: number }>) =>
    db
      .selectFrom("loyalty_user_tag_assignments")
      .select("user_ordinal as ordinal")
      .where("organization_id", "=", slot("organizationId"))
      .where("tag_ordinal", "=", slot("setId"))
      .where("user_ordinal", ">", slot("after"))
      .orderBy("user_ordinal")
      .limit(BATCH),
  );

  const stored = prepare((slot: Slot<{ organizationId: string; setId: number }>) =>
    db
      .selectFrom("loyalty_segment_chunks")
      .leftJoin("loyalty_segment_sets", (join) =>
        join
          .onRef("loyalty_segment_sets.organization_id", "=", "loyalty_segment_chunks.organization_id")
          .onRef("loyalty_segment_sets.set_id", "=", "loyalty_segment_chunks.set_id"),
      )
      .select([
        "loyalty_segment_chunks.chunk",
        "loyalty_segment_chunks.bits",
        "loyalty_segment_sets.version as setVersion",
      ])
      .where("loyalty_segment_chunks.organization_id", "=", slot("organizationId"))
      .where("loyalty_segment_chunks.set_id", "=", slot("setId")),
  );

  /** The chunks that a set should have: those with bits, and empty ones where more are stored. */
  function* chunksOf(session: ReadSession, organizationId: string, setId: number) {
    const chunks = new Map<number, Chunk>();
    for (let after = -1; ; ) {
      const batch = { organizationId, after };
      const rows = yield* session.all(setId === ALL_USERS ? users(batch) : usersOfTag({ ...batch, setId }));
      for (const { ordinal } of rows) {
        const chunk = chunkOf(ordinal);
        const bits = chunks.get(chunk) ?? emptyChunk();
        setBit(bits, ordinal);
        chunks.set(chunk, bits);
        after = ordinal;
      }
      if (rows.length < BATCH) break;
    }
    const before = new Map<number, Uint8Array>();
    for (const { chunk, bits, setVersion } of yield* session.all(stored({ organizationId, setId }))) {
      // Readers don't find the chunks of a set that is lost itself.
      if (setVersion !== null) before.set(chunk, bits);
      if (!chunks.has(chunk)) chunks.set(chunk, emptyChunk());
    }
    return { chunks, before };
  }

  function* setsOf(session: ReadSession, organizationId: string) {
    return [{ slug: null, setId: ALL_USERS }, ...(yield* session.all(tags({ organizationId })))];
  }

  return {
    reads: {
      verifySegments: called(
        { readsPending: true, isOneState: true },
        function* ({ session }, organizationId) {
          const all = yield* setsOf(session, organizationId);
          const wrong: (string | null)[] = [];
          for (const { slug, setId } of all) {
            const { chunks, before } = yield* chunksOf(session, organizationId, setId);
            if (![...chunks].every(([chunk, bits]) => isStored(bits, before.get(chunk)))) wrong.push(slug);
          }
          return { checked: all.length, wrong };
        },
      ),
    },

    writes: {
      // Stored chunks that should be empty are emptied, not removed: caches learn of changes by their versions.
      rebuildSegments: called({ readsPending: true }, function* ({ session }, organizationId) {
        for (const { setId } of yield* setsOf(session, organizationId)) {
          const { chunks } = yield* chunksOf(session, organizationId, setId);
          if (chunks.size > 0) yield* sets.put(session, organizationId, setId, chunks);
        }
      }),
    },
  };
}

function isStored(bits: Chunk, stored: Uint8Array | undefined): boolean {
  return stored !== undefined && Buffer.from(chunkToBytes(bits)).equals(stored);
}
