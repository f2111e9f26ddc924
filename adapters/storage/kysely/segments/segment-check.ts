import type { Step } from "../../../../src/base/concurrency/step.js";
import {
  CHUNK_SIZE,
  type Chunk,
  chunkFromBytes,
  chunkOf,
  chunkToBytes,
  countBits,
  emptyChunk,
  setBit,
  subtract,
} from "../../../../src/storage/bitmap.js";
import type { Functions } from "../../../../src/storage/methods.js";
import type { StorageReader, StorageTransaction } from "../../../../src/storage/storage-adapter.js";
import { slugOfRemoved } from "../../../../src/storage/tags.js";
import type { WriteContext } from "../change/commit-buffer.js";
import { withRules } from "../session/call-rules.js";
import { findFirst, prepare, type ReadContext, type ReadSession, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

import { applyDeltas } from "./chunk-encoding.js";
import { ALL_USERS, type SegmentChunks } from "./segment-cache.js";

/** Rows per read, which bounds memory. */
const BATCH_SIZE = 10_000;

/** Sets per statement that reads a chunk, which bounds memory. */
const SETS_PER_STATEMENT = 500;

/**
 * Creates the functions that verify and rebuild stored tag sets. They compute the expected contents of the sets from users and tag
 * assignments.
 */
export function createSegmentCheck(
  dialect: SqlDialect,
  sets: SegmentChunks,
): {
  readonly reads: Functions<Pick<StorageReader, "verifyTagSets">, ReadContext>;
  readonly writes: Functions<Pick<StorageTransaction, "rebuildTagSets">, WriteContext>;
} {
  const { db, isOneOf, listParameter } = dialect;
  const { readExpected, findLastExpected } = prepareExpectedSets(dialect);

  const selectTags = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_user_tags")
      .select(["slug", "ordinal as setId"])
      .where("organization_id", "=", slot("organizationId"))
      .orderBy("created_at")
      .orderBy("id"),
  );

  const selectRemovals = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_tag_removals")
      .select(["tag", "ordinal as setId"])
      .where("organization_id", "=", slot("organizationId"))
      .orderBy("ordinal"),
  );

  const findLastStored = prepare((slot: Slot<{ organizationId: string; setIds: unknown }>) =>
    db
      .selectFrom("loyalty_segment_chunks")
      .select(({ fn }) => fn.max<number | null>("chunk").as("chunk"))
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("set_id"), slot("setIds"))),
  );

  const findStored = prepare((slot: Slot<{ organizationId: string; setIds: unknown; chunk: number }>) =>
    db
      .selectFrom("loyalty_segment_chunks")
      .leftJoin("loyalty_segment_sets", (join) =>
        join
          .onRef("loyalty_segment_sets.organization_id", "=", "loyalty_segment_chunks.organization_id")
          .onRef("loyalty_segment_sets.set_id", "=", "loyalty_segment_chunks.set_id"),
      )
      .select([
        "loyalty_segment_chunks.set_id as setId",
        "loyalty_segment_chunks.bits",
        "loyalty_segment_sets.version as setVersion",
      ])
      .where("loyalty_segment_chunks.organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("loyalty_segment_chunks.set_id"), slot("setIds")))
      .where("loyalty_segment_chunks.chunk", "=", slot("chunk")),
  );

  function* listSets(session: ReadSession, organizationId: string) {
    const current = yield* session.all(selectTags({ organizationId }));
    const removedTags = yield* session.all(selectRemovals({ organizationId }));
    return [
      { slug: null, setId: ALL_USERS, isRemoved: false },
      ...current.map((tag) => ({ ...tag, isRemoved: false })),
      ...removedTags.map((removal) => ({
        slug: slugOfRemoved(removal),
        setId: removal.setId,
        isRemoved: true,
      })),
    ];
  }

  /** Returns an upper bound for the number of chunks that the sets have or should have. */
  function* countChunks(session: ReadSession, organizationId: string, setIds: readonly number[]) {
    const selection = { organizationId, setIds: listParameter(setIds) };
    const [last] = yield* session.all(findLastStored(selection));
    return Math.max(last?.chunk ?? -1, yield* findLastExpected(session, organizationId)) + 1;
  }

  /** Returns the expected and the stored chunks of the sets at one index. */
  function* compareChunks(
    session: ReadSession,
    organizationId: string,
    setIds: readonly number[],
    chunk: number,
  ) {
    const expectedBits = yield* readExpected(session, organizationId, chunk);
    const pairs: { setId: number; bits: Chunk; before: Uint8Array | null }[] = [];
    for (let start = 0; start < setIds.length; start += SETS_PER_STATEMENT) {
      const batchSetIds = setIds.slice(start, start + SETS_PER_STATEMENT);
      const rows = yield* session.all(
        findStored({ organizationId, setIds: listParameter(batchSetIds), chunk }),
      );
      const rowsById = new Map(rows.map((row) => [row.setId, row]));
      for (const setId of batchSetIds) {
        const [bits, row] = [expectedBits.get(setId), rowsById.get(setId)];
        if (bits === undefined && row === undefined) continue;
        // Readers can't find chunks if the set's own row is lost.
        const storedBits = row === undefined || row.setVersion === null ? null : row.bits;
        pairs.push({ setId, bits: bits ?? emptyChunk(), before: storedBits });
      }
    }
    return pairs;
  }

  return {
    reads: {
      verifyTagSets: withRules(
        { readsBuffered: true, needsSnapshot: true },
        function* ({ session, organizationId }) {
          const all = yield* listSets(session, organizationId);
          const setIds = all.map(({ setId }) => setId);
          // A removed tag's set may also contain users of tags that were merged into it earlier.
          const removedSetIds = new Set(all.filter(({ isRemoved }) => isRemoved).map(({ setId }) => setId));
          const wrongSetIds = new Set<number>();
          const count = yield* countChunks(session, organizationId, setIds);
          for (let chunk = 0; chunk < count; chunk += 1) {
            for (const { setId, bits, before } of yield* compareChunks(
              session,
              organizationId,
              setIds,
              chunk,
            )) {
              const isCorrect = removedSetIds.has(setId)
                ? containsAll(bits, before)
                : matchesStored(bits, before);
              if (!isCorrect) wrongSetIds.add(setId);
            }
          }
          const slugs = all.filter(({ setId }) => wrongSetIds.has(setId)).map(({ slug }) => slug);
          return { checked: all.length - removedSetIds.size, wrong: slugs };
        },
      ),
    },

    writes: {
      // Stored chunks that should be empty are cleared instead of removed, because caches detect changes by their versions.
      rebuildTagSets: withRules({ readsBuffered: true }, function* ({ session, organizationId }) {
        const setIds = (yield* listSets(session, organizationId)).map(({ setId }) => setId);
        const count = yield* countChunks(session, organizationId, setIds);
        for (let chunk = 0; chunk < count; chunk += 1) {
          for (const { setId, bits } of yield* compareChunks(session, organizationId, setIds, chunk)) {
            yield* sets.put(session, organizationId, setId, [[chunk, bits]]);
          }
        }
      }),
    },
  };
}

