/** Limits how many deltas a row may store in addition to a chunk. `chunk-encoding.ts` describes deltas. */
export interface ChunkDeltas {
  /** Returns the maximum number of deltas in a chunk's row, or 0 if deltas don't make writing a row cheaper. */
  maxDeltasFor(organizationId: string): number;
}
