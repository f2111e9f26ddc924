/** Picks some items at random, and the same ones for the same seed. */
export function pickSome<T>(all: readonly T[], count: number, seed: number): T[] {
  const remaining = [...all];
  let state = seed;
  return Array.from({ length: Math.min(count, all.length) }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return remaining.splice(Math.floor((state / 2 ** 32) * remaining.length), 1);
  }).flat();
}
