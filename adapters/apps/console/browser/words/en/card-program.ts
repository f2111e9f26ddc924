/** UI text for what purchases give on a card. */
export const program = {
  noPoints: "This card doesn’t collect points.",
  givesNoPoints: "Purchases don’t give points. You can still add and take points by hand.",
  givesNoStamps: "Purchases don’t give stamps. You add them at the till.",
  startPoints: (amount: string) => `Give 1 point for every ${amount}`,
  startStamps: "Give 1 stamp for every purchase",
  versionHint:
    "Changes apply to new purchases. Earlier purchases and their returns keep the rules of their day.",
  stop: "Turn off",
  stopPoints: "Stop giving points for purchases",
  stopPointsTitle: "Stop giving points for purchases?",
  stopStamps: "Stop giving stamps for purchases",
  stopStampsTitle: "Stop giving stamps for purchases?",
  stopHint: "New purchases give nothing. Cards keep what they have. This takes effect when you save.",
  removePoints: "Remove points",
  removePointsTitle: "Remove points from this card?",
  removePointsHint: "The card no longer shows points. They aren’t deleted. This takes effect when you save.",
  more: "More",
};

/** UI text for the rules by which purchases earn. Selects and inputs stand between the words. */
export const rules = {
  rule: (number: number) => `Rule ${number}`,
  give: "Give",
  givePoints: "Number of points",
  giveStamps: "Number of stamps",
  pointsWord: { one: "point", many: "points" },
  stampsWord: { one: "stamp", many: "stamps" },
  basis: "For what",
  amount: "Amount",
  purchasesIn: "in",
  currency: "Currency",
  minAmount: "Only if it comes to at least",
  inSteps: "Count only whole amounts",
  inStepsHint: "With 3 points for every 10.00, a purchase of 19.00 gives 3 points and not 5.",
  more: "Only some products, minimum amount",
  add: "Add rule",
  remove: (number: number) => `Remove rule ${number}`,
  combine: "If several rules apply",
};

export const bases = [
  ["amount", "for every amount of"],
  ["purchase", "for every purchase"],
  ["item", "for every item"],
] as const;

export const combinations = [
  ["sum", "Add them up"],
  ["best", "Use the rule that gives most"],
] as const;

/** UI text for bonuses. */
export const bonuses = {
  title: "Bonuses",
  none: "For example, double on Tuesdays.",
  bonus: (number: number) => `Bonus ${number}`,
  size: "Size of the bonus",
  percent: "Percentage",
  percentOf: "% of the usual",
  on: "on",
  everyDay: "No day chosen: the bonus is for every day.",
  noDay: "This bonus isn’t for any day.",
  weekdays: "Weekdays",
  fromTime: "From this time",
  toTime: "Until this time",
  timeHint: "The bonus ends when this time begins.",
  from: "First day",
  to: "Last day",
  more: "Only some products, hours, dates",
  add: "Add bonus",
  remove: (number: number) => `Remove bonus ${number}`,
  largest: "If several bonuses apply, the largest counts.",
};

export const bonusSizes = [
  ["200", "Double (×2)"],
  ["300", "Triple (×3)"],
  ["150", "Half more (+50 %)"],
  ["typed", "Other"],
] as const;

/** UI text for the products that a rule or bonus is limited to. */
export const lineFilter = {
  limit: "Limit to some products",
  add: "Choose a limit…",
  everything: "All products",
  matchesNothing: "Nothing matches an empty list.",
  chipHint: "Press Enter after each one.",
  removeText: (text: string) => `Remove ${text}`,
  removeList: (list: string) => `Remove the limit “${list}”`,
};

export const filterLists = [
  ["categories", "Only these categories"],
  ["skus", "Only these product numbers"],
  ["notCategories", "Not these categories"],
  ["notSkus", "Not these product numbers"],
] as const;

/** UI text for what counts, limits, and returns. */
export const counts = {
  title: "What counts",
  tax: "Tax counts",
  taxHint: "If not, a purchase counts without the tax in its prices.",
  paidWithPoints: "What is paid with points counts, too",
  limits: "Limits",
  perPurchase: "At most per purchase",
  perDay: "At most per card and day",
  noLimit: "Leave blank for no limit",
  onReturn: "If goods come back and the points were already spent",
};

export const lineKinds = [
  ["goods", "Goods"],
  ["shipping", "Shipping"],
  ["tip", "Tips"],
  ["fee", "Fees"],
  ["gift_card", "Gift cards"],
] as const;

export const returnPolicies = [
  ["debt", "The card goes below zero"],
  ["forgive", "The customer keeps them"],
] as const;

/** UI text for the terms of points. */
export const terms = {
  title: "The points",
  unit: "What points are called",
  unitHint: "For example, beans. Leave blank for “points” in the customer’s language.",
  expiry: "Points expire",
  days: "After this many days",
  months: "After this many months",
  pendingDays: "Days until new points can be used",
  pendingDaysHint: "0 means immediately. Use this if customers can return goods.",
  graceDays: "Extra days for points that come back",
  graceDaysHint:
    "If a customer gets spent points back that have expired, they can be used for this many days.",
};

export const expiries = [
  ["never", "Never"],
  ["days", "After some days"],
  ["day", "After some months, to the day"],
  ["month", "After some months, at the end of the month"],
  ["year", "After some months, at the end of the year"],
] as const;

/** UI text for the example below the rules. */
export const example = {
  title: "Example",
  amount: "Amount of the example",
  what: "What is bought",
  pieces: "Number of items",
  piecesWord: { one: "item", many: "items" },
  weekday: "Weekday",
  date: "Date",
  time: "Time",
  category: (name: string) => `Goods: ${name}`,
  sku: (number: string) => `Product ${number}`,
  otherGoods: "Other goods",
  onWeekday: (weekday: string) => `on a ${weekday}`,
  onDate: (date: string) => `on ${date}`,
  atTime: (when: string, time: string) => `${when} at ${time}`,
  result: (amount: string, when: string, units: string) => `A purchase of ${amount} ${when} gives ${units}.`,
  limited: "More isn’t possible because of the limit.",
  withoutTax: "The example’s amount is without tax.",
  incomplete: "Fill in all fields to see how much a purchase gives.",
};

/** Messages for fields that aren’t complete. */
export const errors = {
  number: "must be a whole number",
  amount: (sample: string) => `must be an amount, such as ${sample}`,
};
