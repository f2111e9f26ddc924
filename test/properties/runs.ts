import type { Parameters } from "fast-check";

/** On these adapters each statement is a round trip to a server, so that a run takes many times as long. */
const slow: readonly string[] = ["postgres"];

/** How many times as often a property is tried on the others. */
const SHARE = 4;

/**
 * How often a property is tried: as often as given, or `LOYALTY_PROPERTY_RUNS` times. With `LOYALTY_PROPERTY_SHARE=3` all are
 * tried a third as often. The cases are the same each time: `LOYALTY_PROPERTY_SEED=random` tries new ones, and with the seed that
 * a failure prints it tries those again.
 * @param adapter what it is tried on, where that takes long on a server: it is tried less often there.
 */
export function runs<T = unknown>(often: number, adapter = ""): Parameters<T> {
  return { numRuns: times(often, adapter) };
}

/**
 * The seeds of a simulation that is tried as often as a property would be. `SIMULATION_SEED` replays the one that failed.
 */
export function seeds(often: number, adapter = ""): number[] {
  const { SIMULATION_SEED: seed } = process.env;
  if (seed !== undefined) return [Number(seed)];
  return Array.from({ length: times(often, adapter) }, (_, at) => at + 1);
}

function times(often: number, adapter: string): number {
  const { LOYALTY_PROPERTY_RUNS: wanted, LOYALTY_PROPERTY_SHARE: share = "1" } = process.env;
  if (wanted !== undefined) return Number(wanted);
  return Math.ceil(often / Number(share) / (slow.includes(adapter) ? SHARE : 1));
}
