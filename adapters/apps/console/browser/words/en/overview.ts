import { countText, numberText } from "./forms.js";

export const overview = {
  title: "Overview",
  range: (days: number) => countText(days, "day"),
  notShown: "You don’t have access to statistics",
  askForOne: "Ask your server’s administrator for access.",
  charts: {
    customers: "Customers",
    activeCards: "Active cards",
    stamps: "Stamps given",
    rewardsEarned: "Rewards earned",
    rewardsRedeemed: "Rewards redeemed",
    pointsGiven: "Points given",
    pointsSpent: "Points spent",
    pointsExpired: "Points expired",
    emailsAccepted: "Emails sent",
    walletMessages: "Messages on cards",
    unsubscribed: "Unsubscribes",
    installs: "Added to wallets",
  },
  otherWallets: "Other",
  customersNow: "Your customers",
  waiting: "with a reward waiting",
  fresh: (days: number) => `new customers in the last ${days} days`,
  returning: (days: number) => `returning customers in the last ${days} days`,
  quiet: (days: number) => `no visit in ${days} days`,
  way: "From sign-up to reward",
  whoJoined: (days: number) => `Customers who signed up in the last ${days} days`,
  joined: "Signed up",
  inWallet: "Card in a wallet",
  cameTwice: "Second visit",
  earned: "Earned a reward",
  ofJoined: (step: string) => `${step} (share of new sign-ups)`,
  today: "Today",
  todaySoFar: "Today so far",
  stampsToday: "stamps",
  earnedToday: "rewards earned",
  takenToday: "rewards redeemed",
  inCustomers: "Customers",
  inLog: "In the event log",
  allOfLast: (weekday: string) => `all day last ${weekday}`,
};

export const outstandingPoints = {
  title: "Outstanding points",
  totals: (available: number, pending: number, debt: number) =>
    [
      `${numberText(available)} available`,
      pending > 0 && `${numberText(pending)} pending`,
      debt > 0 && `${numberText(debt)} owed by customers`,
    ]
      .filter(Boolean)
      .join(" · "),
  card: "Card",
  allCards: "All cards",
  month: "Expires in",
  never: "Never",
  points: "Points",
  download: "Download CSV",
  fileName: "outstanding-points",
};
