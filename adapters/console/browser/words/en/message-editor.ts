import { countText, numberText } from "./forms.js";

/** All words of writing a message. */
export const composer = {
  back: "Messages",
  refused: "Messages are not for your sign-in",
  refusedHint: "Sign in with one that has the scope message:send to write them.",
  label: "Message",
  fresh: "New message",
  save: "Save draft",
  saved: "The draft was saved",
  test: "Send a test",
  send: "Send…",
  schedule: "Schedule…",
  wrong: "The message can’t go out like this: what is wrong stands where it is.",
  noCustomer: "Not each of these is the id of a customer.",
  noCard: "There is no such card any more.",
  delete: "Delete draft",
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteVerb: "Delete it",
  deleteHint: "It was sent to nobody. This can’t be undone.",
  wasDeleted: "The draft was deleted",
} as const;

/** Its name, the card that it is about, and how it goes out. */
export const ways = {
  title: "Name and ways",
  name: "Name",
  nameHint: "For you and your colleagues: customers don’t see it.",
  card: "Card",
  cardHint: "The message speaks of this card, and stands on it.",
  noCard: "None: a mail without a card",
  how: "How it reaches them",
  onCard: "On the card in the wallet",
  noWallets: "This server has no wallets set up yet.",
  byMail: "By mail",
  noMail: "This server sends no mails yet.",
  both: "Where both would reach a customer",
  link: "Where the button of the mail leads",
  linkHint: "Starts with https://. Leave empty to link to the card.",
} as const;

export const wayChoices = [
  ["each", "Use both"],
  ["wallet", "The card alone; else a mail"],
  ["email", "The mail alone; else the card"],
] as const;

/** The texts of the message. */
export const texts = {
  title: "Texts",
  /** What stands for something in a text, with code between backticks. */
  placeholders: "`{name}` stands for the customer’s name.",
  placeholdersOfCard:
    "`{name}` stands for the customer’s name, `{card}` for the card’s, `{stamps}`, `{toGo}` and `{rewards}` for its stamps, the missing ones, and waiting rewards.",
  add: "Add language",
  text: (number: number) => `Text ${number}`,
  remove: (number: number) => `Remove text ${number}`,
  language: "Language",
  languageHint: "Such as en or pt-BR.",
  firstHint: "Such as en or pt-BR. Who speaks none of the others reads it, too.",
  onCard: "On the card",
  onCardHint: (length: string) => `On the lock screen and on the card. ${length}`,
  subject: "Subject of the mail",
  mailText: "Text of the mail",
  textHint: (length: string) => `Plain text; addresses in it become links. ${length}`,
  /** How long a text is, as the server counts it. */
  length: (length: number, most: number) => `${numberText(length)} of ${numberText(most)} characters.`,
  tooLong: (length: number, most: number) =>
    `${numberText(length)} of ${numberText(most)} characters, ${numberText(length - most)} too many.`,
  missing: (parts: readonly string[]) => `Still missing: ${parts.join(", ")}.`,
  missingOnCard: "the text on the card",
  missingSubject: "the subject of the mail",
  missingText: "the text of the mail",
} as const;

/** Whom it goes to. */
export const audience = {
  title: "To whom",
  customers: "Customers",
  hint: "Reaches those who agreed to news and have an email or the card in a wallet.",
  find: "Find a customer to add",
  ids: "Ids of customers",
  idsHint: (count: number) => `One on a line, ours or yours. ${countText(count, "customer")} of 10,000.`,
  segment: "Segment",
  segmentHint: (members: number) =>
    `${countText(members, "customer")} in it now. Who is in it when the message begins gets it.`,
  noSegment: "Choose a segment…",
  found: (count: number) => `${countText(count, "customer")} found.`,
  nothing: "Add a condition to say who gets it.",
} as const;

export const audienceKinds = [
  ["all", "Everybody"],
  ["segment", "A saved segment"],
  ["filter", "Customers by what they do, have or are"],
  ["userIds", "Some customers, one by one"],
] as const;

/** When the message is sent, and when it expires. */
export const when = {
  title: "When",
  begins: "Begins",
  beginsHint: (zone: string) => `By the clocks of ${zone}. Empty: as soon as you send it.`,
  cap: "Leave out who has had enough messages",
  capHint: (messages: number, days: number) =>
    `At most ${messages} in ${days} days. Without this they get it all the same.`,
  counts: "How long it counts",
  sentUntil: "Sent until",
  sentUntilHint: "To nobody after that. Empty: for 24 hours.",
  shownUntil: "On cards until",
  shownUntilHint: "At most 30 days. Empty: for 7 days.",
  isQuiet: (from: string, to: string) =>
    `That is in the quiet hours, from ${from} until ${to}: it begins at ${to}.`,
  /** What stands before the link to the quiet hours, and in it; `quietTimes` stands after it. */
  quietBefore: "Nothing begins in the",
  quietHours: "quiet hours",
  quietTimes: (from: string, to: string) => `, from ${from} until ${to}.`,
} as const;

/** The preview of the message. */
export const preview = {
  label: "Preview",
  title: "As Anna sees it",
  hint: "An example of a customer. Readers see their current stamps.",
  hintOfCard: (stamps: number, most: number) =>
    `An example of a customer, with ${stamps} of ${most} stamps. Readers see their current stamps.`,
  noWay: "Choose how the message reaches customers.",
  noText: "No text yet",
  noSubject: "No subject yet",
  onIphone: "On the lock screen of an iPhone",
  inGoogle: "On the card in Google Wallet",
  now: "now",
  googleNote: "Google chooses the words on the lock screen itself.",
  asMail: "As a mail",
  from: "From",
  anySender: "the sender that the server has",
} as const;
