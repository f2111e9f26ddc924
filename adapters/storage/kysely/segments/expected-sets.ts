import type { Step } from "../../../../src/base/concurrency/step.js";
import { CHUNK_SIZE, type Chunk, chunkOf, emptyChunk, setBit } from "../../../../src/storage/bitmap.js";
import { findFirst, type ReadSession } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { ALL_USERS } from "./segment-chunks.js";

/** Rows per read, which bounds memory. */
const BATCH = 10_000;

interface Batch {
  organizationId: string;
  userOrdinal: number;
  end: number;
}

/**
 * Creates functions that compute the expected contents of all tag sets from users and tag assignments, one chunk at a time. The
 * rows are read only once for all sets.
 */
export function expectedSets({ db }: SqlDialect) {
  const users = prepare((slot: Slot<Batch>) =>
    db
      .selectFrom("loyalty_users")
      .select("ordinal")
      .where("organization_id", "=", slot("organizationId"))
      .where("ordinal", ">", slot("userOrdinal"))
      .where("ordinal", "<", slot("end"))
      .orderBy("ordinal")
      .limit(BATCH),
  );

  const assignments = prepare((slot: Slot<Batch & { tagOrdinal: number }>) =>
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
      .limit(BATCH),
  );

  const merging = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_tag_removals")
      .select(["ordinal", "target_ordinal as targetOrdinal"])
      .where("organization_id", "=", slot("organizationId"))
      .where("target_ordinal", "is not", null),
  );

  const lastUser = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_users")
      .select("ordinal")
      .where("organization_id", "=", slot("organizationId"))
      .orderBy("ordinal", "desc")
      .limit(1),
  );

  const lastAssigned = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_user_tag_assignments")
      .select("user_ordinal as ordinal")
      .where("organization_id", "=", slot("organizationId"))
      .orderBy("user_ordinal", "desc")
      .limit(1),
  );

  return {
    /** Returns the non-empty chunks of all sets at one chunk index, keyed by set number. */
    *expected(session: ReadSession, organizationId: string, chunk: number): Step<Map<number, Chunk>> {
      const sets = new Map<number, Chunk>();
      const add = (setId: number, ordinal: number) => {
        const bits = sets.get(setId) ?? emptyChunk();
        setBit(bits, ordinal);
        sets.set(setId, bits);
      };
      const targets = new Map<number, number | null>();
      for (const { ordinal, targetOrdinal } of yield* session.all(merging({ organizationId })))
        targets.set(ordinal, targetOrdinal);
      const of = { organizationId, end: (chunk + 1) * CHUNK_SIZE };
      for (let userOrdinal = chunk * CHUNK_SIZE - 1; ; ) {
        const rows = yield* session.all(users({ ...of, userOrdinal }));
        for (const { ordinal } of rows) add(ALL_USERS, ordinal);
        userOrdinal = rows.at(-1)?.ordinal ?? userOrdinal;
        if (rows.length < BATCH) break;
      }
      for (let last = { userOrdinal: chunk * CHUNK_SIZE, tagOrdinal: -1 }; ; ) {
        const rows = yield* session.all(assignments({ ...of, ...last }));
        for (const { userOrdinal, tagOrdinal } of rows) {
          add(tagOrdinal, userOrdinal);
          // A user with a removed tag counts as a user of the tag's merge target.
          const target = targets.get(tagOrdinal) ?? null;
          if (target !== null) add(target, userOrdinal);
        }
        last = rows.at(-1) ?? last;
        if (rows.length < BATCH) break;
      }
      return sets;
    },

    /** Returns the index of the last chunk that is non-empty in any set, or -1 if there is none. */
    *lastExpected(session: ReadSession, organizationId: string): Step<number> {
      const user = yield* findFirst(session, lastUser({ organizationId }));
      const assigned = yield* findFirst(session, lastAssigned({ organizationId }));
      return chunkOf(Math.max(user?.ordinal ?? -1, assigned?.ordinal ?? -1));
    },
  };
}
