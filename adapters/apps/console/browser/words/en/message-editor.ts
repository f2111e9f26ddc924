import { countText, numberText } from "./forms.js";

/** UI text for the message editor's frame: buttons, notices, and the dialog that deletes a draft. */
export const composer = {
  back: "Messages",
  refused: "You don’t have access to messages",
  refusedHint: "Writing messages requires the message:send scope.",
  label: "Message",
  fresh: "New message",
  save: "Save draft",
  saved: "The draft was saved",
  test: "Send a test",
  send: "Send…",
  schedule: "Schedule…",
  wrong: "Fix the marked fields before you send the message.",
  noCustomer: "Some of these aren’t customer IDs.",
  noCard: "This card no longer exists.",
  delete: "Delete draft",
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteVerb: "Delete",
  deleteHint: "It hasn’t been sent. This can’t be undone.",
  wasDeleted: "The draft was deleted",
} as const;

/** UI text for the fields of the message editor that most messages leave as they are, such as the card and the channels. */
export const ways = {
  title: "More options",
  name: "Name",
  nameHint: "Only you and your team can see this. Leave blank to use the subject.",
  card: "Card",
  cardHint: "The message is about this card and appears on it.",
  noCard: "None (send an email without a card)",
  how: "Channels",
  onCard: "On the wallet card",
  noWallets: "Wallets aren’t set up on this server yet.",
  byMail: "By email",
  noMail: "This server can’t send email yet.",
  both: "If a customer can get both",
  link: "Email button link",
  linkHint: "Starts with https://. Leave blank to link to the card.",
} as const;

export const wayChoices = [
  ["each", "Use both"],
  ["wallet", "Use the card, or email if the customer has no card"],
  ["email", "Use email, or the card if the customer has no email address"],
] as const;

/** UI text for the section of the message editor where the user writes the text in each language. */
export const texts = {
  title: "Text",
  add: "Add language",
  text: (number: number) => `Text ${number}`,
  remove: (number: number) => `Remove text ${number}`,
  firstHint: "Customers with all other languages get this text, too.",
  /** Shown before the buttons that insert what differs for each customer. */
  insert: "Insert:",
  chips: {
    name: "Name",
    card: "Card",
    stamps: "Stamps",
    toGo: "Stamps to go",
    rewards: "Rewards waiting",
    points: "Points",
  },
  onCard: "On the card",
  onCardHint: (length: string) => `Shown on the lock screen and on the card. ${length}`,
  subject: "Email subject",
  mailText: "Email text",
  textHint: (length: string) => `Text without formatting. Web addresses become links. ${length}`,
  /** The length of a text, counted the same way as the server does. */
  length: (length: number, most: number) => `${numberText(length)} of ${numberText(most)} characters.`,
  tooLong: (length: number, most: number) =>
    `${numberText(length)} of ${numberText(most)} characters, ${numberText(length - most)} too many.`,
  missing: (parts: readonly string[]) => `Still missing: ${parts.join(", ")}.`,
  missingOnCard: "the text on the card",
  missingSubject: "the email subject",
  missingText: "the email text",
} as const;

/** UI text for choosing a message's audience. */
export const audience = {
  title: "Recipients",
  customers: "Customers",
  hint: "Reaches customers who opted in to news and have an email address or the card in a wallet.",
  find: "Find a customer to add",
  ids: "Customer IDs",
  idsHint: (count: number) =>
    `One per line. Use customer IDs or your own customer numbers. ${countText(count, "customer")} of 10,000.`,
  segment: "Segment",
  segmentHint: (members: number) =>
    `${countText(members, "customer")} right now. The message goes to everyone in the segment when sending starts.`,
  noSegment: "Choose a segment…",
  found: (count: number) => `${countText(count, "customer")} found.`,
  nothing: "Add a condition to choose the recipients.",
} as const;

export const audienceKinds = [
  ["all", "All customers"],
  ["segment", "A saved segment"],
  ["filter", "Customers who match a filter"],
  ["userIds", "Individual customers"],
] as const;

/** UI text for choosing when a message is sent and when it expires. */
export const when = {
  title: "When",
  begins: "Starts",
  beginsHint: (zone: string) =>
    `In the shop’s time zone, ${zone}. Leave blank to start as soon as you send it.`,
  /** For users who aren't allowed to read the shop's time zone. */
  beginsHintHere: (zone: string) =>
    `In this device’s time zone, ${zone}. Leave blank to start as soon as you send it.`,
  cap: "Skip customers who have reached the message limit",
  capHint: (messages: number, days: number) =>
    `The limit is ${countText(messages, "message")} in ${countText(days, "day")}. If this is off, those customers get the message anyway.`,
  sentUntil: "Send until",
  sentUntilHint: "The message isn’t sent after this time. Leave blank for 24 hours.",
  shownUntil: "Show on cards until",
  shownUntilHint: "At most 30 days. Leave blank for 7 days.",
  isQuiet: (from: string, to: string) =>
    `This is within quiet hours (${from} to ${to}), so sending starts at ${to}.`,
  /** Shown before the link `quietHours`. The text `quietTimes` follows the link. */
  quietBefore: "Messages don’t start during",
  quietHours: "quiet hours",
  quietTimes: (from: string, to: string) => `, from ${from} to ${to}.`,
} as const;

/** UI text for the previews of a message on a lock screen, in Google Wallet, and in an email. */
export const preview = {
  label: "Preview",
  title: "As Anna sees it",
  hint: "An example customer. Recipients see their own current stamps.",
  hintOfCard: (stamps: number, most: number) =>
    `An example customer with ${stamps} of ${most} stamps. Recipients see their own current stamps.`,
  noWay: "Choose at least one channel.",
  noText: "No text yet",
  noSubject: "No subject yet",
  onIphone: "On the iPhone lock screen",
  inGoogle: "On the card in Google Wallet",
  now: "now",
  googleNote: "Google decides what appears on the lock screen.",
  asMail: "In an email",
  from: "From",
  anySender: "the default sender",
} as const;
