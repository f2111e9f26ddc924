import type { Scope } from "../../../../src/scopes.js";

/** What each scope lets somebody do in the console: with which things, and what. */
const words: Readonly<Record<Scope, readonly [things: string, verb: string]>> = {
  "user:read": ["Customers", "see"],
  "user:create": ["Customers", "add"],
  "user:update": ["Customers", "change and delete"],
  "user_tag:read": ["Tags", "see"],
  "user_tag:write": ["Tags", "change and give"],
  "segment:read": ["Segments", "see"],
  "segment:write": ["Segments", "change"],
  "pass:read": ["Cards of customers", "see"],
  "pass:create": ["Cards of customers", "give"],
  "pass:notify": ["Cards of customers", "mail"],
  "pass:delete": ["Cards of customers", "cancel"],
  "pass:update": ["Cards of customers", "mark as in a wallet"],
  "loyalty:manage": ["Stamps and rewards", "give and take"],
  "template:read": ["Cards on offer", "see"],
  "template:create": ["Cards on offer", "make"],
  "template:update": ["Cards on offer", "change"],
  "template:delete": ["Cards on offer", "delete"],
  "message:read": ["Messages", "see"],
  "message:send": ["Messages", "write and send"],
  "automation:manage": ["Automations", "see and change"],
  "statistics:read": ["Numbers by day", "see"],
  "settings:read": ["Settings", "see"],
  "settings:write": ["Settings", "change"],
  "api_token:manage": ["For developers", "keys and apps"],
  "webhook:manage": ["For developers", "webhooks and the log"],
  "audit:read": ["For developers", "who managed what"],
  "actor:write": ["For developers", "say who does it"],
};

/** Returns what these scopes allow, a line for each kind of thing: `["Customers", "see, add"]`. */
export function allowedWords(
  granted: readonly string[],
): readonly (readonly [things: string, verbs: string])[] {
  const lines = new Map<string, readonly string[]>();
  for (const [scope, [things, verb]] of Object.entries(words)) {
    if (granted.includes(scope)) lines.set(things, [...(lines.get(things) ?? []), verb]);
  }
  return [...lines].map(([things, verbs]) => [things, verbs.join(", ")]);
}
