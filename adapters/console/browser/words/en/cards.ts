/** All words of the list of cards, and of making one. */
export const cards = {
  title: "Cards",
  fresh: "New card",
  none: "No cards yet",
  noneHint: "Make the first one: what it is called, and how many stamps fill it.",
  poster: "Poster",
  more: (name: string) => `More for ${name}`,
  joinPage: "Join page",
  design: "Design",
  edit: "Edit",
  delete: "Delete",
  deleteTitle: (name: string) => `Delete “${name}”?`,
  deleteVerb: (name: string) => `Delete ${name}`,
  deleteHint: "Only a card that no customer has can be deleted. Its posters lead nowhere then.",
  wasDeleted: (name: string) => `“${name}” was deleted`,
  showNumbers: "Show numbers",
  haveIt: "have it",
  stamped: "stamped this week",
  waiting: "with a reward waiting",
} as const;

/** The form of a card. */
export const form = {
  editTitle: "Edit card",
  make: "Make card",
  save: "Save",
  wasSaved: (name: string) => `“${name}” was saved`,
  name: "Name",
  unnamed: "Your card",
  kind: "Kind",
  stampCard: "Stamp card",
  memberCard: "Member card, without stamps",
  maxStamps: "Stamps until the reward",
  maxStampsHint: "1 to 100",
  maxStampsKept: "1 to 100. Cards that customers have keep their number.",
  reward: "What a full card earns",
  preview: "Preview",
} as const;
