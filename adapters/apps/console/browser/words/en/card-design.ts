export const design = {
  back: "Cards",
  title: (card: string) => `Design for ${card}`,
  undo: "Undo",
  remove: "Remove design",
  save: "Save",
  wasSaved: "Design saved. Cards in wallets will update shortly.",
  wasRemoved: "Design removed. Cards in wallets will update shortly.",
  programSaved: "Saved. The changes apply to new purchases.",
  validUntil: "Valid until",
  validUntilHint: "Wallets archive the card after this day.",
  preview: "Preview",
  stampsShown: (stamps: number) => `Stamps shown: ${stamps}`,
  allStampsShown: "Stamps shown: all",
  lockScreen: "On the lock screen",
  walletsChoose:
    "Wallets use their own fonts and layout. iPhones show your shop’s name and your icon or logo. Android shows your logo.",
} as const;

/** UI text for a card's colors, stamps, reward, and pictures. */
export const look = {
  title: "Appearance",
  ready: "Ready-made designs",
  backgroundColor: "Background",
  foregroundColor: "Text and stamps",
  labelColor: "Labels",
  shape: "Stamp shape",
  reward: "Reward for a full card",
  rewardHint: "Shown on the card, poster, and sign-up page",
  logo: "Logo",
  logoHint: "Shown next to the title.",
  icon: "Icon",
  iconHint: "Shown in notifications.",
  strip: "Picture behind the stamps",
  stripHint: "Fills the width of the card.",
  filled: "Stamp",
  filledHint: "Replaces the shape.",
  empty: "Empty stamp",
  emptyHint: "Leave blank to show a faded version of the stamp.",
} as const;

export const shapes = [
  ["CIRCLE", "Circles"],
  ["STAR", "Stars"],
  ["HEART", "Hearts"],
  ["CUP", "Cups"],
  ["CHECK", "Check marks"],
] as const;

/**
 * Warnings about colors that are hard to read on the card's background.
 * @param ratio the actual contrast ratio, such as "2.1 : 1".
 * @param least the minimum contrast ratio.
 */
export const contrastOf = {
  foregroundColor: (ratio: string, least: string) =>
    `Text and stamps are hard to read on this background: the contrast is ${ratio} but should be at least ${least}.`,
  labelColor: (ratio: string, least: string) =>
    `Labels are hard to read on this background: the contrast is ${ratio} but should be at least ${least}.`,
} as const;

export const makeReadable = {
  foregroundColor: { white: "Make text and stamps white", black: "Make text and stamps black" },
  labelColor: { white: "Make labels white", black: "Make labels black" },
} as const;

/** UI text for editing a card's text in several languages. */
export const texts = {
  title: "Text",
  add: "Add language",
  languageNumber: (number: number) => `Language ${number}`,
  remove: (number: number) => `Remove language ${number}`,
  firstHint: "Customers with all other languages see this text, too.",
  terms: "Terms",
  says: "Value",
} as const;

/** The label and hint for each of the card's text fields. */
export const textWords = {
  title: ["Title", "Leave blank to use the card’s name"],
  description: ["Description", "Read aloud by screen readers"],
  stampsLabel: ["Name for stamps", "For example, Coffees"],
  rewardsLabel: ["Name for rewards", "For example, Free coffees"],
  toGo: ["Stamps left", "Include {count}, for example “{count} more to go”"],
  rewardReady: ["Reward waiting", "Shown on a full card"],
} as const;

/** UI text for lists of numbered fields, such as a card's links. */
export const lists = {
  link: {
    item: (number: number) => `link ${number}`,
    label: (number: number) => `Link ${number}`,
    add: "Add link",
    remove: (number: number) => `Remove link ${number}`,
  },
  place: {
    item: (number: number) => `location ${number}`,
    add: "Add location",
    remove: (number: number) => `Remove location ${number}`,
  },
  front: {
    item: (number: number) => `front field ${number}`,
    label: (number: number) => `Front field ${number}`,
    add: "Add front field",
    remove: (number: number) => `Remove front field ${number}`,
  },
  back: {
    item: (number: number) => `back field ${number}`,
    label: (number: number) => `Back field ${number}`,
    add: "Add back field",
    remove: (number: number) => `Remove back field ${number}`,
  },
} as const;

/** UI text for a card's links and for the locations where phones show the card on the lock screen. */
export const links = {
  links: "Links",
  address: "URL",
  places: "Locations",
  placesHint: "Phones near a location show the card and this text on the lock screen.",
  latitude: "Latitude",
  longitude: "Longitude",
  saysThere: "Lock screen text",
} as const;

/** UI text for previews of a card in wallets and on phones. */
export const previews = {
  inApple: "In Apple Wallet",
  inGoogle: "In Google Wallet",
  stamps: (stamps: number, most: number) => `${stamps} of ${most} stamps`,
  exampleCode: "Example QR code",
  onIphone: "On the iPhone lock screen",
  onAndroid: "On the Android lock screen",
  yourShop: "Your shop",
  message: "A message from you",
  now: "now",
} as const;
