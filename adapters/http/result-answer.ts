import { type AnswerHeaders, emptyHeaders, type HttpResponse, jsonHeaders } from "./request/message.js";
import type { OperationRoute } from "./routes.js";
import { bodyOfPieces, piecesOfArray } from "./stream.js";

/** An answer while it is made: the limits are told in its headers last. */
export interface Answer extends HttpResponse {
  readonly headers: AnswerHeaders;
}

/** A list of more items than this is written in pieces. */
const LONG_LIST = 100;

/** Answers with what a use case has returned. */
export function resultAnswer(
  { status, output, location, isWide }: OperationRoute,
  result: unknown,
  prefix: string,
): Answer | Promise<Answer> {
  if (output === null) return { status, headers: emptyHeaders(), body: null };
  if (Array.isArray(result) && result.length > LONG_LIST) return listAnswer(status, result);
  if (isWide && isPage(result)) return pageAnswer(status, result);
  const headers = jsonHeaders();
  if (location !== undefined) headers.location = `${prefix}${location}/${idOf(result)}`;
  return { status, headers, body: JSON.stringify(result) };
}

async function listAnswer(status: number, items: readonly unknown[]): Promise<Answer> {
  return { status, headers: jsonHeaders(), body: bodyOfPieces(await piecesOfArray(items)) };
}

async function pageAnswer(status: number, { content, ...totals }: WidePage): Promise<Answer> {
  const pieces = ['{"content":', ...(await piecesOfArray(content)), `,${JSON.stringify(totals).slice(1)}`];
  return { status, headers: jsonHeaders(), body: bodyOfPieces(pieces) };
}

interface WidePage {
  readonly content: readonly unknown[];
}

function isPage(result: unknown): result is WidePage {
  return (
    typeof result === "object" && result !== null && "content" in result && Array.isArray(result.content)
  );
}

function idOf(result: unknown): string {
  if (typeof result === "object" && result !== null && "id" in result && typeof result.id === "string")
    return result.id;
  throw new TypeError("what an answer leads to has no id");
}
