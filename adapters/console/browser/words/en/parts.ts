import { numberText } from "./forms.js";

/** All words of what screens are made of. */
export const parts = {
  card: {
    progress: (stamps: number, most: number) => `${stamps} of ${most} stamps`,
    toRedeem: (count: number) => (count === 1 ? "1 reward to redeem" : `${count} rewards to redeem`),
    earns: (reward: string) => `A full card earns: ${reward}`,
  },
  code: {
    title: "The same by a program",
    set: "Set",
    toToken: "to an API token that may read this. Your own is not in it.",
    forShell: "For a shell",
    forProgram: "For a program",
    copyCurl: "Copy as curl",
    copyClient: "Copy as client code",
    copied: "It was copied",
    done: "Done",
    item: "As code",
    itemHint: "The same for a program or a shell.",
  },
  crop: {
    title: (label: string) => `${label}: choose the part`,
    part: (width: number, height: number) =>
      `The part of the picture that is used, ${width} × ${height} pixels`,
    hint: "Drag it to move it. Pinch it, or turn the wheel, to change its size.",
    size: "Size",
    across: "From left to right",
    down: "From top to bottom",
    tooLarge: "This part takes more than 512 KiB. Choose a simpler picture.",
    whole: "Whole picture",
    use: "Use this part",
  },
  picture: {
    tooLarge: (file: string) => `“${file}” has more than 30 MB.`,
    unreadable: (file: string) => `“${file}” is no picture that can be read here. Save it as a PNG or JPEG.`,
    isKept: "A picture is kept.",
    drop: "Drop or paste a picture, or",
    choose: "choose a file",
    remove: (label: string) => `Remove ${label.toLowerCase()}`,
  },
  chart: {
    highest: (value: number) => `highest ${numberText(value)}`,
    byDay: (title: string) => `${title} by day`,
  },
  pager: {
    label: (noun: string) => `Pages of ${noun}`,
    newer: (noun: string) => `Newer ${noun}`,
    older: (noun: string) => `Older ${noun}`,
    range: (from: number, to: number, total: number) => `${from}–${to} of ${total}`,
  },
  cancel: "Cancel",
  keep: "Keep",
  undo: "Undo",
  dismiss: "Dismiss",
  tryAgain: "Try again",
  loading: "Loading",
  on: "On",
  off: "Off",
  numbered: (at: number) => `Number ${at}`,
};

/** What events tell in a shop's words. */
export const events = {
  becameCustomer: "Became a customer",
  changed: "Details changed",
  deleted: "Was deleted",
  gotCard: "Got a card",
  cardCancelled: "A card was cancelled",
  cardFull: "Card full: earned a reward",
  tookReward: "Took a reward",
  wasGivenReward: "Was given a reward",
  undone: "A change of the card was undone",
  stamped: "Stamped",
  takenOff: "Stamps taken off",
  corrected: "Stamps corrected",
  emptied: "Card emptied",
  onCard: (what: string, stamps: number, most: number) => `${what}: ${stamps}/${most}`,
  gotTag: (tag: string) => `Got the tag “${tag}”`,
  lostTag: (tag: string) => `Lost the tag “${tag}”`,
  cameInto: (segment: string) => `Came into “${segment}”`,
  left: (segment: string) => `Left “${segment}”`,
  newsByMail: "News by mail",
  newsOnCard: "News on the card",
  agreed: "agreed",
  refused: "wants none",
  unconfirmed: "has yet to confirm",
  addedTo: (wallet: string) => `Card added to ${wallet}`,
  removedFrom: (wallet: string) => `Card removed from ${wallet}`,
  aWallet: "a wallet",
  importEnded: "An import ended",
  messageBegan: "A message began",
};

/** Who does something, where it has no name. */
export const actors = {
  library: "your software",
  token: "a program or till",
  app: "an app",
  console: "the console",
  worker: "by itself",
  customer: "the customer",
  automation: "an automation",
};

/** Ada, at Till 2 */
export const actorAt = (who: string, location: string): string => `${who}, at ${location}`;
