/** UI text for the list of cards and for creating a card. */
export const cards = {
  title: "Cards",
  fresh: "New card",
  none: "No cards yet",
  noneHint: "Create your first card: choose its name and number of stamps.",
  poster: "Poster",
  more: (name: string) => `More for ${name}`,
  joinPage: "Sign-up page",
  design: "Design",
  edit: "Edit",
  delete: "Delete",
  deleteTitle: (name: string) => `Delete “${name}”?`,
  deleteVerb: (name: string) => `Delete ${name}`,
  deleteHint: "You can only delete a card if no customers have it. Its posters will stop working.",
  wasDeleted: (name: string) => `“${name}” was deleted`,
  showNumbers: "Show numbers",
  haveIt: "with this card",
  stamped: "stamped this week",
  waiting: "with a reward waiting",
} as const;

/** UI text for the form that creates or edits a card. */
export const form = {
  editTitle: "Edit card",
  make: "Create card",
  save: "Save",
  wasSaved: (name: string) => `“${name}” was saved`,
  name: "Name",
  unnamed: "Your card",
  kind: "Type",
  stampCard: "Stamp card",
  memberCard: "Membership card without stamps",
  maxStamps: "Stamps until the reward",
  maxStampsHint: "1 to 100",
  maxStampsKept: "1 to 100. Existing cards keep their current number.",
  reward: "Reward for a full card",
  preview: "Preview",
} as const;
