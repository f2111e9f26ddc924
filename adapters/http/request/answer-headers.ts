/** The content type of every answer that has a body. */
export const JSON_TYPE = "application/json; charset=utf-8";

/** The headers of an answer while it is made; names in lower case. */
export type AnswerHeaders = Record<string, string>;

/** Of an answer without a body. What a token may see, nobody keeps for others. */
export function emptyHeaders(): AnswerHeaders {
  return { "cache-control": "no-store", "x-content-type-options": "nosniff" };
}

/** Of an answer with a body, which no browser takes for anything else than it is. */
export function jsonHeaders(): AnswerHeaders {
  return {
    "content-type": JSON_TYPE,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
}
