import type { Choices } from "../../parts/choices.js";
import type { ActionKind, Often, StartKind } from "../automation-kinds.js";

/** All words of the editor of automations. */
export const editor = {
  fresh: "New automation",
  changeTitle: (name: string) => `Edit “${name}”`,
  save: "Save",
  make: "Make it",
  made: (name: string) => `“${name}” is on`,
  saved: "Saved. What has begun already goes on as it was.",
  wrong: "It can’t be saved like this: what is wrong stands where it is.",
  name: "Name",
  nameHint: "For you and your colleagues: customers don’t see it.",
  starts: "When",
  start: "What happens",
  card: "Card",
  anyCard: "Any card",
  noCard: "Choose a card…",
  toGo: "Only when so many stamps are missing",
  toGoHint: "Empty: at every stamp.",
  segment: "Segment",
  noSegment: "Choose a segment…",
  segmentHint: "Those that tell when somebody enters or leaves are here.",
  key: "Where the day stands",
  keyHint:
    "The name that it has on the screen of a customer, below the profile, such as birthday. Dates look like 1990-05-31.",
  daysBefore: "Days before",
  daysBeforeHint: "0 is the day itself. At most 60.",
  at: "Time of day",
  after: "Days later",
  afterHint: "0 is at once, 30 the most. Whether the customer is one for it is asked again then.",
  condition: "For whom",
  conditionHint: "Without a condition it is for everybody.",
  actions: "What is done",
  actionsHint: "In this order; all of it or, where one step can’t be done, nothing.",
  step: (at: number) => `Step ${at + 1}`,
  action: "What to do",
  add: "Add a step",
  remove: (at: number) => `Remove step ${at + 1}`,
  tag: "Tag",
  noTag: "Choose a tag…",
  count: "Stamps",
  often: "How often",
  per: "For the same customer",
  everyDays: "Days in between, at least",
  number: "A whole number is missing.",
  choose: "Choose one.",
  text: "This is missing.",
  gone: "What it speaks of is not all there any more: a card or a tag is gone.",
} as const;

export const startKinds: Choices<StartKind> = [
  ["user.created", "A customer is added"],
  ["pass.created", "Somebody gets a card"],
  ["pass.installed", "Somebody puts a card into a wallet"],
  ["stamp.added", "Somebody gets a stamp"],
  ["stamp_card.completed", "A card is full"],
  ["stamp_card.redeemed", "A reward is handed out"],
  ["segment", "Somebody comes into a segment"],
  ["date", "A day of the year comes, such as a birthday"],
];

export const actionKinds: Choices<ActionKind> = [
  ["message", "Write to the customer"],
  ["addStamps", "Add stamps"],
  ["giveReward", "Give a reward"],
  ["assignTag", "Give a tag"],
  ["unassignTag", "Take a tag away"],
];

export const oftens: Choices<Often> = [
  ["occasion", "Each time that it happens"],
  ["once", "Once and never again"],
  ["everyDays", "Not more often than every so many days"],
];
