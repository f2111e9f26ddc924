const userIdShape = /^usr_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** True for a text that could be a user's service id, so no external id may look like it. */
export function looksLikeUserId(text: string): boolean {
  return userIdShape.test(text);
}
