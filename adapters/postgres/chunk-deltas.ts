import { maxBytesWith } from "../kysely/segments/chunk-encoding.js";

/** Postgres moves values of a longer row into a table beside, where each change would write the chunk whole, and twice. */
const MOST_ROW_BYTES = 2_032;

/** The size of a row's header, and the most bytes for a text's length. */
const [HEADER, LENGTH] = [24, 4];

/** The number of the set, of the chunk, and its version. */
const NUMBERS = 3 * 8;

/** Rows of chunks have room for the flips that don't make them too long. */
export function roomFor(organizationId: string): number {
  const id = HEADER + LENGTH + Buffer.byteLength(organizationId);
  const taken = Math.ceil(id / 8) * 8 + NUMBERS + LENGTH;
  return Math.max(
    0,
    Math.floor((MOST_ROW_BYTES - maxBytesWith(0) - taken) / (maxBytesWith(1) - maxBytesWith(0))),
  );
}
