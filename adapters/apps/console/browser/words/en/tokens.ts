import type { Scope } from "../../../../../../src/base/scopes.js";
import { scopeWords as english } from "../../../../../../src/base/scopes.js";
import { countText, dayText } from "./forms.js";

/** UI text for the list of API tokens and for the dialogs that create and revoke them. */
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
    `Programs that use \`${prefix}…\` lose access immediately, and so do you if you signed in with it. This can’t be undone.`,
  madeUnknown: "Couldn’t load what this token created.",
  grantsEnd: (count: number) => `This also revokes ${countText(count, "app grant")}.`,
  stays: "These were created with it and stay until you remove them:",
  token: "token",
  app: "app",
  endpoint: "webhook endpoint",
  newTitle: "New API token",
  make: "Create token",
  shownTitle: (name: string) => `Token “${name}”`,
  name: "Name",
  nameHint: "What it’s for, such as “Bakery till”.",
  may: "Permissions",
  expiresLabel: "Expires",
  neverExpires: "Never",
  usedFrom: "Allowed from",
  usedFromHint: "IP addresses and networks, for example 192.0.2.0/24. Leave blank to allow any.",
} as const;

/** UI text for the field in which users choose scopes, for example for a new API token. */
export const scopes = {
  title: "Scopes",
  behind: (count: number) => `Scopes: ${count === 0 ? "none yet" : count}`,
  behindOneByOne: (count: number) => `Scopes: ${count}, customized`,
  count: (count: number) => countText(count, "scope"),
  ofPreset: (preset: string, count: number) => `${preset}: ${countText(count, "scope")}`,
} as const;

/** The description of each scope, shown as a hint next to the scope's checkbox. */
export const scopeWords: Readonly<Record<Scope, string>> = english;

/** Names and descriptions of the token presets. */
export const presets = {
  till: [
    "Till",
    "Can find customers and their cards, record purchases, add stamps and points, and redeem rewards. Can’t add or delete customers.",
  ],
  readOnly: [
    "Read-only",
    "Can view customers, cards, purchases, messages, segments, statistics, and settings. Can’t change anything.",
  ],
  import: ["Import", "Can add and update customers with their tags, cards, and stamps."],
  everything: [
    "Everything",
    "Can do everything you can, including messaging all customers, erasing customers, and creating more tokens.",
  ],
} as const;
