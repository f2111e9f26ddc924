/** Returns an SVG path for a circle. */
const createCircle = (x: number, y: number, radius: number) =>
  `M${x} ${y - radius}a${radius} ${radius} 0 1 0 .1 0Z`;

const teeth = [-40, -27, -14, -1, 12, 25].map((x) => `M${x}-2h7v22h-7Z`).join("");

/**
 * The motif for each kind of shop: an SVG path about 90 units wide and centered on the origin. It must be filled with the `evenodd`
 * rule.
 */
export const motifs = {
  cup: "M-32-20H20v8h6a15 15 0 0 1 0 30h-8a28 24 0 0 1-50-10ZM20-3v12h6a6 6 0 0 0 0-12Z",
  loaf: "M-42 14c0-32 20-40 42-40s42 8 42 40v10h-84ZM-22-10l9 20h7l-9-20ZM4-10l9 20h7l-9-20Z",
  comb: `M-40-16h72a8 8 0 0 1 8 8v4h-80Z${teeth}`,
  cone: "M-20 2h40L0 44ZM-24-4a24 24 0 0 1 48 0Z",
  slice: `M-38-26Q0-46 38-26L0 44Z${createCircle(-12, -10, 7)}${createCircle(11, -8, 7)}${createCircle(0, 14, 6)}`,
  flower:
    [
      createCircle(0, 0, 9),
      createCircle(0, -25, 14),
      createCircle(24, -8, 14),
      createCircle(15, 20, 14),
      createCircle(-15, 20, 14),
    ].join("") + createCircle(-24, -8, 14),
  book: "M-42-26q22-8 39 3v52q-17-11-39-3ZM42-26q-22-8-39 3v52q17-11 39-3Z",
  car: `M-44 14v-12l14-4 10-18h32l12 18 20 4v12ZM-20-2h14v-12h-8ZM0-2h16l-7-12H0Z${createCircle(-24, 20, 8)}${createCircle(24, 20, 8)}`,
  lotus: "M0-36q20 24 0 54q-20-30 0-54ZM-40-10q28 2 36 32q-30-2-36-32ZM40-10q-28 2-36 32q30-2 36-32Z",
  paw: `M0-2c15 0 28 15 23 27-4 10-15 4-23 4s-19 6-23-4c-5-12 8-27 23-27Z${createCircle(-30, -12, 9)}${createCircle(-11, -28, 10)}${createCircle(11, -28, 10)}${createCircle(30, -12, 9)}`,
} as const;

export type Motif = keyof typeof motifs;
