import { isYieldDue, waitForIterationEnd } from "../../src/concurrency/event-loop.js";
import type { ProcessorTime } from "../../src/concurrency/step.js";

/** A longer text is sent in chunks; the socket usually accepts a shorter one immediately. */
export const CHUNKING_THRESHOLD = 65_536;

/** The last result of an iterator. */
export const endOfIteration: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** An answer that waits to be read, as bytes: a text may take twice their memory. A piece is let go of once it is read. */
export class ChunkedText implements AsyncIterableIterator<Uint8Array, undefined> {
  private readonly unread: Uint8Array[] = [];
  private bytes = 0;

  /** The number of bytes that are not read yet. */
  get size(): number {
    return this.bytes;
  }

  add(text: string): void {
    const piece = Buffer.from(text);
    this.unread.push(piece);
    this.bytes += piece.byteLength;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const value = this.unread.shift();
    if (value === undefined) return Promise.resolve(endOfIteration);
    this.bytes -= value.byteLength;
    return Promise.resolve({ done: false, value });
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    this.unread.length = 0;
    this.bytes = 0;
    return Promise.resolve(endOfIteration);
  }
}

/** The pieces of a text. None ends between the two halves of a character. */
export function toChunks(text: string): ChunkedText {
  const pieces = new ChunkedText();
  for (let at = 0; at < text.length; ) {
    const last = text.charCodeAt(at + CHUNKING_THRESHOLD - 1);
    const end = at + (last >= 0xd800 && last <= 0xdbff ? CHUNKING_THRESHOLD - 1 : CHUNKING_THRESHOLD);
    pieces.add(text.slice(at, end));
    at = end;
  }
  return pieces;
}

/**
 * A JSON array between two texts, written while others have their turns: a text, or pieces of whole items where that were
 * large. Who holds it needs nothing more of what the items were made of.
 * @param time counts what it takes.
 */
export async function writeJsonArray(
  before: string,
  items: readonly unknown[],
  after: string,
  time: ProcessorTime,
): Promise<string | ChunkedText> {
  const pieces = new ChunkedText();
  let text = `${before}[`;
  for (const [at, item] of items.entries()) {
    while (isYieldDue()) await waitForIterationEnd();
    if (text.length > CHUNKING_THRESHOLD) {
      pieces.add(text);
      text = "";
    }
    const written = time.slice(() => JSON.stringify(item));
    text += at === 0 ? written : `,${written}`;
  }
  text += `]${after}`;
  if (pieces.size === 0) return text;
  pieces.add(text);
  return pieces;
}
