const userIdShape = /^usr_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns whether a string looks like a generated user ID. External IDs must not look like user IDs, so that neither can be
 * mistaken for the other.
 */
export function looksLikeUserId(text: string): boolean {
  return userIdShape.test(text);
}
