/** What the figures may be at most. */
export const bounds = { filesOfAssignment: 58 } as const;

/** The figures that are over their bounds, in words. */
export function findExceeded(figures: Record<keyof typeof bounds, number>): string[] {
  const names = Object.keys(bounds) as (keyof typeof bounds)[];
  return names
    .filter((name) => figures[name] > bounds[name])
    .map((name) => `${name} is ${figures[name]}, at most ${bounds[name]}`);
}
