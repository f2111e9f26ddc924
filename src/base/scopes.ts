/** Every scope of the API. Scopes are compared exactly, without wildcards. */
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
  "purchase:read",
  "purchase:write",
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

const knownScopes: ReadonlySet<string> = new Set(scopes);

export function isScope(text: string): text is Scope {
  return knownScopes.has(text);
}

/** UI text that explains each scope to the person who grants it. */
export const scopeWords: Readonly<Record<Scope, string>> = {
  "user_tag:read": "View tags and the customers who have them, with their names, addresses and other data",
  "user_tag:write": "Create, change and delete tags, and assign them to customers",
  "user:create": "Add customers, and find out whether an email or external ID is in use",
  "user:read": "View customers, with their names, addresses and other data",
  "user:update": "Change and delete customers, and view the data of customers it already knows",
  "pass:read": "View passes with their stamps and customers",
  "pass:create": "Issue passes to existing and new customers",
  "pass:update": "Mark passes as added to or removed from a wallet",
  "pass:delete": "Delete passes",
  "pass:notify": "Email customers links to their passes",
  "template:create": "Create card templates",
  "template:read": "View card templates",
  "template:update": "Change card templates",
  "template:delete": "Delete card templates",
  "loyalty:manage": "Add, remove, set and redeem stamps, and add, remove and spend points",
  "purchase:read": "View customers' purchases and returns",
  "purchase:write": "Record purchases and returns, which give and take stamps and points",
  "api_token:manage":
    "Create and revoke API tokens, register apps, and revoke apps' access. Anything it creates remains after its own access ends",
  "webhook:manage": "Send events with customer data to other servers, even after its own access ends",
  "people:manage": "Invite and remove staff, and change their roles, up to its own permissions",
  "message:read": "View emails and messages to customers, and the message settings",
  "message:send": "Send messages to customers, change message settings, and report bounces",
  "automation:manage": "Run automations for customers, within its other permissions, until its access ends",
  "settings:read": "View organization settings, such as the time zone",
  "settings:write": "Change organization settings, such as the time zone",
  "statistics:read": "View daily statistics on customers, cards, stamps, points and rewards",
  "segment:read": "View segments and their customers, if it can view the data the segments use",
  "segment:write": "Create, change and delete segments, if it can view the data the segments use",
  "audit:read":
    "View who signed in, who managed tokens, apps, webhooks and automations, and who exported or erased customers",
  "organization:export": "Export all of the organization's data, including all customers, as one file",
  "actor:write": "Record changes on behalf of a named person, location and receipt",
};

/** The roles that a staff member can have in an organization. */
export const roles = ["owner", "manager", "till"] as const;

export type Role = (typeof roles)[number];

const ofOwners: ReadonlySet<Scope> = new Set([
  "api_token:manage",
  "webhook:manage",
  "people:manage",
  "settings:write",
  "actor:write",
  "organization:export",
]);

/**
 * The scopes that each role has. A manager has every scope except those needed to give other people access or to change how the
 * organization works.
 */
export const scopesOfRole: Readonly<Record<Role, readonly Scope[]>> = {
  owner: scopes,
  manager: scopes.filter((scope) => !ofOwners.has(scope)),
  till: ["user:read", "pass:read", "template:read", "loyalty:manage", "purchase:read", "purchase:write"],
};

export function isRole(value: unknown): value is Role {
  return roles.some((role) => role === value);
}
