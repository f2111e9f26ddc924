/** Flips are changes that a row keeps beside a chunk: see `chunk-encoding.ts`. */
export interface ChunkDeltas {
  /** How many the row of a chunk has room for; 0 where a row takes the same to write whatever changes in it. */
  maxDeltasFor(organizationId: string): number;
}
