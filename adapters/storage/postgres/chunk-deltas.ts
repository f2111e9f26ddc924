import { maxBytesWith } from "../kysely/segments/chunk-encoding.js";

/**
 * Maximum size of a row that Postgres stores inline, in bytes. It moves the values of longer rows to a separate table, where each
 * change would write the whole chunk, and do so twice.
 */
const MOST_ROW_BYTES = 2_032;

/** Size of a row header, and the maximum size of a text's length prefix, in bytes. */
const [HEADER, LENGTH] = [24, 4];

/** Size of the set's number, the chunk's number, and the version, in bytes. */
const NUMBERS = 3 * 8;

/** Returns the maximum number of deltas in a chunk's row. With more deltas, Postgres would no longer store the row inline. */
export function roomFor(organizationId: string): number {
  const id = HEADER + LENGTH + Buffer.byteLength(organizationId);
  const taken = Math.ceil(id / 8) * 8 + NUMBERS + LENGTH;
  return Math.max(
    0,
    Math.floor((MOST_ROW_BYTES - maxBytesWith(0) - taken) / (maxBytesWith(1) - maxBytesWith(0))),
  );
}
