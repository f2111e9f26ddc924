import { counted } from "../../words/en/forms.js";
import type { ReadyKind } from "../ready-kind.js";

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
  segment: (days: number) => `Not here for ${counted(days, "day")}`,
  useSegment: (name: string) => `It goes by your segment “${name}”.`,
  tellSegment: (name: string) =>
    `It goes by your segment “${name}”, which tells from then on who comes and goes.`,
  makeSegment: (name: string) =>
    `The segment “${name}” is made along with it, and stays among your segments.`,
} as const;

/** Each ready one by its name, and what it does. */
export const readyWords: Readonly<Record<ReadyKind, readonly [name: string, does: string]>> = {
  welcome: ["Welcome", "Writes to who gets a card, with stamps as a gift if you like."],
  nearlyFull: ["Nearly full", "Writes when only one stamp is missing."],
  reward: ["Reward waiting", "Reminds who has had a reward for a week and has not fetched it."],
  birthday: ["Birthday", "Writes on the birthday, with a reward if you like."],
  winBack: ["Win back", "Writes to who was not here for 60 days."],
};

interface ReadyText {
  /** On the lock screen and the card. */
  readonly wallet: string;
  readonly subject: string;
  readonly text: string;
}

/** What each of them writes, where it is about a card, and where it is not. */
export const readyTexts: Readonly<
  Record<ReadyKind, { readonly card: ReadyText; readonly plain: ReadyText }>
> = {
  welcome: {
    card: {
      wallet: "Welcome, {name}! {toGo} stamps to your reward.",
      subject: "Welcome, {name}!",
      text: "Hello {name},\n\nyour card “{card}” is ready. Show it at the till whenever you come: {toGo} stamps to your reward.\n\nSee you soon!",
    },
    plain: {
      wallet: "",
      subject: "Welcome, {name}!",
      text: "Hello {name},\n\nthank you for joining us. Show your card at the till whenever you come.\n\nSee you soon!",
    },
  },
  nearlyFull: {
    card: {
      wallet: "Nearly there, {name}: only {toGo} more to your reward!",
      subject: "Only {toGo} more to your reward",
      text: "Hello {name},\n\nyour card “{card}” is nearly full: only {toGo} more to your reward.\n\nSee you soon!",
    },
    plain: { wallet: "", subject: "", text: "" },
  },
  reward: {
    card: {
      wallet: "{name}, your reward is waiting for you.",
      subject: "Your reward is waiting, {name}",
      text: "Hello {name},\n\nyour card “{card}” has a reward that you have not fetched yet. Show it at the till next time.\n\nSee you soon!",
    },
    plain: { wallet: "", subject: "", text: "" },
  },
  birthday: {
    card: {
      wallet: "Happy birthday, {name}!",
      subject: "Happy birthday, {name}!",
      text: "Hello {name},\n\nall the best on your birthday from all of us. Bring your card “{card}” when you come by.\n\nSee you soon!",
    },
    plain: {
      wallet: "",
      subject: "Happy birthday, {name}!",
      text: "Hello {name},\n\nall the best on your birthday from all of us.\n\nSee you soon!",
    },
  },
  winBack: {
    card: {
      wallet: "We have not seen you for a while, {name}. Your {stamps} stamps are still here.",
      subject: "We miss you, {name}",
      text: "Hello {name},\n\nwe have not seen you for a while. Your card “{card}” is as you left it: {stamps} stamps on it, {toGo} to your reward.\n\nSee you soon!",
    },
    plain: {
      wallet: "",
      subject: "We miss you, {name}",
      text: "Hello {name},\n\nwe have not seen you for a while. Come by: we would love to see you.\n\nSee you soon!",
    },
  },
};
