import { countText } from "./forms.js";

/** UI text for automation presets, except for the messages that they send. */
export const ready = {
  title: "Templates",
  hint: "Choose one to preview it, then create it.",
  there: (name: string) => `You already have “${name}”, which does this.`,
  make: "Create",
  cancel: "Cancel",
  made: (name: string) => `“${name}” is now on`,
  name: "Name",
  nameHint: "Only you and your team can see this.",
  needsCard: "This automation needs a stamp card. Create one under Cards first.",
  toGo: "Stamps left",
  toGoHint: "1 means the customer is one stamp away from the reward.",
  waits: "Days after the card is full",
  waitsHint: "Customers who redeem their reward by then don’t get a message. At most 30.",
  stamps: "Bonus stamps",
  stampsHint: "Added before the message is sent. Enter 0 for none.",
  key: "Note with the birthday",
  keyHint:
    "The name of the note on the customer’s page, such as birthday. Enter dates as YYYY-MM-DD, for example 1990-05-31.",
  at: "Time of day",
  atHint: "In the time zone from your settings.",
  reward: "Also give a reward",
  rewardHint: "Only customers with the card get the reward and the message.",
  days: "Days without a visit",
  daysHint:
    "Runs when a customer reaches this many days. Customers who have already passed it aren’t included.",
  segmentMade: "The segment was created. Select Create again to finish.",
  number: "Enter a whole number.",
  text: "This field is required.",
  gone: "This card no longer exists.",
  segment: (days: number) => `No visit in ${countText(days, "day")}`,
  useSegment: (name: string) => `Uses your segment “${name}”.`,
  makeSegmentReport: (name: string) =>
    `Uses your segment “${name}” and makes it report who enters and leaves.`,
  makeSegment: (name: string) => `Also creates the segment “${name}”, which you’ll find under Segments.`,
} as const;

/** Each automation preset's name and description. */
export const readyWords = {
  welcome: ["Welcome", "Greet customers when they get a card, with bonus stamps if you like."],
  nearlyFull: ["Nearly full", "Let customers know when they’re one stamp away from a reward."],
  reward: ["Reward waiting", "Remind customers who have had a reward waiting for a week."],
  birthday: ["Birthday", "Send birthday wishes, with a reward if you like."],
  winBack: ["Win back", "Win back customers who haven’t visited in 60 days."],
} as const;