function matchesStored(bits: Chunk, bytes: Uint8Array | null): boolean {
  return bytes !== null && Buffer.from(chunkToBytes(bits)).equals(applyDeltas(bytes));
}

/** Returns whether a stored chunk has at least these bits. */
function containsAll(bits: Chunk, bytes: Uint8Array | null): boolean {
  const missing = emptyChunk();
  subtract(missing, bits, bytes === null ? emptyChunk() : chunkFromBytes(applyDeltas(bytes)));
  return countBits(missing) === 0;
}

interface BatchStart {
  organizationId: string;
  userOrdinal: number;
  end: number;
}

/**
 * Creates functions that compute the expected contents of all tag sets from users and tag assignments, one chunk at a time. The
 * rows are read only once for all sets.
 */
function prepareExpectedSets({ db }: SqlDialect) {
  const selectUsers = prepare((slot: Slot<BatchStart>) =>
    db
      .selectFrom("loyalty_users")
      .select("ordinal")
      .where("organization_id", "=", slot("organizationId"))
      .where("ordinal", ">", slot("userOrdinal"))
      .where("ordinal", "<", slot("end"))
      .orderBy("ordinal")
      .limit(BATCH_SIZE),
  );

  const selectAssignments = prepare((slot: Slot<BatchStart & { tagOrdinal: number }>) =>
    db
      .selectFrom("loyalty_user_tag_assignments")
      .select(["user_ordinal as userOrdinal", "tag_ordinal as tagOrdinal"])
      .where("organization_id", "=", slot("organizationId"))
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple("user_ordinal", "tag_ordinal"), ">", tuple(slot("userOrdinal"), slot("tagOrdinal"))),
      )
      .where("user_ordinal", "<", slot("end"))
      .orderBy("user_ordinal")
      .orderBy("tag_ordinal")
      .limit(BATCH_SIZE),
  );

  const selectMergeTargets = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_tag_removals")
      .select(["ordinal", "target_ordinal as targetOrdinal"])
      .where("organization_id", "=", slot("organizationId"))
      .where("target_ordinal", "is not", null),
  );

  const findLastUser = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_users")
      .select("ordinal")
      .where("organization_id", "=", slot("organizationId"))
      .orderBy("ordinal", "desc")
      .limit(1),
  );

  const findLastAssigned = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_user_tag_assignments")
      .select("user_ordinal as ordinal")
      .where("organization_id", "=", slot("organizationId"))
      .orderBy("user_ordinal", "desc")
      .limit(1),
  );

  return {
    /** Returns the non-empty chunks of all sets at one chunk index, keyed by set number. */
    *readExpected(session: ReadSession, organizationId: string, chunk: number): Step<Map<number, Chunk>> {
      const sets = new Map<number, Chunk>();
      const add = (setId: number, ordinal: number) => {
        const bits = sets.get(setId) ?? emptyChunk();
        setBit(bits, ordinal);
        sets.set(setId, bits);
      };
      const targets = new Map<number, number | null>();
      for (const { ordinal, targetOrdinal } of yield* session.all(selectMergeTargets({ organizationId })))
        targets.set(ordinal, targetOrdinal);
      const range = { organizationId, end: (chunk + 1) * CHUNK_SIZE };
      for (let userOrdinal = chunk * CHUNK_SIZE - 1; ; ) {
        const rows = yield* session.all(selectUsers({ ...range, userOrdinal }));
        for (const { ordinal } of rows) add(ALL_USERS, ordinal);
        userOrdinal = rows.at(-1)?.ordinal ?? userOrdinal;
        if (rows.length < BATCH_SIZE) break;
      }
      for (let last = { userOrdinal: chunk * CHUNK_SIZE, tagOrdinal: -1 }; ; ) {
        const rows = yield* session.all(selectAssignments({ ...range, ...last }));
        for (const { userOrdinal, tagOrdinal } of rows) {
          add(tagOrdinal, userOrdinal);
          // A user with a removed tag counts as a user of the tag's merge target.
          const target = targets.get(tagOrdinal) ?? null;
          if (target !== null) add(target, userOrdinal);
        }
        last = rows.at(-1) ?? last;
        if (rows.length < BATCH_SIZE) break;
      }
      return sets;
    },

    /** Returns the index of the last chunk that is non-empty in any set, or -1 if there is none. */
    *findLastExpected(session: ReadSession, organizationId: string): Step<number> {
      const user = yield* findFirst(session, findLastUser({ organizationId }));
      const assigned = yield* findFirst(session, findLastAssigned({ organizationId }));
      return chunkOf(Math.max(user?.ordinal ?? -1, assigned?.ordinal ?? -1));
    },
  };
}
