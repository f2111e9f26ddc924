import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Pieces, textOfArray } from "../../../adapters/http/pieces.js";
import { jsonArray as timedJsonArray } from "../../../adapters/http/stream.js";
import { ProcessorTime } from "../../../src/concurrency/processor-time.js";

/** Items that remember how far they were read and whether they were left. */
class Items<T> implements AsyncIterableIterator<T> {
  read = 0;
  left = false;

  constructor(
    private readonly items: readonly (T | Error)[],
    private readonly leaving: Error | null = null,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<T>> {
    if (this.read >= this.items.length) return { done: true, value: undefined };
    const item = this.items[this.read];
    this.read += 1;
    if (item === undefined || item instanceof Error) throw item;
    return { done: false, value: item };
  }

  async return(): Promise<IteratorResult<T>> {
    this.left = true;
    if (this.leaving !== null) throw this.leaving;
    return { done: true, value: undefined };
  }
}

const jsonArray = (items: AsyncIterable<unknown>, onError: (error: unknown) => void) =>
  timedJsonArray(items, onError, new ProcessorTime(() => {}));
const broken = new Error("broken");
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const tellNobody = (error: unknown) => {
  throw error;
};

describe("a list as JSON text", () => {
  test("is the JSON of its items, however many", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 220 }), async (values) => {
        const items = new Items(values.map((value) => ({ value })));
        let text = "";
        for await (const chunk of await jsonArray(items, tellNobody)) text += chunk;
        expect(text).toBe(JSON.stringify(values.map((value) => ({ value }))));
      }),
    );
  });

  test("reads its first item before it begins, and then no more than is asked for", async () => {
    const items = new Items(numbers(10_000));
    const chunks = (await jsonArray(items, tellNobody))[Symbol.asyncIterator]();
    expect(items.read).toBe(1);
    await chunks.next();
    const perChunk = items.read;
    expect(perChunk).toBeLessThan(100);
    await chunks.next();
    expect(items.read).toBeLessThanOrEqual(2 * perChunk);
  });

  test("leaves its items when the reader leaves, even before the first chunk", async () => {
    for (const chunksRead of [0, 1, 3]) {
      const items = new Items(numbers(10_000));
      const chunks = (await jsonArray(items, tellNobody))[Symbol.asyncIterator]();
      for (let at = 0; at < chunksRead; at += 1) await chunks.next();
      await chunks.return?.();
      expect(items.left).toBe(true);
      expect(await chunks.next()).toMatchObject({ done: true });
    }
  });

  test("tells the host, not the reader, when its items can't be left", async () => {
    const told: unknown[] = [];
    const chunks = await jsonArray(new Items([1], broken), (error) => told.push(error));
    expect(await chunks[Symbol.asyncIterator]().return?.()).toMatchObject({ done: true });
    expect(told).toEqual([broken]);
  });

  test("fails before it begins when there is no first item", async () => {
    await expect(jsonArray(new Items([broken]), tellNobody)).rejects.toBe(broken);
  });

  test("fails in its middle for the reader and the host, and never ends well", async () => {
    const told: unknown[] = [];
    const items = new Items([...numbers(120), broken]);
    const chunks = await jsonArray(items, (error) => told.push(error));
    let text = "";
    const reading = (async () => {
      for await (const chunk of chunks) text += chunk;
    })();
    await expect(reading).rejects.toBe(broken);
    expect(told).toEqual([broken]);
    expect(text).not.toContain("]");
  });
});

describe("a list that is there as JSON text", () => {
  test("is the JSON of its items between two texts", async () => {
    for (const count of [0, 1, 2, 100]) {
      const text = await textOfArray('{"content":', numbers(count), ',"next":"7"}');
      expect(text).toBe(JSON.stringify({ content: numbers(count), next: "7" }));
    }
  });

  test("is in pieces of whole items when it is large, and counts the bytes that are not read yet", async () => {
    const items = Array.from({ length: 300 }, (_, at) => `${at} ${"ä".repeat(500)}`);
    const pieces = await textOfArray("", items, "");
    if (!(pieces instanceof Pieces)) throw new Error("it is a text");
    const whole = Buffer.from(JSON.stringify(items));
    let left = whole.length;
    expect(pieces.size).toBe(left);
    const read: Uint8Array[] = [];
    for await (const piece of pieces) {
      expect(String.fromCharCode(piece[0] ?? 0)).toBe(read.length === 0 ? "[" : ",");
      read.push(piece);
      left -= piece.length;
      expect(pieces.size).toBe(left);
    }
    expect(read.length).toBeGreaterThan(2);
    expect(Buffer.concat(read).equals(whole)).toBe(true);
  });

  test("lets others have their turn while it is written", async () => {
    let turns = 0;
    const count = setInterval(() => {
      turns += 1;
    }, 0);
    // As slow as a machine that has little time for it.
    const slow = {
      toJSON() {
        const until = performance.now() + 3;
        while (performance.now() < until);
        return null;
      },
    };
    await textOfArray(
      "",
      numbers(40).map(() => slow),
      "",
    );
    clearInterval(count);
    expect(turns).toBeGreaterThan(5);
  });
});
