/** Limits the deltas: changes that a row stores beside a chunk. See `chunk-encoding.ts`. */
export interface ChunkDeltas {
  /** Returns how many deltas fit into a chunk's row; 0 if writing a row always costs the same. */
  maxDeltasFor(organizationId: string): number;
}
