import type { ProcessorTime } from "../../src/base/concurrency/step.js";
import { CHUNKING_THRESHOLD, endOfIteration } from "./chunked-text.js";

/** Maximum number of items per chunk of text: large enough to keep the chunks few, small enough to keep them small. */
const MAX_ITEMS_PER_CHUNK = 50;

/**
 * Serializes items as a JSON array. The items are read only as fast as the caller reads the chunks. If reading an item fails
 * before the array is known to be large, the returned promise rejects with the error.
 * @param onError a callback that receives the error if reading fails later. The next read of the chunks then throws the same
 *   error, and the caller must abort the response.
 * @param time the counter to add the processor time to.
 * @returns a string, or chunks of text if the array is large.
 */
export async function streamJsonArray(
  items: AsyncIterable<unknown>,
  onError: (error: unknown) => void,
  time: ProcessorTime,
): Promise<string | AsyncIterable<string>> {
  return readBeginning(streamText(measureItems(items, time), time), (chunks) => chunks.join(""), onError);
}

/**
 * Reads a file's bytes.
 * @returns all bytes, or chunks that are read on demand if the file is large.
 */
export async function readFileBytes(
  bytes: AsyncIterable<unknown>,
  onError: (error: unknown) => void,
  time: ProcessorTime,
): Promise<Uint8Array<ArrayBuffer> | AsyncIterable<Uint8Array>> {
  return readBeginning(streamBytes(measureItems(bytes, time)), (chunks) => Buffer.concat(chunks), onError);
}

/** Stops reading a stream and releases its source. */
export async function cancelStream(chunks: AsyncIterable<unknown>): Promise<void> {
  await chunks[Symbol.asyncIterator]().return?.();
}

/** Yields the items, and counts the time for producing them. */
function measureItems<Item>(items: AsyncIterable<Item>, time: ProcessorTime): AsyncIterable<Item> {
  const iterator = items[Symbol.asyncIterator]();
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => time.slice(() => iterator.next()),
      return: async () => (await iterator.return?.()) ?? endOfIteration,
    }),
  };
}

async function* streamText(
  items: AsyncIterable<unknown>,
  time: ProcessorTime,
): AsyncGenerator<string, void, undefined> {
  let text = "[";
  let separator = "";
  let count = 0;
  for await (const item of items) {
    text += separator + time.slice(() => JSON.stringify(item));
    separator = ",";
    count += 1;
    if (count < MAX_ITEMS_PER_CHUNK && text.length <= CHUNKING_THRESHOLD) continue;
    yield text;
    text = "";
    count = 0;
  }
  yield `${text}]`;
}

async function* streamBytes(chunks: AsyncIterable<unknown>): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) {
    if (!(chunk instanceof Uint8Array))
      throw new TypeError("a streamed file yielded a chunk that isn't a Uint8Array");
    yield chunk;
  }
}

async function readBeginning<Chunk extends string | Uint8Array, Whole>(
  chunks: AsyncIterator<Chunk>,
  joinChunks: (chunks: readonly Chunk[]) => Whole,
  onError: (error: unknown) => void,
): Promise<Whole | AsyncIterable<Chunk>> {
  const start: Chunk[] = [];
  for (let size = 0; size <= CHUNKING_THRESHOLD; ) {
    const step = await chunks.next();
    if (step.done) return joinChunks(start);
    start.push(step.value);
    size += step.value.length;
  }
  return new ResumedStream(start, chunks, onError);
}

/** A stream whose first chunks have already been produced. */
class ResumedStream<Chunk> implements AsyncIterableIterator<Chunk, undefined> {
  constructor(
    private readonly start: Chunk[],
    private readonly remainingChunks: AsyncIterator<Chunk>,
    private readonly onError: (error: unknown) => void,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Chunk, undefined>> {
    const first = this.start.shift();
    if (first !== undefined) return { done: false, value: first };
    try {
      const step = await this.remainingChunks.next();
      return step.done ? endOfIteration : step;
    } catch (error) {
      this.onError(error);
      throw error;
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.start.length = 0;
    try {
      await this.remainingChunks.return?.();
    } catch (error) {
      this.onError(error);
    }
    return endOfIteration;
  }
}
