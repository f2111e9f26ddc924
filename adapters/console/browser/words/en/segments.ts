import { countText, pluralOf } from "./forms.js";

/** All words of saved segments, except their conditions. */
export const savedSegments = {
  title: "Segments",
  back: "Segments",
  fresh: "New segment",
  none: "No segments yet",
  noneHint:
    "Say who is looked for, such as customers who were not here for a month, and save it under a name.",
  hidden: "Not for your sign-in",
  customers: (count: number) => countText(count, "customer"),
  /** Behind the number, which stands alone. */
  customersNoun: (count: number) => pluralOf(count, "customer", "customers"),
  settling: "being counted",
  tells: "tells who comes and goes",
  save: "Save segment…",
  saveTitle: "Save this segment",
  saveVerb: "Save segment",
  saveFilter: "Save",
  wasSaved: (name: string) => `“${name}” was saved`,
  details: "Edit",
  detailsTitle: "Edit the segment",
  change: "Change conditions",
  changeTitle: (name: string) => `Conditions of “${name}”`,
  moved: (entered: number, left: number) =>
    entered === 0 && left === 0
      ? "Saved: the same customers are in it"
      : `Saved: ${countText(entered, "customer")} came in, ${countText(left, "customer")} went out`,
  delete: "Delete",
  deleteTitle: (name: string) => `Delete “${name}”?`,
  deleteVerb: (name: string) => `Delete “${name}”`,
  deleteHint: "The customers stay as they are. Nobody is told that they left it. This can’t be undone.",
  wasDeleted: (name: string) => `“${name}” was deleted`,
  keep: "Keep",
  inUse: "It is still needed, so it can’t be deleted:",
  usedBy: { segment: "the segment", message: "a message", automation: "an automation" },
  name: "Name",
  description: "Description",
  color: "Color",
  noColor: "None",
  tellsLabel: "Tell when somebody enters or leaves",
  tellsHint:
    "Webhooks, your software and automations hear of each customer who comes in or goes out from now on; of those by time alone a minute after midnight.",
  about: "About the segment",
  members: "Customers in it",
  nobody: "Nobody is in it now.",
  noun: "customers",
  first: "The first of them",
  found: "Who is found",
  badLink: "The link has no filter that can be read.",
  days: (count: number) => `${count} days`,
  curve: "Customers in it, day by day",
  came: "Came in",
  went: "Went out",
  curveLater: "The first numbers by day are there after the next midnight.",
} as const;

/** All words of actions on the customers who match a filter. */
export const actions = {
  share: "Share it, or for developers",
  json: "The same for developers (JSON)",
  noFilter: "This is no filter yet.",
  copyJson: "Copy JSON",
  jsonCopied: "The filter was copied",
  copyLink: "Copy link",
  linkCopied: "The link was copied",
  saveAsSegment: "Save this as a segment",
  showAll: "Show all",
  tagAll: "Tag all",
  write: "Write to them",
  export: "Export all",
  exported: (count: number, total: number) => `${count} of ${total}`,
  tagSome: (count: number) => `Tag ${countText(count, "customer")}`,
  tagged: (count: number, tag: string, had: number) =>
    `${countText(count, "customer")} tagged “${tag}”${had > 0 ? `, ${had} had it before` : ""}`,
  tag: "Tag",
  tagHint: "One that you have, or a new one by its name.",
  tagMissing: "A tag needs a name.",
  cancel: "Cancel",
} as const;

export const colors: readonly (readonly [string, string])[] = [
  ["#4338CA", "Indigo"],
  ["#1D6FD1", "Blue"],
  ["#0E7C86", "Teal"],
  ["#14703A", "Green"],
  ["#B7791F", "Amber"],
  ["#C2410C", "Orange"],
  ["#B3261E", "Red"],
  ["#A21C6B", "Pink"],
  ["#5D5D6B", "Gray"],
];
