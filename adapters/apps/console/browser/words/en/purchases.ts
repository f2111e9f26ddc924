import { countText } from "./forms.js";

/** UI text for the list of purchases and its filters. */
export const purchases = {
  title: "Purchases",
  noun: "purchases",
  filters: "Filter purchases",
  customer: "Customer",
  chooseCustomer: "Choose a customer",
  findCustomer: "Find a customer",
  withoutCustomer: (customer: string) => `Remove the filter for ${customer}`,
  close: "Close",
  source: "Till or shop",
  from: "From",
  to: "To",
  none: "No purchases yet",
  noneHint: "Purchases appear here as soon as your till or shop records them.",
  setUpPoints: "Set up points",
  noneSuch: "No matching purchases",
  showAll: "Show all",
  noCustomer: "No customer",
  returned: (amount: string) => `${amount} returned`,
};

/** UI text for the screen of one purchase. */
export const purchase = {
  back: "Purchases",
  title: (amount: string) => `Purchase for ${amount}`,
  details: "Details",
  customer: "Customer",
  at: "Time",
  recorded: "Recorded",
  source: "Till or shop",
  receipt: "Receipt",
  total: "Total",
  returned: "Returned",
  paidWithPoints: "Paid with points",
  note: "Note",
  lines: "Items",
  line: (at: number) => `Item ${at}`,
  pieces: (count: string, name: string) => `${count} × ${name}`,
  lineReturned: (pieces: string, amount: string) => `${pieces} returned (${amount})`,
  amountReturned: (amount: string) => `${amount} returned`,
  gave: "What it gave",
  gaveNothing: "This purchase gave nothing: the customer had no card that collects for purchases.",
  nobody: "This purchase gave nothing, because it names no customer.",
  oneCard: "Card",
  confirm: "Make pending points usable now",
  confirmed: "The points are usable now",
  alreadyConfirmed: "The points are already usable",
};

/** UI text for the dialog for returned goods. */
export const returning = {
  open: "Return goods…",
  title: "Which goods came back?",
  everything: "Everything that is left",
  pieces: (left: number) => `of ${countText(left, "item")}`,
  piecesWrong: (left: number) => `0 to ${left}`,
  onlyWithAll: "Only together with everything",
  note: "Note",
  about: "Stamps and points are corrected by the difference. This can’t be undone.",
  do: "Return",
  done: (changes: string) => `Returned: ${changes}`,
  doneWithoutChange: "Returned. The cards stay as they are.",
  frozen: "Nothing has changed.",
};

/** Sentences that explain what a purchase gave to a card. */
export const reasons = {
  kinds: { goods: "goods", shipping: "shipping", tip: "tips", fee: "fees", gift_card: "gift cards" },
  notCounted: {
    goods: "goods don’t count",
    shipping: "shipping doesn’t count",
    tip: "tips don’t count",
    fee: "fees don’t count",
    gift_card: "gift cards don’t count",
  },
  ofKinds: (amount: string, kinds: string) => `${amount} of ${kinds}`,
  items: (count: number) => countText(count, "item"),
  perAmount: (units: string, amount: string) => `${units} for every ${amount}`,
  inSteps: (units: string, amount: string) => `${units} for each full ${amount}`,
  perPurchase: (units: string) => `${units} for the purchase`,
  perItem: (units: string) => `${units} for each item`,
  only: (labels: string) => `only ${labels}`,
  except: (labels: string) => `except ${labels}`,
  fromAmount: (amount: string) => `from ${amount} on`,
  others: (count: number) => countText(count, "other"),
  sum: (units: string) => `${units} in all`,
  best: (units: string) => `${units} by the rule that gives most`,
  byFormerRules: (units: string) => `${units} by the rules that applied when the purchase was recorded`,
  otherCurrency: (units: string, card: string, purchase: string) =>
    `${units}: the card counts purchases in ${card}, and this one is in ${purchase}`,
  unknownCurrency: (units: string, purchase: string) =>
    `${units}: the card counts another currency than ${purchase}`,
  withoutTax: "Tax doesn’t count.",
  paidWithPoints: (amount: string) => `${amount} was paid with points and doesn’t count.`,
  bonus: (what: string, times: string) => `Bonus: ${what} counted ${times} times.`,
  returned: (units: string, amount: string) => `${units} fewer, because ${amount} came back.`,
  limitPerPurchase: (units: string, limit: string) =>
    `Without the limit of ${limit} per purchase, it would be ${units}.`,
  limitPerDay: (units: string, limit: string) =>
    `Without the limit of ${limit} per day, it would be ${units}.`,
  cut: (units: string) => `Without a limit, it would be ${units}.`,
  notTaken: (units: string) => `${units} couldn’t be taken back: they had already expired or been used.`,
};
