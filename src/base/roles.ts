import { type Scope, scopes } from "./scopes.js";

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
