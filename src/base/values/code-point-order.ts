/**
 * Compares strings by code point, for sorting. JavaScript's `<` and `>` compare UTF-16 code units, which would sort U+10000 before
 * U+E000.
 */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Ranks surrogates, which encode the code points from U+10000 on, after all other units. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
