import type { Design } from "../../../src/cards/design-schema.js";

/** The parts of a design that determine how stamps and cards are drawn. Pictures are referenced by hash. */
export type CardLook = Pick<
  Design,
  "backgroundColor" | "foregroundColor" | "labelColor" | "strip" | "stamps"
>;

/** The look of cards whose template has no design. */
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
