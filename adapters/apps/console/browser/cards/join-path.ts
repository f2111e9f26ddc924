import { encodeJoinCode } from "../../../../../src/base/values/join-code.js";

/**
 * Returns the path of the page where customers sign up for a card. If this library generated the template's ID, the path contains a
 * short code in place of the ID.
 */
export function buildJoinPath(templateId: string): string {
  const code = encodeJoinCode(templateId);
  return code === null ? `/join/${templateId}` : `/j/${code}`;
}
