import { countText, numberText, pluralOf } from "./forms.js";

/** UI text for saved segments, except for their conditions. */
export const savedSegments = {
  title: "Segments",
  back: "Segments",
  fresh: "New segment",
  none: "No segments yet",
  noneHint: "Find a group of customers, such as those who haven’t visited in a month, and save the filter.",
  hidden: "You don’t have access",
  customers: (count: number) => countText(count, "customer"),
  /** The noun that follows the number of customers, which is displayed separately. */
  customersNoun: (count: number) => pluralOf(count, "customer", "customers"),
  settling: "being counted",
  reports: "reports who enters and leaves",
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
      ? "Saved. The segment still has the same customers."
      : `Saved. ${countText(entered, "customer")} entered, ${countText(left, "customer")} left.`,
  delete: "Delete",
  deleteTitle: (name: string) => `Delete “${name}”?`,
  deleteVerb: (name: string) => `Delete “${name}”`,
  deleteHint: "Its customers aren’t affected, and they aren’t reported as leaving. This can’t be undone.",
  wasDeleted: (name: string) => `“${name}” was deleted`,
  keep: "Keep",
  inUse: "This segment can’t be deleted because it’s used by:",
  usedBy: { segment: "the segment", message: "a message", automation: "an automation" },
  name: "Name",
  description: "Description",
  color: "Color",
  noColor: "None",
  reportsLabel: "Report who enters and leaves",
  reportsHint:
    "From now on, webhooks, your software, and automations are notified of each customer who enters or leaves. Changes caused by the date alone are reported shortly after midnight.",
  about: "About the segment",
  members: "Customers in this segment",
  nobody: "No customers right now.",
  noun: "customers",
  first: "First customers",
  found: "Conditions",
  badLink: "The filter in this link isn’t valid.",
  /** Shown before what uses a segment. */
  uses: "Used by",
  useKinds: { segment: "the segment", message: "the message", automation: "the automation" },
  otherUses: (count: number) => `and ${numberText(count)} more`,
  unused: "Not used by a message or an automation yet.",
  trend: (members: number, days: number) =>
    `${members === 0 ? "±0" : `${members > 0 ? "+" : "−"}${numberText(Math.abs(members))}`} in ${countText(days, "day")}`,
  trendLater: "Its trend begins tomorrow",
  days: (count: number) => `${count} days`,
  curve: "Customers by day",
  came: "Entered",
  went: "Left",
  curveLater: "Your first daily numbers will appear after midnight.",
} as const;

/** UI text for bulk actions on all customers who match a filter. */
export const actions = {
  share: "Share these conditions",
  json: "As JSON, for developers",
  noFilter: "This isn’t a valid filter.",
  copyJson: "Copy JSON",
  jsonCopied: "The filter was copied",
  copyLink: "Copy link",
  linkCopied: "The link was copied",
  saveAsSegment: "Save this as a segment",
  showAll: "Show all",
  tagAll: "Tag all",
  write: "Message all",
  export: "Export all",
  exported: (count: number, total: number) => `${count} of ${total}`,
  tagSome: (count: number) => `Tag ${countText(count, "customer")}`,
  tagged: (count: number, tag: string, had: number) =>
    `${countText(count, "customer")} tagged “${tag}”${had > 0 ? `, ${had} already had it` : ""}`,
  tag: "Tag",
  tagHint: "Choose a tag, or enter the name of a new one.",
  tagMissing: "Enter a tag name.",
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
