/**
 * Returns a round number that is at least `value`, for use as the top of a chart's scale. The number is even so that the chart can
 * also label the midpoint.
 */
export function computeScaleMaximum(value: number): number {
  if (value <= 2) return 2;
  const magnitude = 10 ** Math.floor(Math.log10(value));
  const steps = magnitude === 1 ? [2, 4, 6, 10] : [1, 2, 4, 5, 10];
  return (steps.find((step) => step * magnitude >= value) ?? 10) * magnitude;
}

/**
 * Returns the index to select when the user presses the left or right arrow key, Home, or End in a list of `count` items. Returns
 * `null` for any other key.
 * @param selected the selected index, or `null` if nothing is selected.
 */
export function findNextIndex(key: string, selected: number | null, count: number): number | null {
  const last = count - 1;
  if (key === "Home") return 0;
  if (key === "End") return last;
  if (key === "ArrowLeft") return Math.max((selected ?? count) - 1, 0);
  return key === "ArrowRight" ? Math.min((selected ?? -1) + 1, last) : null;
}
