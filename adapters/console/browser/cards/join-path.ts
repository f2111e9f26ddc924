import { encodeJoinCode } from "../../../../src/values/join-code.js";

/** The path of the page by which people get a card. It is short where the id of the template is one that the library made. */
export function joinPath(templateId: string): string {
  const code = encodeJoinCode(templateId);
  return code === null ? `/join/${templateId}` : `/j/${code}`;
}
