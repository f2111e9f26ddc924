import type { ProcessorTime } from "../../src/concurrency/processor-time.js";
import { finished } from "./pieces.js";

/** One chunk of text holds this many items: enough to make the chunks few, little enough to keep them small. */
const ITEMS_PER_CHUNK = 50;

/**
 * A JSON array as chunks of text, which reads its items only as fast as it is read.
 * Resolves when the first item is there, so that a failure before it is an ordinary error.
 * @param onError told of a failure after that. A reader that waits gets it as well, and has to break off.
 * @param time counts what it takes.
 */
export async function jsonArray(
  items: AsyncIterable<unknown>,
  onError: (error: unknown) => void,
  time: ProcessorTime,
): Promise<AsyncIterable<string>> {
  const iterator = items[Symbol.asyncIterator]();
  return new JsonArrayText(iterator, await time.slice(() => iterator.next()), onError, time);
}

/**
 * Bytes as they are made. Resolves when the first are there, so that a failure before them is an ordinary error.
 * @param onError told of a failure after that. A reader that waits gets it as well, and has to break off.
 * @param time counts what it takes.
 */
export async function fileBytes(
  bytes: AsyncIterable<unknown>,
  onError: (error: unknown) => void,
  time: ProcessorTime,
): Promise<AsyncIterable<Uint8Array>> {
  const iterator = bytes[Symbol.asyncIterator]();
  return new FileBytes(iterator, await time.slice(() => iterator.next()), onError, time);
}

/** Ends the reading of a stream that nobody wants any more. */
export async function abandon(chunks: AsyncIterable<unknown>): Promise<void> {
  await chunks[Symbol.asyncIterator]().return?.();
}

/** An iterator by hand: a generator that was never started would not pass its end on to the items. */
class JsonArrayText implements AsyncIterableIterator<string, undefined> {
  private separator = "[";
  private ended = false;

  constructor(
    private readonly items: AsyncIterator<unknown>,
    private step: IteratorResult<unknown>,
    private readonly onError: (error: unknown) => void,
    private readonly time: ProcessorTime,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    if (this.ended) return finished;
    try {
      return { done: false, value: await this.chunk() };
    } catch (error) {
      this.ended = true;
      this.onError(error);
      throw error;
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.ended = true;
    try {
      await this.items.return?.();
    } catch (error) {
      this.onError(error);
    }
    return finished;
  }

  private async chunk(): Promise<string> {
    let text = "";
    for (let count = 0; count < ITEMS_PER_CHUNK && !this.step.done; count += 1) {
      const { value } = this.step;
      const { time, items } = this;
      text += this.separator + time.slice(() => JSON.stringify(value));
      this.separator = ",";
      this.step = await time.slice(() => items.next());
    }
    if (!this.step.done) return text;
    this.ended = true;
    return this.separator === "[" ? "[]" : `${text}]`;
  }
}

/** An iterator by hand, as {@link JsonArrayText}: it has made the first bytes before it is read. */
class FileBytes implements AsyncIterableIterator<Uint8Array, undefined> {
  private first: IteratorResult<unknown> | null;

  constructor(
    private readonly bytes: AsyncIterator<unknown>,
    first: IteratorResult<unknown>,
    private readonly onError: (error: unknown) => void,
    private readonly time: ProcessorTime,
  ) {
    this.first = first;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    try {
      const step = this.first ?? (await this.time.slice(() => this.bytes.next()));
      this.first = null;
      if (step.done) return finished;
      if (!(step.value instanceof Uint8Array)) throw new TypeError("a file is not made of bytes");
      return { done: false, value: step.value };
    } catch (error) {
      this.onError(error);
      throw error;
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    await this.bytes.return?.();
    return finished;
  }
}
