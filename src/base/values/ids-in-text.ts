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

const userIdShape = /^usr_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns whether a string looks like a generated user ID. External IDs must not look like user IDs, so that neither can be
 * mistaken for the other.
 */
export function looksLikeUserId(text: string): boolean {
  return userIdShape.test(text);
}
