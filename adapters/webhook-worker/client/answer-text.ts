/** How many characters of an answer are kept. */
const KEPT_CHARACTERS = 1_024;
/** Whoever sends more is hung up on. */
const MAX_BYTES = 16_384;

/** The first characters of a body, which is read to a bound only. */
export async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (text.length < KEPT_CHARACTERS) text += decoder.decode(chunk, { stream: true });
    if (length > MAX_BYTES) break;
  }
  return keptOf(text);
}

/** A text as it can be stored: shortened, and without what no storage keeps. */
export function keptOf(text: string): string {
  return text.slice(0, KEPT_CHARACTERS).replaceAll("\0", "\ufffd").toWellFormed();
}
