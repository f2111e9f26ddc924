/** Flips are changes that a row keeps beside a chunk: see `chunk-encoding.ts`. */
export interface ChunkDeltas {
  /** Returns how many deltas fit into the row of a chunk; 0 if writing a row always costs the same. */
  maxDeltasFor(organizationId: string): number;
}
