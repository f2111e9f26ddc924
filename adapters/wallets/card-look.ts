import type { Design } from "../../src/resources/design.js";

/** The parts of a design that are drawn. Pictures are identified by their hashes. */
export type CardLook = Pick<
  Design,
  "backgroundColor" | "foregroundColor" | "labelColor" | "strip" | "stamps"
>;

/** The look of a card without a design. */
export const plainLook: CardLook = {
  backgroundColor: "#FFFFFF",
  foregroundColor: "#111827",
  labelColor: "#4B5563",
  strip: null,
  stamps: { shape: "CIRCLE", filled: null, empty: null },
};

export function pickCardLook(design: CardLook | null): CardLook {
  const { backgroundColor, foregroundColor, labelColor, strip, stamps } = design ?? plainLook;
  return { backgroundColor, foregroundColor, labelColor, strip, stamps };
}
