/** A color as its red, green and blue, each 0 to 255. */
type Channels = readonly [red: number, green: number, blue: number];

/** With less contrast than this, two colors look the same (WCAG 2 asks for 3 between graphics). */
const LEAST_CONTRAST = 1.7;

/** @param part how much of `other` there is in it, 0 to 1. Colors are of the form `#RRGGBB`. */
export function mixColors(color: string, other: string, part: number): string {
  const [from, to] = [channelsOf(color), channelsOf(other)];
  const channels = from.map((value, at) => Math.round(value + ((to[at] ?? value) - value) * part));
  return `#${channels.map((value) => value.toString(16).padStart(2, "0")).join("")}`.toUpperCase();
}

/** The ink that is asked for where it can be seen on the paper, and else black or white. */
export function readableInk(paper: string, ink: string): string {
  if (contrast(paper, ink) >= LEAST_CONTRAST) return ink;
  return isDark(paper) ? "#FFFFFF" : "#111111";
}

export function isDark(color: string): boolean {
  return luminance(color) < 0.18;
}

/** Returns the contrast of two colors, 1 to 21, by WCAG 2. */
export function contrast(one: string, other: string): number {
  const [lower = 0, higher = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (higher + 0.05) / (lower + 0.05);
}

function luminance(color: string): number {
  const [red, green, blue] = channelsOf(color).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

function channelsOf(color: string): Channels {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
