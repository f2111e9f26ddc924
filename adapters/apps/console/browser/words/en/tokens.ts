import type { Scope } from "../../../../../../src/base/scopes.js";
import { scopeWords as english } from "../../../../../../src/base/scopes.js";
import { countText, dayText } from "./forms.js";

/** UI text for API tokens. */
export const tokens = {
  fresh: "New token",
  none: "No tokens",
  made: (at: string) => `created ${dayText(at)}`,
  neverUsed: "never used",
  used: (at: string) => `used ${dayText(at)}`,
  expires: (at: string) => `expires ${dayText(at)}`,
  from: (addresses: string) => `from ${addresses}`,
  revoke: "Revoke",
  revokeTitle: (name: string) => `Revoke “${name}”?`,
  revokeVerb: (name: string) => `Revoke ${name}`,
  wasRevoked: (name: string) => `The token “${name}” was revoked`,
  /** @param prefix the beginning of the token. The returned text has backticks around it, so that it is shown as code. */
  revokeHint: (prefix: string) =>
    `Programs that use \`${prefix}…\` lose access now. So do you, if you signed in with it. This can’t be undone.`,
  madeUnknown: "What it created can’t be shown now.",
  grantsEnd: (count: number) => `This also revokes ${countText(count, "grant")} to apps.`,
  stays: "What it created remains until you remove it:",
  token: "token",
  app: "app",
  endpoint: "webhook endpoint",
  newTitle: "New API token",
  make: "Create token",
  shownTitle: (name: string) => `The token “${name}”`,
  name: "Name",
  nameHint: "What it’s for, such as “Bakery till”.",
  may: "Permissions",
  expiresLabel: "Expires",
  neverExpires: "It never expires",
  usedFrom: "Used from",
  usedFromHint: "IP addresses and networks, such as 192.0.2.0/24. Leave empty for anywhere.",
} as const;

/** UI text for choosing scopes. */
export const scopes = {
  title: "Scopes",
  behind: (count: number) => `Scopes: ${count === 0 ? "none yet" : count}`,
  behindOneByOne: (count: number) => `Scopes: ${count}, customized`,
  count: (count: number) => countText(count, "scope"),
  ofPreset: (preset: string, count: number) => `${preset}: ${countText(count, "scope")}`,
} as const;

/** The description of each scope. */
export const scopeWords: Readonly<Record<Scope, string>> = english;

/** Each token preset's name, and a description of what it allows. */
export const presets = {
  till: [
    "Till",
    "Finds customers and their cards, adds stamps and redeems rewards. Can’t add or delete customers.",
  ],
  readOnly: [
    "Read only",
    "Views customers, cards, messages, segments, statistics and settings. Can’t change anything.",
  ],
  import: ["Import", "Adds and updates customers with their tags, cards and stamps."],
  everything: [
    "Everything",
    "Everything you can do, including messaging all customers, erasing customers and creating more tokens.",
  ],
} as const;
