/** Matches user and pass ids in JSON text. */
const NAMED = /"((?:usr|wp)_[^"\\]+)"/g;

/** Returns the user and pass ids that appear in JSON text. */
export function listNamedIds(json: string): string[] {
  return Array.from(json.matchAll(NAMED), ([, id = ""]) => id);
}

/** Returns whether an id belongs to a user rather than a pass. */
export function isUserId(id: string): boolean {
  return id.startsWith("usr_");
}
