import { countText, numberText } from "./forms.js";

/** UI text for the message editor. */
export const composer = {
  back: "Messages",
  refused: "You don’t have access to messages",
  refusedHint: "To write messages, you need the scope message:send.",
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

/** UI text for a message's name, card, and channels. */
export const ways = {
  title: "Name and channels",
  name: "Name",
  nameHint: "Only you and your team see it.",
  card: "Card",
  cardHint: "The message is about this card, and is shown on it.",
  noCard: "None: an email without a card",
  how: "Channels",
  onCard: "On the wallet card",
  noWallets: "Wallets aren’t set up on this server yet.",
  byMail: "By email",
  noMail: "This server doesn’t send mail yet.",
  both: "If both reach a customer",
  link: "Link of the button in the email",
  linkHint: "Starts with https://. Leave empty to link to the card.",
} as const;

export const wayChoices = [
  ["each", "Use both"],
  ["wallet", "Only the card, or else an email"],
  ["email", "Only the email, or else the card"],
] as const;

/** UI text for a message's content. */
export const texts = {
  title: "Texts",
  /** Explains the placeholders that a message can contain. Parts between backticks are shown as code. */
  placeholders: "`{name}` stands for the customer’s name.",
  placeholdersOfCard:
    "`{name}` stands for the customer’s name, `{card}` for the card’s, `{stamps}`, `{toGo}` and `{rewards}` for its stamps, the missing ones, and waiting rewards.",
  add: "Add language",
  text: (number: number) => `Text ${number}`,
  remove: (number: number) => `Remove text ${number}`,
  language: "Language",
  languageHint: "Such as en or pt-BR.",
  firstHint: "Such as en or pt-BR. Used for customers of all other languages, too.",
  onCard: "On the card",
  onCardHint: (length: string) => `On the lock screen and on the card. ${length}`,
  subject: "Email subject",
  mailText: "Email text",
  textHint: (length: string) => `Plain text; URLs become links. ${length}`,
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
  hint: "Reaches customers who agreed to news and have an email or the card in a wallet.",
  find: "Find a customer to add",
  ids: "Customer IDs",
  idsHint: (count: number) => `One per line, our IDs or your own. ${countText(count, "customer")} of 10,000.`,
  segment: "Segment",
  segmentHint: (members: number) =>
    `${countText(members, "customer")} now. It goes to the customers in the segment when sending starts.`,
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
  beginsHint: (zone: string) => `Time zone: ${zone}. Leave empty to start when you send it.`,
  cap: "Skip customers who have had enough messages",
  capHint: (messages: number, days: number) =>
    `At most ${messages} in ${days} days. If off, they get this message anyway.`,
  counts: "Expiry",
  sentUntil: "Sent until",
  sentUntilHint: "Not sent after this time. Leave empty for 24 hours.",
  shownUntil: "On cards until",
  shownUntilHint: "At most 30 days. Leave empty for 7 days.",
  isQuiet: (from: string, to: string) =>
    `This is within quiet hours (${from} to ${to}), so it starts at ${to}.`,
  /** Shown before the link `quietHours`. The text `quietTimes` follows the link. */
  quietBefore: "Nothing starts during",
  quietHours: "quiet hours",
  quietTimes: (from: string, to: string) => `, from ${from} to ${to}.`,
} as const;

/** UI text for previewing a message. */
export const preview = {
  label: "Preview",
  title: "As Anna sees it",
  hint: "An example customer. Recipients see their own current stamps.",
  hintOfCard: (stamps: number, most: number) =>
    `An example customer with ${stamps} of ${most} stamps. Recipients see their own current stamps.`,
  noWay: "Choose at least one channel.",
  noText: "No text yet",
  noSubject: "No subject yet",
  onIphone: "On the lock screen of an iPhone",
  inGoogle: "On the card in Google Wallet",
  now: "now",
  googleNote: "Google chooses the lock screen text.",
  asMail: "As an email",
  from: "From",
  anySender: "the server’s sender",
} as const;
