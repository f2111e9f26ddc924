const userIdShape = /^usr_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns whether a string looks like a user's own id. External ids must not look like one. */
export function looksLikeUserId(text: string): boolean {
  return userIdShape.test(text);
}
