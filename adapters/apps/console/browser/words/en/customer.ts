import { countText } from "./forms.js";

/** UI text for the customer screen: the customer's form, cards, actions, and timeline. */
export const customer = {
  back: "Customers",
  noCards: "No cards yet",
  profile: "Profile",
  id: "ID",
  added: "Added",
  name: "Name",
  email: "Email",
  emailHint: "If there isn’t one, enter a phone number or a customer number.",
  phone: "Phone",
  number: "Customer number",
  numberHint: "The customer’s number in your till or another system.",
  addTitle: "Add customer",
  editTitle: "Edit customer",
  add: "Add",
  save: "Save",
  saved: "Saved",
  edit: "Edit",
  more: "More about this customer",
  saveCopy: "Save a copy of their data",
  saveCopyHint: "A file with all the data you have about the customer. They have the right to receive it.",
  delete: "Delete customer",
  deleteHint: "Removes their cards, stamps, and tags. Keeps the event log.",
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteVerb: (name: string) => `Delete ${name}`,
  deleted: (name: string) => `${name} was deleted`,
  deleteText:
    "This also removes the customer’s tags, cards, and stamps. Their cards can no longer be scanned. Their name stays in the event log. This can’t be undone.",
  forget: "Erase permanently",
  forgetHint: "For customers who ask for their data to be erased. Also removes them from the event log.",
  forgetTitle: (name: string) => `Erase ${name}?`,
  forgetVerb: (name: string) => `Erase ${name}`,
  forgotten: (name: string) => `${name} was erased`,
  forgetText:
    "Deletes the customer and removes their personal data from events, saved responses, and wallets. Statistics don’t change. This can’t be undone.",
};

/** UI text for a customer's card and for issuing a card. */
export const customerCard = {
  onItsWay: (address: string) => `The card is on its way to ${address}`,
  undone: "Undone",
  inAll: (stamps: number, cards: number) =>
    `${countText(stamps, "stamp")} in total · ${countText(cards, "full card")}`,
  page: "Card page",
  sendAgain: "Send the card again",
  cancel: "Cancel card",
  cancelTitle: (card: string) => `Cancel the card “${card}”?`,
  canceled: (card: string) => `The card “${card}” was canceled`,
  cancelText:
    "Its stamps and rewards are also removed, and its code can no longer be scanned. This can’t be undone.",
  stamps: "Stamps",
  stampsWrong: "1 to 100, or 0 for none",
  note: "Note",
  add: "Add",
  remove: "Remove",
  make: "Create",
  makeIt: (count: string) => `Set to ${count}`,
  takeAll: "Remove all",
  takeAllTitle: "Remove all stamps from this card?",
  takeAllVerb: (count: number) => `Remove ${countText(count, "stamp")}`,
  rewardsStay: "Rewards are kept.",
  redeem: "Redeem",
  added: (count: number) => `${countText(count, "stamp")} added`,
  removed: (count: number) => `${countText(count, "stamp")} removed`,
  hasNow: (count: number) => `The card now has ${countText(count, "stamp")}`,
  redeemed: "A reward was redeemed",
  takenOff: "The stamps were removed",
  noneToGive: "You don’t have a card to issue yet.",
  makeOne: "Create one",
  issued: "The card was issued",
  issuedAndMailed: (address: string) => `The card was issued and is on its way to ${address}`,
  notMailed: (why: string) => `The card was issued, but it couldn’t be emailed. ${why}`,
  toIssue: "Card to issue",
  issue: "Issue card",
  mailTo: "Email the card to",
};

/** UI text for a customer's timeline. */
export const history = {
  title: "Timeline",
  purchases: "All purchases",
  lookAgain: "Refresh",
  moreCards: (most: number) =>
    `This customer has more cards. The timeline shows stamps, points, and emails for ${most} of them.`,
  reading: "Loading tags, wallets, and segments…",
  pages: "Timeline pages",
  newer: "Newer",
  older: "Older",
  page: (at: number) => `Page ${at}`,
  quoted: (note: string) => `“${note}”`,
  stamped: (count: number, state: string) => `Stamped${count === 1 ? "" : ` +${count}`}: ${state}`,
  earned: (rewards: number) => `Card full: earned ${rewards === 1 ? "a reward" : `${rewards} rewards`}`,
  /** The stamps on the new card, after the previous one is full. */
  nextCard: (state: string) => `New card: ${state}`,
  earnedStamps: (count: number, state: string) => `${countText(count, "stamp")} for a purchase: ${state}`,
  returnedStamps: (count: number, state: string) =>
    `${countText(count, "stamp")} taken back for returned goods: ${state}`,
  takenOff: (count: number, state: string) => `${countText(count, "stamp")} removed: ${state}`,
  corrected: (state: string) => `Stamps corrected: ${state}`,
  undone: (state: string) => `A change to the card was undone: ${state}`,
};

/** UI text for a customer's notes, on the customer screen and in the customer form. */
export const notes = {
  agreed: "Agreed",
  joined: "Signed up with the poster",
  empty: "empty",
  yes: "yes",
  no: "no",
  nothing: "nothing",
  title: "Notes",
  name: "Name of the note",
  nameExample: "birthday",
  value: (name: string) => `Note: ${name}`,
  valueExample: "May 24",
  withoutName: "no name",
  remove: (name: string) => `Remove the note “${name}”`,
  add: "Add note",
};
