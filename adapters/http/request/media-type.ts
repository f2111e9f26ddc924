const json = /^application\/json[ \t]*(?:;|$)/i;
const charset = /;[ \t]*charset[ \t]*=[ \t]*("?)([^";, \t]*)\1/gi;

/** True for `application/json` with any parameters, but in no other charset than UTF-8. */
export function isJsonType(contentType: string | null): boolean {
  if (contentType === null || !json.test(contentType)) return false;
  return [...contentType.matchAll(charset)].every(([, , name = ""]) => name.toLowerCase() === "utf-8");
}
