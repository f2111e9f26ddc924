import type { StampShape } from "../../../../../src/resources/design.js";
import type { Motif } from "./motifs.js";

/** A design to begin with. */
export interface Trade {
  readonly name: string;
  readonly backgroundColor: string;
  readonly foregroundColor: string;
  readonly labelColor: string;
  readonly shape: StampShape;
  readonly motif: Motif;
  /** What stamps and rewards are called. */
  readonly stampsLabel: string;
  readonly rewardsLabel: string;
  readonly toGo: string;
  readonly rewardReady: string;
  /** What a full card earns. */
  readonly reward: string;
}

/** @param thing one of what is bought, with which the sentences are made. */
function trade(
  name: string,
  [backgroundColor, foregroundColor, labelColor]: readonly [string, string, string],
  look: Pick<Trade, "shape" | "motif">,
  { stampsLabel, thing, reward }: { stampsLabel: string; thing: string; reward: string },
): Trade {
  return {
    ...{ name, backgroundColor, foregroundColor, labelColor, ...look, stampsLabel, reward },
    rewardsLabel: "Rewards",
    toGo: `{count} more to your free ${thing}`,
    rewardReady: `Your free ${thing} is waiting`,
  };
}

export const trades: readonly Trade[] = [
  trade(
    "Café",
    ["#3B2417", "#FFF6EA", "#E3C9A8"],
    { shape: "CUP", motif: "cup" },
    { stampsLabel: "Coffees", thing: "coffee", reward: "A coffee of your choice" },
  ),
  trade(
    "Bakery",
    ["#F6E3C0", "#4A2C0A", "#6E430F"],
    { shape: "CIRCLE", motif: "loaf" },
    { stampsLabel: "Loaves", thing: "loaf", reward: "A loaf of your choice" },
  ),
  trade(
    "Barber",
    ["#14213D", "#FFFFFF", "#F2C14E"],
    { shape: "CHECK", motif: "comb" },
    { stampsLabel: "Visits", thing: "haircut", reward: "A haircut on the house" },
  ),
  trade(
    "Ice cream",
    ["#FFE1EC", "#7A1141", "#8A2C57"],
    { shape: "HEART", motif: "cone" },
    { stampsLabel: "Cones", thing: "cone", reward: "A cone with two scoops" },
  ),
  trade(
    "Pizzeria",
    ["#8F1D1D", "#FFF7E6", "#FFD9A0"],
    { shape: "STAR", motif: "slice" },
    { stampsLabel: "Pizzas", thing: "pizza", reward: "A pizza of your choice" },
  ),
  trade(
    "Florist",
    ["#E7F3E4", "#1E4D2B", "#2F5F3C"],
    { shape: "HEART", motif: "flower" },
    { stampsLabel: "Bouquets", thing: "bouquet", reward: "A bouquet of the season" },
  ),
  trade(
    "Bookshop",
    ["#1F3A5F", "#F5EFE0", "#C9D6E8"],
    { shape: "STAR", motif: "book" },
    { stampsLabel: "Books", thing: "paperback", reward: "A paperback of your choice" },
  ),
  trade(
    "Car wash",
    ["#0B4F8A", "#FFFFFF", "#CDE9FF"],
    { shape: "CHECK", motif: "car" },
    { stampsLabel: "Washes", thing: "wash", reward: "A wash with wax" },
  ),
  trade(
    "Yoga studio",
    ["#EDE7F6", "#3F2A6B", "#543D8A"],
    { shape: "CIRCLE", motif: "lotus" },
    { stampsLabel: "Classes", thing: "class", reward: "A class of your choice" },
  ),
  trade(
    "Pet shop",
    ["#12494B", "#FFF8E7", "#FFD08A"],
    { shape: "HEART", motif: "paw" },
    { stampsLabel: "Purchases", thing: "bag of treats", reward: "A bag of treats" },
  ),
];
