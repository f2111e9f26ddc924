import { allowed } from "../words/en/settings.js";

/** Describes what a set of scopes allows. Returns one entry for each kind of resource, such as `["Customers", "see, add"]`. */
export function describeScopes(
  granted: readonly string[],
): readonly (readonly [things: string, verbs: string])[] {
  const lines = new Map<string, readonly string[]>();
  for (const [scope, [things, verb]] of Object.entries(allowed)) {
    if (granted.includes(scope)) lines.set(things, [...(lines.get(things) ?? []), verb]);
  }
  return [...lines].map(([things, verbs]) => [things, verbs.join(", ")]);
}
