import { countText } from "./forms.js";

/** UI text for automation presets, except for the messages that they send. */
export const ready = {
  title: "Ready-made",
  hint: "Choose a template to preview it, then create it.",
  there: (name: string) => `You already have “${name}” for this.`,
  make: "Create",
  cancel: "Cancel",
  made: (name: string) => `“${name}” is on`,
  name: "Name",
  nameHint: "Only you and your team see it.",
  needsCard: "It needs a stamp card. Create one first, under Cards.",
  toGo: "Stamps left",
  toGoHint: "1 means one stamp before the reward.",
  waits: "Days after the card is full",
  waitsHint: "Customers who have redeemed it by then get no message. At most 30.",
  stamps: "Bonus stamps",
  stampsHint: "Added before the message is sent. 0 for none.",
  key: "Note with the birthday",
  keyHint: "The name of the note on the customer’s page, such as birthday. Dates look like 1990-05-31.",
  at: "Time of day",
  atHint: "In your time zone, which is set under Settings.",
  reward: "Also give a reward",
  rewardHint: "Only customers with the card get the reward and the message.",
  days: "Days without a visit",
  daysHint: "It runs for customers who reach this number of days from now on.",
  segmentMade: "The segment was created. Press the button again to finish.",
  number: "Enter a whole number.",
  text: "This field is required.",
  gone: "This card no longer exists.",
  segment: (days: number) => `No visit in ${countText(days, "day")}`,
  useSegment: (name: string) => `It uses your segment “${name}”.`,
  tellSegment: (name: string) => `It uses your segment “${name}”, which will report who enters and leaves.`,
  makeSegment: (name: string) => `It also creates the segment “${name}”, which stays in your segments.`,
} as const;

/** Each automation preset's name and description. */
export const readyWords = {
  welcome: ["Welcome", "Greet customers who get a card, with bonus stamps if you like."],
  nearlyFull: ["Nearly full", "Let customers know when they’re one stamp away."],
  reward: ["Reward waiting", "Remind customers who haven’t redeemed a reward for a week."],
  birthday: ["Birthday", "Send birthday wishes, with a reward if you like."],
  winBack: ["Win back", "Win back customers who haven’t visited in 60 days."],
} as const;
