import { isYieldDue, waitForIterationEnd } from "../../src/base/concurrency/event-loop.js";
import type { ProcessorTime } from "../../src/base/concurrency/step.js";

/** Maximum length of text that is sent in one piece, in UTF-16 code units. A socket usually accepts this much text immediately. */
export const CHUNKING_THRESHOLD = 65_536;

/** The result that every exhausted iterator returns. */
export const endOfIteration: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * A response body that is waiting to be read. Stores bytes, because a string can take twice as much memory, and frees each chunk
 * once it has been read.
 */
export class ChunkedText implements AsyncIterableIterator<Uint8Array, undefined> {
  private readonly buffered: Uint8Array[] = [];
  private bytes = 0;

  /** Number of unread bytes. */
  get size(): number {
    return this.bytes;
  }

  add(text: string): void {
    const piece = Buffer.from(text);
    this.buffered.push(piece);
    this.bytes += piece.byteLength;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const value = this.buffered.shift();
    if (value === undefined) return Promise.resolve(endOfIteration);
    this.bytes -= value.byteLength;
    return Promise.resolve({ done: false, value });
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    this.buffered.length = 0;
    this.bytes = 0;
    return Promise.resolve(endOfIteration);
  }
}

/** Splits text into chunks. No chunk ends inside a surrogate pair. */
export function toChunks(text: string): ChunkedText {
  const pieces = new ChunkedText();
  for (let start = 0; start < text.length; ) {
    const last = text.charCodeAt(start + CHUNKING_THRESHOLD - 1);
    const end = start + (last >= 0xd800 && last <= 0xdbff ? CHUNKING_THRESHOLD - 1 : CHUNKING_THRESHOLD);
    pieces.add(text.slice(start, end));
    start = end;
  }
  return pieces;
}

/**
 * Serializes items as a JSON array between `prefix` and `suffix`, yielding to the event loop between items. The result doesn't keep
 * the items in memory.
 * @param time the counter to add the processor time to.
 * @returns a string, or chunks if the string would be large. Every chunk contains only whole items.
 */
export async function writeJsonArray(
  prefix: string,
  items: readonly unknown[],
  suffix: string,
  time: ProcessorTime,
): Promise<string | ChunkedText> {
  const pieces = new ChunkedText();
  let text = `${prefix}[`;
  for (const [index, item] of items.entries()) {
    while (isYieldDue()) await waitForIterationEnd();
    if (text.length > CHUNKING_THRESHOLD) {
      pieces.add(text);
      text = "";
    }
    const json = time.slice(() => JSON.stringify(item));
    text += index === 0 ? json : `,${json}`;
  }
  text += `]${suffix}`;
  if (pieces.size === 0) return text;
  pieces.add(text);
  return pieces;
}
