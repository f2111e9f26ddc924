import { numberText } from "./forms.js";

/** UI text for the points on a customer's card. */
export const points = {
  pending: (amount: string) => `${amount} pending`,
  held: (amount: string) => `${amount} reserved`,
  debt: (amount: string) => `${amount} owed`,
  expires: (amount: string, lastDay: string) => `${amount} usable until ${lastDay}`,
  inAll: (earned: string, spent: string, expired: string) =>
    `In all: ${earned} earned, ${spent} spent, ${expired} expired`,
  why: (balance: string) => `Why ${balance}?`,
  points: "Points",
  pointsWrong: (max: number) => `1 to ${numberText(max)}`,
  add: "Add points",
  spend: "Spend points",
  remove: "Remove points",
};

/** UI text for a card's point history, and sentences for its entries. */
export const pointHistory = {
  title: "Point history",
  noun: "entries",
  none: "No points yet",
  earned: (change: string) => `${change} for a purchase`,
  returned: (change: string) => `${change} for returned goods`,
  added: (amount: string) => `${amount} added`,
  removed: (amount: string) => `${amount} removed`,
  spent: (amount: string) => `${amount} spent`,
  expired: (amount: string) => `${amount} expired`,
  reversed: (change: string) => `Change undone: ${change}`,
  owed: (amount: string) => `${amount} owed`,
  paid: (amount: string) => `${amount} of debt paid`,
  usableFrom: (day: string) => `usable from ${day}`,
  usableUntil: (day: string) => `usable until ${day}`,
  quoted: (note: string) => `“${note}”`,
};
