import { ConnectionError } from "./connection-error.js";
import type { Timeout } from "./timeout.js";

/**
 * Yields a list's items as they arrive. Reads the response only as fast as the caller consumes the items.
 * @throws {ConnectionError} if the connection is lost.
 * @throws the caller's abort reason, if the caller aborted.
 */
export async function* readStreamedItems(
  body: ReadableStream<Uint8Array>,
  timeout: Timeout,
): AsyncGenerator<unknown, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const splitter = new ItemSplitter();
  try {
    for (let isDone = false; !isDone; ) {
      timeout.wait();
      const { done, value } = await reader.read();
      timeout.stopWaiting();
      isDone = done;
      for (const item of splitter.push(done ? decoder.decode() : decoder.decode(value, { stream: true }))) {
        yield JSON.parse(item);
      }
    }
    if (!splitter.isWhole) throw new SyntaxError("It has no end.");
  } catch (cause) {
    timeout.throwIfEnded();
    throw new ConnectionError("The list broke off.", null, { cause });
  } finally {
    timeout.end();
    await reader.cancel().catch(() => {});
  }
}

/**
 * Splits a JSON array into one JSON string per item while the array is still arriving. It doesn't validate the JSON, so an
 * invalid array can yield invalid items.
 */
export class ItemSplitter {
  /** The text after the last returned item. */
  private text = "";
  /** Index up to which the text has been scanned. */
  private at = 0;
  /** Number of open arrays and objects. */
  private depth = 0;
  private isInString = false;
  private hasEnded = false;

  /** Whether the whole array has been read and nothing follows it. */
  get isWhole(): boolean {
    return this.hasEnded && this.text.trim() === "";
  }

  /** Yields the items that the next piece of text completes. Keeps an incomplete item until a later piece completes it. */
  *push(piece: string): Generator<string, void, undefined> {
    this.text += piece;
    for (let mark = this.nextMark(); mark !== null; mark = this.nextMark()) {
      if (mark === '"') this.isInString = !this.isInString;
      else if (mark === "[" || mark === "{") this.depth += 1;
      else if (mark === "]" || mark === "}") this.depth -= 1;
      const isBegin = mark === "[" && this.depth === 1;
      const isBetween = mark === "," && this.depth === 1;
      const isEnd = this.depth === 0;
      if (!isBegin && !isBetween && !isEnd) continue;
      const item = this.text.slice(0, this.at - 1);
      this.text = this.text.slice(this.at);
      this.at = 0;
      this.hasEnded = isEnd;
      if (isBetween || (isEnd && item.trim() !== "")) yield item;
    }
  }

  /** Returns the next character that opens, closes or separates something; `null` if there is none yet. */
  private nextMark(): string | null {
    for (;;) {
      const marks = this.isInString ? /["\\]/g : /["[\]{},]/g;
      marks.lastIndex = this.at;
      const found = marks.exec(this.text);
      if (found === null) {
        this.at = Math.max(this.at, this.text.length);
        return null;
      }
      const [mark] = found;
      // The escaped character may not have arrived yet.
      this.at = found.index + (mark === "\\" ? 2 : 1);
      if (mark !== "\\") return mark;
    }
  }
}
