/** The upper bounds of the figures. */
export const bounds = { filesOfAssignment: 58 } as const;

/** Describes the figures that exceed their bounds. */
export function findExceeded(figures: Record<keyof typeof bounds, number>): string[] {
  const names = Object.keys(bounds) as (keyof typeof bounds)[];
  return names
    .filter((name) => figures[name] > bounds[name])
    .map((name) => `${name} is ${figures[name]}, at most ${bounds[name]}`);
}
