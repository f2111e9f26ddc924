/** Plain-language descriptions of events. */
export const events = {
  becameCustomer: "Became a customer",
  signedUpAgain: "Someone signed up again with this email",
  changed: "Details updated",
  deleted: "Deleted",
  gotCard: "Got a card",
  cardCanceled: "Card canceled",
  cardFull: "Card full: earned a reward",
  tookReward: "Redeemed a reward",
  wasGivenReward: "Received a reward",
  undone: "Card change undone",
  stamped: "Stamped",
  takenOff: "Stamps removed",
  corrected: "Stamps corrected",
  emptied: "Card emptied",
  onCard: (what: string, stamps: number, most: number) => `${what}: ${stamps}/${most}`,
  bought: (amount: string) => `Bought for ${amount}`,
  boughtAndReturned: (amount: string, returned: string) => `Bought for ${amount}, ${returned} returned`,
  purchaseChanged: (amount: string) => `Purchase changed, now ${amount}`,
  returnedGoods: "Returned goods",
  withResult: (what: string, result: string) => `${what}: ${result}`,
  gotTag: (tag: string) => `Tag “${tag}” added`,
  lostTag: (tag: string) => `Tag “${tag}” removed`,
  cameInto: (segment: string) => `Entered “${segment}”`,
  left: (segment: string) => `Left “${segment}”`,
  newsByMail: "News by email",
  newsOnCard: "News on the card",
  agreed: "opted in",
  refused: "unsubscribed",
  unconfirmed: "awaiting confirmation",
  addedTo: (wallet: string) => `Card added to ${wallet}`,
  removedFrom: (wallet: string) => `Card removed from ${wallet}`,
  aWallet: "a wallet",
  importEnded: "Import finished",
  messageBegan: "Message started",
  colleague: "a colleague",
};

/** Text to show instead of an actor's name when the name is unknown, keyed by kind of actor. */
export const actors = {
  library: "your software",
  token: "a program or till",
  app: "an app",
  console: "the console",
  worker: "automatically",
  customer: "the customer",
  automation: "an automation",
};

/** Combines an actor and a location, such as "Ada, Till 2". */
export const actorAt = (who: string, location: string): string => `${who}, ${location}`;
