import type { Parameters } from "fast-check";

/**
 * How often a property is tried: as often as given, or `LOYALTY_PROPERTY_RUNS` times. A failure prints a seed, and
 * `LOYALTY_PROPERTY_SEED` tries the same cases again.
 */
export function runs<T = unknown>(usual: number): Parameters<T> {
  const { LOYALTY_PROPERTY_RUNS: wanted, LOYALTY_PROPERTY_SEED: seed } = process.env;
  return {
    numRuns: wanted === undefined ? usual : Number(wanted),
    ...(seed !== undefined && { seed: Number(seed) }),
  };
}
