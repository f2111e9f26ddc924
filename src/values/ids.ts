/**
 * The prefix of each kind of id: user, tag, assignment, pass, template, event, API token, stamp entry, webhook endpoint,
 * webhook delivery, app, grant, and code or token of a grant.
 */
export type IdPrefix =
  | "usr"
  | "utag"
  | "uta"
  | "wp"
  | "tpl"
  | "evt"
  | "akt"
  | "ste"
  | "whe"
  | "whd"
  | "app"
  | "grt"
  | "gtk";

/** Makes UUID texts. Replace it in tests; ids that sort by their time keep equal timestamps in order. */
export type UuidSource = () => string;

export function newId(prefix: IdPrefix, uuid: UuidSource): string {
  return `${prefix}_${uuid()}`;
}

const userIdShape = /^usr_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** True for a text that could be a user's service id, so no external id may look like it. */
export function looksLikeUserId(text: string): boolean {
  return userIdShape.test(text);
}
