import { countText } from "./forms.js";

/** All words of the automations that are ready, but the texts that they write. */
export const ready = {
  title: "Ready-made",
  hint: "One press shows what it would do, and one more makes it.",
  there: (name: string) => `You have “${name}” for this.`,
  make: "Make it",
  cancel: "Cancel",
  made: (name: string) => `“${name}” is on`,
  name: "Name",
  nameHint: "For you and your colleagues: customers don’t see it.",
  needsCard: "It needs a card with stamps. Make one first, under Cards.",
  toGo: "Stamps that are still missing",
  toGoHint: "1 is the last one before the reward.",
  waits: "Days after the card was full",
  waitsHint: "Who has fetched the reward by then hears nothing. At most 30.",
  stamps: "Stamps as a gift",
  stampsHint: "They are on the card before the message goes out. 0 for none.",
  key: "Where the birthday stands",
  keyHint:
    "The name that it has on the screen of a customer, below the profile, such as birthday. Dates look like 1990-05-31.",
  at: "Time of day",
  atHint: "By the clocks of your time zone, which is under Settings.",
  reward: "Give a reward, too",
  rewardHint: "Only who has the card gets it, and the message.",
  days: "Days without a visit",
  daysHint: "It begins with who comes to so many days from now on.",
  segmentMade: "The segment for it is there now: pressing the button again makes the rest.",
  number: "A whole number is missing.",
  text: "This is missing.",
  gone: "There is no such card any more.",
  segment: (days: number) => `Not here for ${countText(days, "day")}`,
  useSegment: (name: string) => `It goes by your segment “${name}”.`,
  tellSegment: (name: string) =>
    `It goes by your segment “${name}”, which tells from then on who comes and goes.`,
  makeSegment: (name: string) =>
    `The segment “${name}” is made along with it, and stays among your segments.`,
} as const;

/** Each ready one by its name, and what it does. */
export const readyWords = {
  welcome: ["Welcome", "Writes to who gets a card, with stamps as a gift if you like."],
  nearlyFull: ["Nearly full", "Writes when only one stamp is missing."],
  reward: ["Reward waiting", "Reminds who has had a reward for a week and has not fetched it."],
  birthday: ["Birthday", "Writes on the birthday, with a reward if you like."],
  winBack: ["Win back", "Writes to who was not here for 60 days."],
} as const;
