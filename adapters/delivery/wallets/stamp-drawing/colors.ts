/** A color's red, green and blue, each 0 to 255. */
type Channels = readonly [red: number, green: number, blue: number];

/** Contrast below which two colors can't be distinguished. WCAG 2 asks for 3 between graphics. */
const MIN_CONTRAST = 1.7;

/**
 * Mixes two colors in the format `#RRGGBB`.
 * @param proportion the proportion of `other`, from 0 to 1.
 */
export function mixColors(color: string, other: string, proportion: number): string {
  const [from, to] = [parseChannels(color), parseChannels(other)];
  const channels = from.map((value, at) => Math.round(value + ((to[at] ?? value) - value) * proportion));
  return `#${channels.map((value) => value.toString(16).padStart(2, "0")).join("")}`.toUpperCase();
}

/**
 * Returns the ink color if it is visible on the paper color. Otherwise, returns white for dark paper, or near-black for light
 * paper.
 */
export function pickReadableInk(paper: string, ink: string): string {
  if (computeContrast(paper, ink) >= MIN_CONTRAST) return ink;
  return isDark(paper) ? "#FFFFFF" : "#111111";
}

export function isDark(color: string): boolean {
  return computeLuminance(color) < 0.18;
}

/** Returns the contrast ratio between two colors as defined by WCAG 2, from 1 to 21. */
export function computeContrast(one: string, other: string): number {
  const [lower = 0, higher = 0] = [computeLuminance(one), computeLuminance(other)].toSorted((a, b) => a - b);
  return (higher + 0.05) / (lower + 0.05);
}

function computeLuminance(color: string): number {
  const [red, green, blue] = parseChannels(color).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

function parseChannels(color: string): Channels {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
