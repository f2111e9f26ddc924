/** Every scope of the interface. Scopes compare exactly; there are no wildcards. */
export const scopes = [
  "user_tag:read",
  "user_tag:write",
  "user:create",
  "user:read",
  "user:update",
  "pass:read",
  "pass:create",
  "pass:update",
  "pass:delete",
  "pass:notify",
  "template:create",
  "template:read",
  "template:update",
  "template:delete",
  "loyalty:manage",
  "api_token:manage",
  "webhook:manage",
  "people:manage",
  "message:read",
  "message:send",
  "automation:manage",
  "settings:read",
  "settings:write",
  "statistics:read",
  "segment:read",
  "segment:write",
  "audit:read",
  "actor:write",
  "organization:export",
] as const;

export type Scope = (typeof scopes)[number];

const known: ReadonlySet<string> = new Set(scopes);

export function isScope(text: string): text is Scope {
  return known.has(text);
}

/** The words explain each scope to the people who grant it. */
export const scopeWords: Readonly<Record<Scope, string>> = {
  "user_tag:read": "See tags and, through them, customers with their names, addresses and other data",
  "user_tag:write": "Create, change and delete tags, and give them to customers",
  "user:create": "Add customers, and learn whether an address or external id is taken",
  "user:read": "See customers, with their names, addresses and other data",
  "user:update": "Change and delete customers, and see the data of those it names",
  "pass:read": "See wallet passes with their stamps, and whose they are",
  "pass:create": "Issue wallet passes, to new customers too",
  "pass:update": "Mark wallet passes as installed or removed from a wallet",
  "pass:delete": "Delete wallet passes",
  "pass:notify": "Mail customers the links to their wallet passes",
  "template:create": "Create templates of passes",
  "template:read": "See templates of passes",
  "template:update": "Change templates of passes",
  "template:delete": "Delete templates of passes",
  "loyalty:manage": "Add, remove, set and redeem stamps",
  "api_token:manage":
    "Create and revoke API tokens, register apps, and end the access of apps. What it creates stays after its access ends",
  "webhook:manage":
    "Send events to other servers, with the data of customers. This continues after its access ends",
  "people:manage":
    "Invite people who sign in, change what they may do up to what it may do itself, and remove them",
  "message:read": "See the mails and messages to customers, and their settings",
  "message:send": "Send customers messages, change their settings, and record addresses that refuse mail",
  "automation:manage": "Act for customers automatically, within its other scopes, until its access ends",
  "settings:read": "See the settings of the organization, such as its time zone",
  "settings:write": "Change the settings of the organization, such as its time zone",
  "statistics:read": "See how many customers, cards, stamps and rewards there are on each day",
  "segment:read": "Count and see the customers of segments, if it may see what the segments use",
  "segment:write": "Save, change and delete segments of customers, if it may see what they use",
  "audit:read":
    "See who signed in, who managed tokens, apps, webhooks and automations, and who exported or erased customers",
  "organization:export": "Take out everything that is kept, all customers with their data, in one file",
  "actor:write": "Say which person, place and receipt a change is recorded for",
};
