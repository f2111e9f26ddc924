/** UI text for the checklist of a new shop. */
export const firstSteps = {
  title: "Set up your shop",
  progress: (done: number, all: number) => `${done} of ${all} done`,
  done: "Done:",
  hide: "Hide this list",
  next: (step: string) => `Next: ${step}`,
  name: "Name your shop",
  nameHint: "Your name and logo appear on cards, posters, and emails.",
  card: "Design your card",
  cardHint: "Choose a ready-made design, then make it yours.",
  poster: "Print the poster",
  posterHint: "Customers scan it to get their card.",
  stamp: "Stamp yourself",
  stampHint: "Scan the poster with your phone, then stamp your own card at the till.",
  staff: "Invite your staff",
  staffHint: "Everyone signs in on their own, with a role that fits.",
};
