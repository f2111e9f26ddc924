/** The ids of users and passes, as they stand in JSON. */
const NAMED = /"((?:usr|wp)_[^"\\]+)"/g;

/** Returns the ids of the users and passes that a JSON text names. */
export function listNamedIds(json: string): string[] {
  return Array.from(json.matchAll(NAMED), ([, id = ""]) => id);
}

/** Returns whether an id is a user's, and not a pass's. */
export function isUserId(id: string): boolean {
  return id.startsWith("usr_");
}
