import type { Parameters } from "fast-check";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Only one of this many cases that fill a storage is tried. */
    readonly storedShare: number;
  }
}

/** Adapters where each statement is a round trip to a server, so that a run takes many times as long. */
const slow: readonly string[] = ["postgres"];

/** How many times as often a property is tried on the other adapters. */
const SHARE = 4;

/**
 * Returns how often a property is tried: as often as given, or `LOYALTY_PROPERTY_RUNS` times. With
 * `LOYALTY_PROPERTY_SHARE=3` it is tried a third as often. The cases are the same each time:
 * `LOYALTY_PROPERTY_SEED=random` tries new ones, and with the seed that a failure prints it tries those again.
 * @param adapter the adapter of the property; on a slow one it is tried less often.
 */
export function runs<T = unknown>(often: number, adapter = ""): Parameters<T> {
  return { numRuns: countTimes(often, adapter) };
}

/**
 * Like {@link runs}, for a property each of whose cases fills a storage. `npm test` tries a fifth of them, and
 * `npm run test:long` all. With `LOYALTY_PROPERTY_SHARE=5` and more that command leaves them out, because it would only
 * repeat some.
 */
export function storedRuns<T = unknown>(often: number, adapter = ""): Parameters<T> {
  return { numRuns: applyShare(often, inject("storedShare"), adapter) };
}

/** Returns the number of steps of a history on a server: as many as given, or the stored share of them. */
export function countStoredSteps(many: number): number {
  return Math.ceil(many / inject("storedShare"));
}

/**
 * Returns the seeds of a simulation that is tried as often as a property. `SIMULATION_SEED` replays the failed one.
 */
export function listSeeds(often: number, adapter = ""): number[] {
  return countSeeds(countTimes(often, adapter));
}

/** Like {@link listSeeds}, as often as {@link storedRuns}. */
export function storedSeeds(often: number, adapter = ""): number[] {
  return countSeeds(applyShare(often, inject("storedShare"), adapter));
}

/** Returns the size of a long scene: `whole`, or its share by `LOYALTY_PROPERTY_SHARE`, at least `atLeast`. */
export function takePortion(whole: number, atLeast = 1): number {
  return Math.max(atLeast, Math.ceil(whole / readPropertyShare()));
}

function countSeeds(count: number): number[] {
  const { SIMULATION_SEED: seed } = process.env;
  return seed === undefined ? Array.from({ length: count }, (_, at) => at + 1) : [Number(seed)];
}

function countTimes(often: number, adapter: string): number {
  return applyShare(often, readPropertyShare(), adapter);
}

function readPropertyShare(): number {
  const { LOYALTY_PROPERTY_SHARE: share = "1" } = process.env;
  return Number(share);
}

function applyShare(often: number, share: number, adapter: string): number {
  const { LOYALTY_PROPERTY_RUNS: runsOption } = process.env;
  if (runsOption !== undefined) return Number(runsOption);
  return Math.ceil(often / share / (slow.includes(adapter) ? SHARE : 1));
}
