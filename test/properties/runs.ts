import type { Parameters } from "fast-check";

/** On these adapters each statement is a round trip to a server, so that a run takes many times as long. */
const slow: readonly string[] = ["postgres"];

/** How many times as often a property is tried on the others. */
const SHARE = 4;

/**
 * How often a property is tried: as often as given, or `LOYALTY_PROPERTY_RUNS` times. A failure prints a seed, and
 * `LOYALTY_PROPERTY_SEED` tries the same cases again.
 * @param adapter what it is tried on, where that takes long on a server: it is tried less often there.
 */
export function runs<T = unknown>(often: number, adapter = ""): Parameters<T> {
  const usual = slow.includes(adapter) ? Math.ceil(often / SHARE) : often;
  const { LOYALTY_PROPERTY_RUNS: wanted, LOYALTY_PROPERTY_SEED: seed } = process.env;
  return {
    numRuns: wanted === undefined ? usual : Number(wanted),
    ...(seed !== undefined && { seed: Number(seed) }),
  };
}
