import type { StampShape } from "../../../../../../src/cards/design-schema.js";
import type { Motif } from "./motifs.js";

/** The colors, stamp shape, and motif of a design preset. */
export interface TradeLook {
  readonly backgroundColor: string;
  readonly foregroundColor: string;
  readonly labelColor: string;
  readonly shape: StampShape;
  readonly motif: Motif;
}

const createLook = (
  [backgroundColor, foregroundColor, labelColor]: readonly [string, string, string],
  shape: StampShape,
  motif: Motif,
): TradeLook => ({ backgroundColor, foregroundColor, labelColor, shape, motif });

/** The kinds of shops that have preset designs, in display order. */
export const trades = {
  cafe: createLook(["#3B2417", "#FFF6EA", "#E3C9A8"], "CUP", "cup"),
  bakery: createLook(["#F6E3C0", "#4A2C0A", "#6E430F"], "CIRCLE", "loaf"),
  barber: createLook(["#14213D", "#FFFFFF", "#F2C14E"], "CHECK", "comb"),
  iceCream: createLook(["#FFE1EC", "#7A1141", "#8A2C57"], "HEART", "cone"),
  pizzeria: createLook(["#8F1D1D", "#FFF7E6", "#FFD9A0"], "STAR", "slice"),
  florist: createLook(["#E7F3E4", "#1E4D2B", "#2F5F3C"], "HEART", "flower"),
  bookshop: createLook(["#1F3A5F", "#F5EFE0", "#C9D6E8"], "STAR", "book"),
  carWash: createLook(["#0B4F8A", "#FFFFFF", "#CDE9FF"], "CHECK", "car"),
  yoga: createLook(["#EDE7F6", "#3F2A6B", "#543D8A"], "CIRCLE", "lotus"),
  petShop: createLook(["#12494B", "#FFF8E7", "#FFD08A"], "HEART", "paw"),
} as const;

export type Trade = keyof typeof trades;

export const tradeKeys: readonly Trade[] = [
  "cafe",
  "bakery",
  "barber",
  "iceCream",
  "pizzeria",
  "florist",
  "bookshop",
  "carWash",
  "yoga",
  "petShop",
];
