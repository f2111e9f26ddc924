/**
 * Returns a round number that is at least `value`, for use as the top of a chart's scale. The number is even so that the chart can
 * also label the midpoint.
 */
export function niceMaximum(value: number): number {
  if (value <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(value));
  const steps = power === 1 ? [2, 4, 6, 10] : [1, 2, 4, 5, 10];
  return (steps.find((step) => step * power >= value) ?? 10) * power;
}

/**
 * Returns the index to select when the user presses the left or right arrow key, Home, or End in a list of `count` items. `at` is
 * the selected index, or `null` if nothing is selected. Returns `null` for any other key.
 */
export function nextIndex(key: string, at: number | null, count: number): number | null {
  const last = count - 1;
  if (key === "Home") return 0;
  if (key === "End") return last;
  if (key === "ArrowLeft") return Math.max((at ?? count) - 1, 0);
  return key === "ArrowRight" ? Math.min((at ?? -1) + 1, last) : null;
}
