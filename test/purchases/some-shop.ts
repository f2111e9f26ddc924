import type { Earning } from "./earning.js";
import { type Card, type Effect, findPurchase, type Program, type Shop } from "./model.js";
import { emptyPointCard } from "./point-card.js";
import { createStampCard } from "./stamp-card.js";

/** Gives one point for each 10.00, without expiry. */
export const onePerTen: Program = createProgram({ rules: [{ give: 1, per: { amount: 1_000 } }] });

export function createProgram(earning: Partial<Earning>, points: Program["points"] = {}): Program {
  return { earning: { currency: "EUR", rules: [], ...earning }, points };
}

/** A shop in Vienna. Ann has the card `ann`, Bob has the card `bob`, and both are of the template `points`. */
export function createShop(program = onePerTen): Shop {
  return {
    timeZone: "Europe/Vienna",
    programs: { points: program },
    cards: [createCard("ann"), createCard("bob")],
    purchases: [],
    erased: [],
  };
}

export function createCard(customer: string, id = customer): Card {
  return { id, customer, templateId: "points", state: emptyPointCard };
}

/** Adds the card `stamps` for Ann, which has earning rules of its own. */
export function addStampCard(shop: Shop, maxStamps: number, earning: Partial<Earning>): Shop {
  const card: Card = {
    id: "stamps",
    customer: "ann",
    templateId: "stamps",
    state: createStampCard(maxStamps),
  };
  const program = { earning: { currency: "EUR", rules: [], ...earning }, points: null };
  return { ...shop, programs: { ...shop.programs, stamps: program }, cards: [...shop.cards, card] };
}

/** Returns the effect of a purchase on a card. */
export function readEffect(
  shop: Shop,
  key: string,
  cardId: string,
): Pick<Effect, "units" | "notTaken" | "cut"> {
  const effect = findPurchase(shop, key).effects.find((one) => one.cardId === cardId);
  const { units = 0, notTaken = 0, cut = 0n } = effect ?? {};
  return { units, notTaken, cut };
}
