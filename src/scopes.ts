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
  "template:create",
  "template:read",
  "template:update",
  "template:delete",
  "loyalty:manage",
  "api_token:manage",
  "webhook:manage",
] as const;

export type Scope = (typeof scopes)[number];

const known: ReadonlySet<string> = new Set(scopes);

export function isScope(text: string): text is Scope {
  return known.has(text);
}
