/** Matches user and pass IDs in JSON text. */
const NAMED = /"((?:usr|wp)_[^"\\]+)"/g;

/** Returns the user and pass IDs that appear as strings in JSON text. */
export function listNamedIds(json: string): string[] {
  return Array.from(json.matchAll(NAMED), ([, id = ""]) => id);
}

/** Returns whether an ID is a user's, as opposed to a pass's. */
export function isUserId(id: string): boolean {
  return id.startsWith("usr_");
}
