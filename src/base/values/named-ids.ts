/** Matches user and pass IDs in JSON text. */
const NAMED_ID = /"((?:usr|wp)_[^"\\]+)"/g;

/** Returns the user and pass IDs that appear as whole strings in JSON text, in order and possibly with duplicates. */
export function listNamedIds(json: string): string[] {
  return Array.from(json.matchAll(NAMED_ID), ([, id = ""]) => id);
}

/** Returns whether an ID from {@link listNamedIds} is a user ID rather than a pass ID. */
export function isUserId(id: string): boolean {
  return id.startsWith("usr_");
}
