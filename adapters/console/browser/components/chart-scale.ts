/** The lowest round number that is at least as high: 1, 2 or 5 with zeros behind, and even where it may be, so that it has a half. */
export function niceMaximum(value: number): number {
  if (value <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(value));
  const steps = power === 1 ? [2, 4, 6, 10] : [1, 2, 4, 5, 10];
  return (steps.find((step) => step * power >= value) ?? 10) * power;
}

/** Returns the index that an arrow key moves to; `null` for any other key. */
export function nextIndex(key: string, at: number | null, count: number): number | null {
  const last = count - 1;
  if (key === "Home") return 0;
  if (key === "End") return last;
  if (key === "ArrowLeft") return Math.max((at ?? count) - 1, 0);
  return key === "ArrowRight" ? Math.min((at ?? -1) + 1, last) : null;
}
