import type { Step } from "../../../../src/base/concurrency/step.js";
import { chunkOf, collectBitsFrom } from "../../../../src/storage/bitmap.js";
import { prepare, type ReadContext, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

import { decodeChunk } from "./chunk-encoding.js";

/** Maximum number of chunks per statement, which bounds memory. */
const MAX_CHUNKS = 64;

/**
 * Creates a function that reads up to `limit` members of a stored tag set in ascending order, starting after the ordinal `after`.
 * In a transaction, write any changed sets before calling the function.
 */
export function prepareSetMembers({ db }: SqlDialect) {
  const selectChunksFrom = prepare(
    (slot: Slot<{ organizationId: string; setId: number; from: number; limit: number }>) =>
      db
        .selectFrom("loyalty_segment_chunks")
        .select(["chunk", "bits"])
        .where("organization_id", "=", slot("organizationId"))
        .where("set_id", "=", slot("setId"))
        .where("chunk", ">=", slot("from"))
        .orderBy("chunk")
        .limit(slot("limit")),
  );

  return function* (
    { session, organizationId }: ReadContext,
    setId: number,
    after: number,
    limit: number,
  ): Step<number[]> {
    const ordinals: number[] = [];
    let from = chunkOf(after + 1);
    // A set with many users usually has enough in one chunk. For a set with few users, the number of chunks per read grows.
    for (let chunkCount = 1; ; chunkCount = Math.min(2 * chunkCount, MAX_CHUNKS)) {
      const rows = yield* session.all(selectChunksFrom({ organizationId, setId, from, limit: chunkCount }));
      for (const { chunk, bits } of rows) {
        collectBitsFrom(decodeChunk(bits), chunk, after + 1, limit, ordinals);
        from = chunk + 1;
      }
      if (rows.length < chunkCount || ordinals.length >= limit) return ordinals;
    }
  };
}
