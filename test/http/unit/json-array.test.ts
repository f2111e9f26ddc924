import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ChunkedText, writeJsonArray } from "../../../adapters/http/chunked-text.js";
import { streamJsonArray as timedJsonArray } from "../../../adapters/http/stream.js";
import { ProcessorTime } from "../../../src/base/concurrency/step.js";

/** Items that record how many were read, and whether the reader returned early. */
class Items<T> implements AsyncIterableIterator<T> {
  readCount = 0;
  isReturned = false;

  constructor(
    private readonly items: readonly (T | Error)[],
    private readonly returnError: Error | null = null,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<T>> {
    if (this.readCount >= this.items.length) return { done: true, value: undefined };
    const item = this.items[this.readCount];
    this.readCount += 1;
    if (item === undefined || item instanceof Error) throw item;
    return { done: false, value: item };
  }

  async return(): Promise<IteratorResult<T>> {
    this.isReturned = true;
    if (this.returnError !== null) throw this.returnError;
    return { done: true, value: undefined };
  }
}

const uncounted = new ProcessorTime(() => {});
const createJsonArray = (items: AsyncIterable<unknown>, onError: (error: unknown) => void) =>
  timedJsonArray(items, onError, uncounted);
const failure = new Error("broken");
const listNumbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const throwError = (error: unknown) => {
  throw error;
};

/** Creates the chunks of a large list. */
async function createChunks(items: Items<unknown>, onError: (error: unknown) => void) {
  const body = await createJsonArray(items, onError);
  if (typeof body === "string") throw new Error("it is no large list");
  return body[Symbol.asyncIterator]();
}

/** Creates items of a little more than 1 KiB. */
const createWideItems = (count: number) => listNumbers(count).map((at) => `${at} ${"x".repeat(1_024)}`);

describe("a list as JSON text", () => {
  test("is the JSON of its items: a string up to 64 KiB, and chunks above", async () => {
    const values = fc.oneof(
      fc.array(fc.jsonValue(), { maxLength: 220 }),
      fc.integer({ min: 40, max: 90 }).map(createWideItems),
    );
    await fc.assert(
      fc.asyncProperty(values, async (values) => {
        const body = await createJsonArray(new Items(values.map((value) => ({ value }))), throwError);
        let text = "";
        if (typeof body === "string") text = body;
        else for await (const chunk of body) text += chunk;
        expect(text).toBe(JSON.stringify(values.map((value) => ({ value }))));
        expect(typeof body === "string").toBe(text.length <= 65_536);
      }),
    );
  });

  test("reads 64 KiB before it starts, and then only as much as is requested", async () => {
    const items = new Items(createWideItems(10_000));
    const chunks = await createChunks(items, throwError);
    const before = items.readCount;
    expect(before).toBeLessThan(128);
    for (let text = ""; text.length <= 65_536; ) text += (await chunks.next()).value ?? "";
    expect(items.readCount).toBe(before);
    await chunks.next();
    expect(items.readCount).toBeLessThanOrEqual(before + 64);
  });

  test("stops its items when the reader leaves, even before the first chunk", async () => {
    for (const readCount of [0, 1, 3]) {
      const items = new Items(createWideItems(10_000));
      const chunks = await createChunks(items, throwError);
      for (let at = 0; at < readCount; at += 1) await chunks.next();
      await chunks.return?.();
      expect(items.isReturned).toBe(true);
      expect(await chunks.next()).toMatchObject({ done: true });
    }
  });

  test("reports it to the host, not to the reader, if its items can't be stopped", async () => {
    const errors: unknown[] = [];
    const chunks = await createChunks(new Items(createWideItems(200), failure), (error) =>
      errors.push(error),
    );
    expect(await chunks.return?.()).toMatchObject({ done: true });
    expect(errors).toEqual([failure]);
  });

  test("fails before it starts if an item in the first 64 KiB fails", async () => {
    for (const count of [0, 1, 40]) {
      await expect(createJsonArray(new Items([...createWideItems(count), failure]), throwError)).rejects.toBe(
        failure,
      );
    }
  });

  test("fails for both reader and host if a later item fails, and never looks complete", async () => {
    const errors: unknown[] = [];
    const chunks = await createChunks(new Items([...createWideItems(120), failure]), (error) =>
      errors.push(error),
    );
    let text = "";
    const reading = (async () => {
      for (let step = await chunks.next(); !step.done; step = await chunks.next()) text += step.value;
    })();
    await expect(reading).rejects.toBe(failure);
    expect(errors).toEqual([failure]);
    expect(text.length).toBeGreaterThan(65_536);
    expect(text).not.toContain("]");
  });
});

describe("a list in memory as JSON text", () => {
  test("is the JSON of its items between two texts", async () => {
    for (const count of [0, 1, 2, 100]) {
      const text = await writeJsonArray('{"content":', listNumbers(count), ',"next":"7"}', uncounted);
      expect(text).toBe(JSON.stringify({ content: listNumbers(count), next: "7" }));
    }
  });

  test("is split into pieces of whole items if it is large, and counts its unread bytes", async () => {
    const items = Array.from({ length: 300 }, (_, at) => `${at} ${"ä".repeat(500)}`);
    const pieces = await writeJsonArray("", items, "", uncounted);
    if (!(pieces instanceof ChunkedText)) throw new Error("it is a text");
    const expectedBytes = Buffer.from(JSON.stringify(items));
    let remainingBytes = expectedBytes.length;
    expect(pieces.size).toBe(remainingBytes);
    const readChunks: Uint8Array[] = [];
    for await (const piece of pieces) {
      expect(String.fromCharCode(piece[0] ?? 0)).toBe(readChunks.length === 0 ? "[" : ",");
      readChunks.push(piece);
      remainingBytes -= piece.length;
      expect(pieces.size).toBe(remainingBytes);
    }
    expect(readChunks.length).toBeGreaterThan(2);
    expect(Buffer.concat(readChunks).equals(expectedBytes)).toBe(true);
  });

  test("lets other tasks run while it is written", async () => {
    let iterations = 0;
    const count = setInterval(() => {
      iterations += 1;
    }, 0);
    // As slow as on a busy machine.
    const slow = {
      toJSON() {
        const until = performance.now() + 3;
        while (performance.now() < until);
        return null;
      },
    };
    await writeJsonArray(
      "",
      listNumbers(40).map(() => slow),
      "",
      uncounted,
    );
    clearInterval(count);
    expect(iterations).toBeGreaterThan(5);
  });
});
