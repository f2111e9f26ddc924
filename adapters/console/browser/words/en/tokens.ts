import type { Scope } from "../../../../../src/scopes.js";
import { scopeWords as english } from "../../../../../src/scopes.js";
import { countText, dayText } from "./forms.js";

/** All words of API tokens. */
export const tokens = {
  fresh: "New token",
  none: "No tokens",
  made: (at: string) => `made ${dayText(at)}`,
  neverUsed: "never used",
  used: (at: string) => `used ${dayText(at)}`,
  expires: (at: string) => `expires ${dayText(at)}`,
  from: (addresses: string) => `from ${addresses}`,
  revoke: "Revoke",
  revokeTitle: (name: string) => `Revoke “${name}”?`,
  revokeVerb: (name: string) => `Revoke ${name}`,
  wasRevoked: (name: string) => `The token “${name}” was revoked`,
  /** The token stands between backticks. */
  revokeHint: (prefix: string) =>
    `Programs that use \`${prefix}…\` are refused from now on. So are you, if you signed in with it. This can’t be undone.`,
  madeUnknown: "What it made can’t be shown now.",
  grantsEnd: (count: number) => `With it ends what it let apps do: ${countText(count, "grant")}.`,
  stays: "What it made stays until you remove it too:",
  token: "token",
  app: "app",
  endpoint: "webhook endpoint",
  newTitle: "New API token",
  make: "Make token",
  shownTitle: (name: string) => `The token “${name}”`,
  name: "Name",
  nameHint: "What it is for, such as “till of the bakery”.",
  may: "What it may do",
  expiresLabel: "Expires",
  neverExpires: "It never expires, until somebody revokes it",
  usedFrom: "Used from",
  usedFromHint: "IP addresses and networks, such as 192.0.2.0/24. Empty: everywhere.",
} as const;

/** Choosing scopes. */
export const scopes = {
  title: "Scopes",
  behind: (count: number) => `The scopes behind it: ${count === 0 ? "none yet" : count}`,
  behindOneByOne: (count: number) => `The scopes behind it: ${count}, chosen one by one`,
  count: (count: number) => countText(count, "scope"),
  ofPreset: (preset: string, count: number) => `${preset}: ${countText(count, "scope")}`,
} as const;

/** A description of each scope. */
export const scopeWords: Readonly<Record<Scope, string>> = english;

/** The presets for tokens, and what each lets a program do. */
export const presets = {
  till: [
    "Till",
    "Finds customers and their cards, adds stamps and hands out rewards. It adds and deletes nobody.",
  ],
  readOnly: [
    "Read only",
    "Sees customers, cards, messages, segments, numbers and settings. It changes nothing.",
  ],
  import: ["Import", "Adds customers with their tags, cards and stamps, and updates those who are known."],
  everything: [
    "Everything",
    "All that you may do: also write to everybody, erase customers and make more tokens.",
  ],
} as const;
